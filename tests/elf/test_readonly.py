"""Names of libraries among the literals of an object that imports ``dlopen``."""

from __future__ import annotations

from checker.elf import plan, read_elf
from checker.elf.plan import WHOLE_FILE
from checker.model.sparse import SparseBytes
from tests.elfwriter import DEFINED, Elf, Symbol, write

DLOPEN = Symbol(name="dlopen")
EXPORT = Symbol(name="f", shndx=DEFINED)  # without one, the hash table tells of no symbols


def names(text: bytes, *symbols: Symbol, needed: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    data = write(Elf(symbols=(*symbols, EXPORT), text=text, needed=needed))
    return read_elf("x.so", SparseBytes(size=len(data), parts=((0, data),))).opened_names


def test_whole_literals_are_told_sorted_and_once() -> None:
    text = b"\0libb.so.1\0liba.so\0x\0libb.so.1\0libc++-2.0.so.1.2\0"
    assert names(text, DLOPEN) == ("liba.so", "libb.so.1", "libc++-2.0.so.1.2")


def test_other_strings_are_not_names() -> None:
    text = b"\0/usr/lib/liba.so\0cannot open libb.so\0lib%s.so\0libc.so.1 \0.so\0lib.so\0libd.sox\0lib\xe9.so\0"
    assert names(text, DLOPEN) == ()


def test_an_object_without_dlopen_is_not_looked_through() -> None:
    assert names(b"\0liba.so\0") == ()
    assert names(b"\0liba.so\0", Symbol(name="xdlopen")) == ()


def test_dlmopen_opens_too() -> None:
    assert names(b"\0liba.so\0", Symbol(name="dlmopen")) == ("liba.so",)


def test_the_needed_names_in_the_string_table_are_left_out() -> None:
    assert names(b"\0", DLOPEN, needed=("libneeded.so.1",)) == ()


def test_where_not_all_was_kept_nothing_is_said() -> None:
    data = write(Elf(symbols=(DLOPEN, EXPORT), text=b"\0liba.so\0" + bytes(2 * WHOLE_FILE)))
    ranges = plan(data[: 1 << 16], len(data)) or ()
    kept = tuple((offset, data[offset : offset + size]) for offset, size in ranges)
    facts = read_elf("x.so", SparseBytes(size=len(data), parts=kept))
    assert facts.opened_names is None


def test_a_file_of_nothing_but_needles_takes_no_time() -> None:
    assert names(b".so" * 500_000, DLOPEN) == ()
    many = b"\0".join(b"lib%d.so" % number for number in range(5000))
    found = names(b"\0" + many + b"\0", DLOPEN)
    assert found is not None
    assert len(found) == 256
