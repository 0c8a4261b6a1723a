"""Imports, self references, and how many symbols there are."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from checker.model.elf import ElfReadError, Use
from tests.elf.conftest import clear_behind
from tests.elfwriter import (
    DEFINED,
    DT,
    MACHINES,
    PPC32,
    S390X,
    Binding,
    Elf,
    Hash,
    NeededVersion,
    Relocation,
    Symbol,
    VersionDefinition,
    VersionNeed,
    Visibility,
    build,
    write,
)
from tests.elfwriter import Machine as Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

ABS64, GLOB_DAT, JUMP_SLOT = 1, 6, 7


def imports(facts: ElfFacts) -> dict[bytes, Use]:
    return {found.name: found.uses for found in facts.each_import()}


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_imports_have_every_column_on_every_machine(machine: Target, read: Read) -> None:
    needs = (VersionNeed("libc.so.6", (NeededVersion("GLIBC_2.34", 5),)),)
    symbols = (
        Symbol(name="local", binding=Binding.LOCAL),
        Symbol(name="strong", version=5),
        Symbol(name="weak", binding=Binding.WEAK, visibility=Visibility.HIDDEN),
        Symbol(name="unique", binding=Binding.GNU_UNIQUE, visibility=Visibility.PROTECTED, version=5, hidden=True),
        Symbol(name="defined", shndx=DEFINED),
    )
    used = (Relocation(type=machine.jump_slot, symbol="strong"),)
    facts = read(write(Elf(machine=machine, symbols=symbols, version_needs=needs, plt_relocations=used)))
    rows = [(i.name, i.version, i.version_index, i.weak, i.visibility, i.uses) for i in facts.each_import()]
    assert rows == [
        (b"strong", b"GLIBC_2.34", 5, False, 0, Use.OTHER if machine is PPC32 else Use.JUMP_SLOT),
        (b"weak", None, 1, True, 2, Use.NONE),
        (b"unique", b"GLIBC_2.34", 5, False, 3, Use.NONE),
    ]
    assert [facts.symbols.name(symbol) for symbol in facts.imports.symbols] == [b"strong", b"weak", b"unique"]


def test_without_a_version_table_every_reference_is_unversioned(read: Read) -> None:
    facts = read(write(Elf(symbols=(Symbol(name="a"),), sysv_hash=Hash.CORRECT)))
    assert facts.symbols.versions is None
    assert [(i.version_index, i.version) for i in facts.each_import()] == [(1, None)]


def test_defined_symbols_that_relocations_name_are_self_references(read: Read) -> None:
    symbols = (
        Symbol(name="here", binding=Binding.LOCAL, shndx=DEFINED),
        Symbol(name="unused", shndx=DEFINED),
        Symbol(name="preemptible", shndx=DEFINED),
        Symbol(name="weakly", binding=Binding.WEAK, shndx=DEFINED),
    )
    relocations = tuple(Relocation(type=ABS64, symbol=name) for name in ("here", "weakly", "preemptible"))
    plt = (Relocation(type=JUMP_SLOT, symbol="preemptible"),)
    facts = read(write(Elf(symbols=symbols, relocations=relocations, plt_relocations=plt)))
    table = facts.symbols
    own = {table.name(s): Use(u) for s, u in zip(facts.self_references, facts.self_uses, strict=True)}
    assert own == {b"preemptible": Use.ABSOLUTE | Use.JUMP_SLOT, b"weakly": Use.ABSOLUTE}
    assert list(facts.self_references) == sorted(facts.self_references)
    assert len(facts.imports) == 0


@pytest.mark.parametrize("table", ["gnu", "sysv"])
def test_each_hash_table_alone_tells_all_exports(table: str, read: Read) -> None:
    symbols = tuple(Symbol(name=f"f{n}", shndx=DEFINED) for n in range(300))
    kinds = (Hash.CORRECT, Hash.ABSENT) if table == "gnu" else (Hash.ABSENT, Hash.CORRECT)
    facts = read(write(Elf(symbols=symbols, gnu_hash=kinds[0], sysv_hash=kinds[1])))
    assert facts.symbols.count == 301
    for symbol in symbols:
        (found,) = facts.symbols.definitions(symbol.name.encode())
        assert found.defined


def test_without_exports_the_relocations_tell_how_many_symbols_there_are(read: Read) -> None:
    symbols = tuple(Symbol(name=name) for name in ("a", "b", "c", "d"))
    relocations = (Relocation(type=GLOB_DAT, symbol="c"),)
    facts = read(write(Elf(symbols=symbols, relocations=relocations)))
    assert imports(facts) == {b"a": Use.NONE, b"b": Use.NONE, b"c": Use.GLOB_DAT}


def test_without_exports_and_relocations_symoffset_tells_how_many_symbols_there_are(read: Read) -> None:
    image = build(Elf(symbols=(Symbol(name="a"), Symbol(name="b"))))
    data = image.patched(".gnu.hash", 4, struct.pack("<I", 3))  # as lld writes it
    assert imports(read(data)) == {b"a": Use.NONE, b"b": Use.NONE}


def test_without_any_hash_table_nothing_is_exported_and_imports_are_read(read: Read) -> None:
    symbols = (Symbol(name="a"), Symbol(name="exported", shndx=DEFINED))
    relocations = (Relocation(type=GLOB_DAT, symbol="a"),)
    facts = read(write(Elf(symbols=symbols, relocations=relocations, gnu_hash=Hash.ABSENT)))
    assert imports(facts) == {b"a": Use.GLOB_DAT}
    assert facts.symbols.definitions(b"exported") == ()


def test_a_wrong_hash_table_leads_to_nothing(read: Read) -> None:
    symbols = (Symbol(name="f", shndx=DEFINED),)
    for state in (Hash.EMPTY, Hash.WRONG):
        assert read(write(Elf(symbols=symbols, gnu_hash=state))).symbols.definitions(b"f") == ()


def test_both_widths_of_the_sysv_table_are_read_on_s390x(read: Read) -> None:
    image = build(Elf(machine=S390X, symbols=(Symbol(name="f", shndx=DEFINED),), gnu_hash=Hash.ABSENT, sysv_hash=Hash.CORRECT))
    wide = struct.unpack(
        f">{image.parts['.hash'].size // 8}Q", image.data[image.parts[".hash"].offset :][: image.parts[".hash"].size]
    )
    narrow = image.patched(".hash", 0, struct.pack(f">{len(wide)}I", *wide))  # as lld writes it
    for data in (image.data, narrow):
        (found,) = read(data).symbols.definitions(b"f")
        assert found.symbol == 1


def test_a_sysv_table_without_buckets_is_no_fault(read: Read) -> None:
    image = build(Elf(gnu_hash=Hash.ABSENT, sysv_hash=Hash.CORRECT))
    assert read(image.patched(".hash", 0, bytes(4))).symbols.definitions(b"f") == ()


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (0, 0, "the GNU hash table has no buckets"),
        (0, 1 << 20, "the GNU hash table is larger than"),
        (0, 1 << 30, "the GNU hash table has more than 4194304 buckets or words of its filter"),
        (4, 1 << 31, "the GNU hash table begins beyond the"),
        (8, 0, "no power of two: 0"),
        (8, 3, "no power of two: 3"),
        (8, 1 << 20, "the GNU hash table is larger than"),
        (8, 1 << 31, "the GNU hash table has more than 4194304 buckets or words of its filter"),
        (24, 1 << 31, "a chain of the GNU hash table does not end within the"),
    ],
)
def test_a_gnu_hash_table_that_leads_astray_is_a_read_error(offset: int, value: int, message: str, read: Read) -> None:
    image = build(Elf(symbols=(Symbol(name="f", shndx=DEFINED),)))
    with pytest.raises(ElfReadError, match=message):
        read(image.patched(".gnu.hash", offset, struct.pack("<I", value)))


@pytest.mark.parametrize("kind", ["gnu_hash", "sysv_hash"])
def test_a_table_without_end_is_a_read_error(kind: str, read: Read) -> None:
    symbols = (Symbol(name="f", shndx=DEFINED),)
    states = {"gnu_hash": Hash.ABSENT, "sysv_hash": Hash.ABSENT} | {kind: Hash.ENDLESS}
    with pytest.raises(ElfReadError, match=r"hash table .* symbols"):
        read(write(Elf(symbols=symbols, gnu_hash=states["gnu_hash"], sysv_hash=states["sysv_hash"])))


def test_a_relocation_of_a_symbol_beyond_the_table_is_a_read_error_that_names_it(read: Read) -> None:
    image = build(Elf(symbols=(Symbol(name="a"),), relocations=(Relocation(type=GLOB_DAT, symbol="a"),)))
    data = image.patched(".rela.dyn", 8, struct.pack("<Q", 123456 << 32 | GLOB_DAT))
    with pytest.raises(
        ElfReadError, match="a relocation refers to symbol 123456, beyond the 2 symbols there is room for"
    ) as caught:
        read(data)
    assert caught.value.offset == image.parts[".rela.dyn"].offset


def test_a_relocation_that_names_a_symbol_without_a_symbol_table_is_a_read_error(read: Read) -> None:
    image = build(Elf(relocations=(Relocation(type=GLOB_DAT, symbol=0),), gnu_hash=Hash.ABSENT))
    data = image.patched(".rela.dyn", 8, struct.pack("<Q", 1 << 32 | GLOB_DAT))
    symtab = data.index(struct.pack("<QQ", DT.SYMTAB, image.parts[".dynsym"].address))
    without = data[:symtab] + struct.pack("<Q", 0x6FFFFEF9) + data[symtab + 8 :]
    with pytest.raises(ElfReadError, match="beyond the 0 symbols"):
        read(without)


def test_an_imports_name_outside_the_string_table_is_a_read_error(read: Read) -> None:
    image = build(Elf(symbols=(Symbol(name="a"), Symbol(name="z", shndx=DEFINED))))
    with pytest.raises(ElfReadError, match=r"a symbol's name has no end within the string table of \d+ bytes: 7777") as caught:
        read(image.patched(".dynsym", 24, struct.pack("<I", 7777)))
    assert caught.value.offset == image.parts[".dynsym"].offset


def test_a_name_of_any_bytes_stays_bytes(read: Read) -> None:
    image = build(Elf(symbols=(Symbol(name="XY"), Symbol(name="z", shndx=DEFINED))))
    assert read(image.data.replace(b"XY\0", b"\xff\x01\0")).imports.names == (b"\xff\x01",)


def test_names_that_overlap_without_end_are_refused_before_they_fill_the_memory(read: Read) -> None:
    count, length = 3000, 1 << 16
    symbols = (Symbol(name="x" * length), *(Symbol(name="") for _ in range(count)), Symbol(name="f", shndx=DEFINED))
    image = build(Elf(symbols=symbols))
    data = bytearray(image.data)
    start = image.parts[".dynsym"].offset
    for symbol in range(1, count):
        struct.pack_into("<I", data, start + symbol * 24, 1)
    with pytest.raises(ElfReadError, match="overlap in the string table"):
        read(bytes(data))


def test_tail_merged_names_are_read_whole(read: Read) -> None:
    symbols = (Symbol(name="prefix_name"), Symbol(name="name"), Symbol(name="z", shndx=DEFINED))
    assert set(read(write(Elf(symbols=symbols, tail_merge=True))).imports.names) == {b"prefix_name", b"name"}


def test_versions_of_definitions_carry_the_hidden_bit(read: Read) -> None:
    definitions = (VersionDefinition("x", 1, 1), VersionDefinition("V1", 2), VersionDefinition("V2", 3))
    symbols = (
        Symbol(name="f", shndx=DEFINED, version=2, hidden=True),
        Symbol(name="f", shndx=DEFINED, version=3),
    )
    facts = read(write(Elf(symbols=symbols, version_definitions=definitions)))
    found = {(d.version, d.index, d.hidden) for d in facts.symbols.definitions(b"f")}
    assert found == {(b"V1", 2, True), (b"V2", 3, False)}


def test_entry_0_is_no_symbol_whatever_it_holds(read: Read) -> None:
    image = build(Elf(symbols=(Symbol(name="a"), Symbol(name="z", shndx=DEFINED)), relocations=(Relocation(type=GLOB_DAT),)))
    for section in (0, DEFINED):
        facts = read(image.patched(".dynsym", 4, struct.pack("<BBH", Binding.GLOBAL << 4, 0, section)))
        assert facts.imports.names == (b"a",)
        assert list(facts.self_references) == []


def test_a_version_table_that_leaves_its_segment_is_a_read_error(read: Read) -> None:
    definitions = (VersionDefinition("V1", 2),)
    symbols = (Symbol(name="f", shndx=DEFINED, version=2),)
    image = clear_behind(build(Elf(symbols=symbols, version_definitions=definitions, text=bytes(16))))
    old = struct.pack("<QQ", DT.VERSYM, image.parts[".gnu.version"].address)
    text = image.parts[".text"]
    moved = image.data.replace(old, struct.pack("<QQ", DT.VERSYM, text.address + text.size - 3))
    assert moved != image.data
    with pytest.raises(ElfReadError, match=r"the version table .* is larger than the 3 bytes left of its segment: 4"):
        read(moved)
