"""Symbols that an object defines and refers to and that another object of its scope takes over."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from checker.engine import audit
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.elfwriter import Elf, Relocation, Symbol, write
from tests.elfwriter.spec import DEFINED, ET_EXEC, Binding, Hash, Note, Type, Visibility
from tests.engine.artifacts import TAG, wheel

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.resolution import Interposition

MODULE, FIRST, SECOND = "pkg/_core.cpython-311-x86_64-linux-gnu.so", "pkg/libfirst.so", "pkg/libsecond.so"
WEAK = Symbol(name="_ZN3foo6inlineEv", binding=Binding.WEAK, shndx=DEFINED)


def found(folder: Path, members: dict[str, bytes], tag: str = TAG) -> tuple[Interposition, ...]:
    policy = load_policy(["recommended"], specs(), directory=str(folder))
    return audit(str(wheel(folder, members, tag=tag)), policy).case.interpositions


def library(soname: str, *symbols: Symbol, refers: tuple[str, ...] = (), **more: object) -> bytes:
    relocations = tuple(Relocation(type=6, symbol=name) for name in refers)
    return write(Elf(soname=soname, symbols=symbols, relocations=relocations, **more))  # type: ignore[arg-type]


def defined(name: str, **more: object) -> Symbol:
    return Symbol(name=name, shndx=DEFINED, **more)  # type: ignore[arg-type]


def trio(first: bytes, second: bytes) -> dict[str, bytes]:
    module = Elf(needed=("libfirst.so", "libsecond.so"), rpath="$ORIGIN", symbols=(defined("PyInit__core"),))
    return {MODULE: write(module), FIRST: first, SECOND: second}


def test_the_first_definition_of_the_scope_is_taken_for_the_others_own_references(tmp_path: Path) -> None:
    first = library("libfirst.so", defined("f"), defined("g"), defined("h"), refers=("f", "g"))
    second = library("libsecond.so", defined("f"), defined("g"), defined("k"), refers=("f", "g", "k"))
    (pair,) = found(tmp_path, trio(first, second))
    assert (pair.object, pair.path, pair.symbols, pair.roots) == (SECOND, FIRST, (b"f", b"g"), (MODULE,))


@pytest.mark.parametrize("hashes", [(Hash.ABSENT, Hash.CORRECT), (Hash.CORRECT, Hash.CORRECT)], ids=["sysv", "both"])
def test_either_hash_table_will_do(tmp_path: Path, hashes: tuple[Hash, Hash]) -> None:
    gnu, sysv = hashes
    first = library("libfirst.so", defined("f"), gnu_hash=gnu, sysv_hash=sysv)
    second = library("libsecond.so", defined("f"), refers=("f",))
    assert [pair.symbols for pair in found(tmp_path, trio(first, second))] == [(b"f",)]


def test_without_a_reference_of_its_own_nothing_is_taken(tmp_path: Path) -> None:
    assert found(tmp_path, trio(library("libfirst.so", defined("f")), library("libsecond.so", defined("f")))) == ()


@pytest.mark.parametrize(
    "mine",
    [{"binding": Binding.WEAK}, {"binding": Binding.GNU_UNIQUE}, {"visibility": Visibility.PROTECTED}],
    ids=["weak", "unique", "protected"],
)
def test_what_is_meant_to_be_merged_or_kept_is_left_out(tmp_path: Path, mine: dict[str, int]) -> None:
    first, second = library("libfirst.so", defined("f")), library("libsecond.so", defined("f", **mine), refers=("f",))
    assert found(tmp_path, trio(first, second)) == ()


def test_a_weak_definition_takes_no_strong_ones_place_in_the_telling(tmp_path: Path) -> None:
    first = library("libfirst.so", defined("f", binding=Binding.WEAK))
    assert found(tmp_path, trio(first, library("libsecond.so", defined("f"), refers=("f",)))) == ()


def test_an_object_that_looks_at_home_first_keeps_its_own_under_glibc_and_not_under_musl(tmp_path: Path) -> None:
    members = trio(library("libfirst.so", defined("f")), library("libsecond.so", defined("f"), refers=("f",), flags=2))
    assert found(tmp_path, members) == ()
    assert [pair.symbols for pair in found(tmp_path, members, tag="cp311-cp311-musllinux_1_2_x86_64")] == [(b"f",)]


def test_copies_of_one_library_are_no_others(tmp_path: Path) -> None:
    same = (Note(b"GNU\0", 3, bytes(20)),)
    first = library("libfirst.so", defined("f"), notes=same)
    assert found(tmp_path, trio(first, library("libsecond.so", defined("f"), refers=("f",), notes=same))) == ()


def test_the_cxx_runtimes_own_names_are_left_out(tmp_path: Path) -> None:
    name = "_ZSt28__throw_bad_array_new_lengthv"
    first = library("libfirst.so", defined(name), WEAK)
    assert found(tmp_path, trio(first, library("libsecond.so", defined(name), WEAK, refers=(name,)))) == ()


def test_mangled_names_count_where_inline_functions_are_weak(tmp_path: Path) -> None:
    name = "_ZN3foo4openEv"
    first = library("libfirst.so", defined(name), WEAK)
    second = library("libsecond.so", defined(name), WEAK, refers=(name,))
    assert [pair.symbols for pair in found(tmp_path, trio(first, second))] == [(name.encode(),)]


@pytest.mark.parametrize("made_strong", ["_ZGVZN3foo6inlineEvE1n", "_ZTSN3foo3BoxIiEE"])
def test_mangled_names_of_an_object_with_inline_functions_made_strong_are_left_out(tmp_path: Path, made_strong: str) -> None:
    name = "_ZN3foo4openEv"
    first = library("libfirst.so", defined(name), WEAK, defined(made_strong))
    second = library("libsecond.so", defined(name), WEAK, refers=(name,))
    assert found(tmp_path, trio(first, second)) == ()


def test_a_file_that_tells_wrong_hashes_is_believed_no_more_than_by_the_loader(tmp_path: Path) -> None:
    first = library("libfirst.so", defined("f"), gnu_hash=Hash.WRONG)
    assert found(tmp_path, trio(first, library("libsecond.so", defined("f"), refers=("f",)))) == ()


def test_a_programs_copies_of_a_librarys_data_are_meant_to_be_taken(tmp_path: Path) -> None:
    data = defined("table", type=Type.OBJECT, size=8)
    for use, names in ((5, []), (6, [(b"table",)])):
        refers = (Relocation(type=use, symbol="table"),)
        program = Elf(type=ET_EXEC, needed=("libsecond.so",), rpath="$ORIGIN", symbols=(data,), relocations=refers)
        members = {"pkg/tool": write(program), SECOND: library("libsecond.so", data, refers=("table",))}
        assert [pair.symbols for pair in found(tmp_path, members)] == names


def test_what_others_load_first_hangs_on_the_order_of_opening(tmp_path: Path) -> None:
    carrier = Elf(needed=("libsecond.so",), rpath="$ORIGIN", symbols=(defined("PyInit__core"), defined("f")))
    members = {MODULE: write(carrier), SECOND: library("libsecond.so", defined("f"), refers=("f",))}
    assert [pair.path for pair in found(tmp_path, members)] == [MODULE]
    other = "pkg/_other.cpython-311-x86_64-linux-gnu.so"
    plain = Elf(needed=("libsecond.so",), rpath="$ORIGIN", symbols=(defined("PyInit__other"),))
    assert found(tmp_path, {**members, other: write(plain)}) == ()
    as_well = Elf(needed=("libsecond.so",), rpath="$ORIGIN", symbols=(defined("PyInit__other"), defined("f")))
    assert [pair.path for pair in found(tmp_path, {**members, other: write(as_well)})] == [MODULE, other]


_SOURCES = {
    "libfirst.so": "int f(void){return 1;} int g(void){return 1;}",
    "libsecond.so": "int f(void){return 2;} int g(void){return 2;} int ask(void){return 10*f()+g();}",
}


@pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64" or shutil.which("cc") is None, reason="asks this machine's loader"
)
@pytest.mark.parametrize("flags", [(), ("-Wl,-Bsymbolic-functions",)], ids=["as usual", "bound at link time"])
def test_this_machines_loader_agrees(tmp_path: Path, flags: tuple[str, ...]) -> None:
    for name, source in _SOURCES.items():
        path = tmp_path / "pkg" / name
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".c").write_text(source)
        command = ["cc", "-shared", "-fPIC", "-O0", *flags, f"-Wl,-soname,{name}", "-o", str(path), str(path.with_suffix(".c"))]
        subprocess.run(command, check=True)
    module = tmp_path / MODULE
    (tmp_path / "core.c").write_text("int ask(void); int PyInit__core(void){return ask();}")
    where = f"-L{tmp_path / 'pkg'}"
    command = ["cc", "-shared", "-fPIC", "-Wl,--no-as-needed", where, "-Wl,-rpath,$ORIGIN", "-o", str(module)]
    subprocess.run([*command, str(tmp_path / "core.c"), "-lfirst", "-lsecond"], check=True)
    taken = {name: (tmp_path / name).read_bytes() for name in (MODULE, FIRST, SECOND)}
    pairs = found(tmp_path, taken)
    # In a process of its own: a library is known by its SONAME as long as a process lives.
    script = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).PyInit__core())"
    answer = subprocess.run([sys.executable, "-c", script, str(module)], check=True, capture_output=True, text=True).stdout
    assert int(answer) == (22 if flags else 11)
    assert [(pair.object, pair.path, pair.symbols) for pair in pairs] == ([] if flags else [(SECOND, FIRST, (b"f", b"g"))])
