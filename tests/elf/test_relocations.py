"""Relocation tables and types."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checker.elf.relocation_types import relocation_name, uses_of
from checker.model.elf import ElfReadError, Machine, Use
from tests.elf.oracle import use_of_name, uses_in
from tests.elfwriter import (
    AARCH64,
    DT,
    I686,
    LOONGARCH64,
    MACHINES,
    PPC32,
    RISCV64,
    S390X,
    X86_64,
    Elf,
    Relocation,
    Symbol,
    build,
    write,
)
from tests.elfwriter import Machine as Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

ELF_H = Path("/usr/include/elf.h")
KNOWN = (
    Machine.EM_X86_64,
    Machine.EM_386,
    Machine.EM_AARCH64,
    Machine.EM_ARM,
    Machine.EM_PPC64,
    Machine.EM_S390,
    Machine.EM_RISCV,
    Machine.EM_LOONGARCH,
)


def used(elf: Elf, read: Read) -> dict[bytes, Use]:
    facts = read(write(elf))
    return {facts.symbols.name(symbol): use for symbol, use in uses_in(facts).items()}


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_each_machines_types_are_classed(machine: Target, read: Read) -> None:
    symbols = tuple(Symbol(name=name) for name in ("word", "got", "plt", "relative"))
    relocations = (
        Relocation(type=machine.absolute, symbol="word"),
        Relocation(type=machine.glob_dat, symbol="got"),
        Relocation(type=machine.relative, symbol="relative"),
    )
    elf = Elf(
        machine=machine,
        symbols=symbols,
        relocations=relocations,
        plt_relocations=(Relocation(type=machine.jump_slot, symbol="plt"),),
    )
    got = Use.ABSOLUTE if machine in (RISCV64, LOONGARCH64) else Use.GLOB_DAT
    expected = {b"word": Use.ABSOLUTE, b"got": got, b"plt": Use.JUMP_SLOT}
    if machine is PPC32:  # no machine of manylinux: its types are all unknown, and no reference is lost
        expected = dict.fromkeys((*expected, b"relative"), Use.OTHER)
    assert used(elf, read) == expected
    types = {machine.absolute, machine.glob_dat, machine.relative, machine.jump_slot}
    assert read(write(elf)).relocation_types == tuple(sorted(types))


@pytest.mark.parametrize("machine", [X86_64, I686, AARCH64, S390X], ids=lambda m: m.name)
def test_a_type_that_nobody_knows_is_still_a_use(machine: Target, read: Read) -> None:
    elf = Elf(machine=machine, symbols=(Symbol(name="a"),), relocations=(Relocation(type=251, symbol="a"),))
    assert used(elf, read) == {b"a": Use.OTHER}
    assert read(write(elf)).relocation_types == (251,)


def test_uses_by_several_relocations_are_joined(read: Read) -> None:
    kinds = (1, 6, 16, 17, 18, 36, 5)
    relocations = tuple(Relocation(type=kind, symbol="a") for kind in kinds)
    everything = Use.ABSOLUTE | Use.GLOB_DAT | Use.TLS_MODULE | Use.TLS_OFFSET | Use.TLS_DESCRIPTOR | Use.COPY
    assert used(Elf(symbols=(Symbol(name="a"),), relocations=relocations), read) == {b"a": everything}


def test_relocations_without_a_symbol_refer_to_nothing(read: Read) -> None:
    relocations = tuple(Relocation(type=kind, symbol=0) for kind in (0, 1, 6, 8, 16, 37))
    facts = read(write(Elf(symbols=(Symbol(name="a"),), relocations=relocations)))
    assert uses_in(facts) == {}
    assert facts.relocation_types == (0, 1, 6, 8, 16, 37)


def test_plt_relocations_may_lie_within_the_others(read: Read) -> None:
    symbols = (Symbol(name="a"), Symbol(name="b"))
    image = build(Elf(symbols=symbols, relocations=(Relocation(type=6, symbol="a"), Relocation(type=7, symbol="b"))))
    address = image.parts[".rela.dyn"].address + 24
    entries = ((DT.JMPREL, address), (DT.PLTRELSZ, 24), (DT.PLTREL, DT.RELA))
    elf = Elf(symbols=symbols, relocations=(Relocation(type=6, symbol="a"), Relocation(type=7, symbol="b")), entries=entries)
    assert used(elf, read) == {b"a": Use.GLOB_DAT, b"b": Use.JUMP_SLOT}


def test_both_kinds_of_table_are_read_together(read: Read) -> None:
    # x32 apart, no psABI has both; the loader reads both all the same.
    relocation = struct.pack("<QQ", 0, 2 << 32 | 7)
    draft = Elf(
        symbols=(Symbol(name="a"), Symbol(name="b")),
        relocations=(Relocation(type=6, symbol="a"),),
        text=relocation,
        entries=((DT.REL, 0), (DT.RELSZ, 16), (DT.RELENT, 16)),
    )
    address = build(draft).parts[".text"].address
    data = write(draft).replace(struct.pack("<QQ", DT.REL, 0), struct.pack("<QQ", DT.REL, address))
    facts = read(data)
    assert {facts.symbols.name(s): u for s, u in uses_in(facts).items()} == {b"a": Use.GLOB_DAT, b"b": Use.JUMP_SLOT}


def test_an_empty_table_needs_no_address(read: Read) -> None:
    assert read(write(Elf(entries=((DT.RELA, 1 << 60), (DT.RELASZ, 0))))).relocation_types == ()


def test_the_size_of_plt_relocations_must_be_whole_too(read: Read) -> None:
    image = build(Elf(symbols=(Symbol(name="a"),), plt_relocations=(Relocation(type=7, symbol="a"),)))
    data = image.data.replace(struct.pack("<QQ", DT.PLTRELSZ, 24), struct.pack("<QQ", DT.PLTRELSZ, 25))
    with pytest.raises(ElfReadError, match="no multiple of a relocation's size: 25"):
        read(data)


@pytest.mark.parametrize("machine", KNOWN, ids=str)
def test_every_type_has_the_class_that_its_name_tells(machine: Machine) -> None:
    for kind, use in uses_of(machine).items():
        name = relocation_name(machine, kind)
        if "16" in name and "TPREL" in name:
            assert use == Use.TLS_OFFSET
        else:
            assert use == use_of_name(name), name


@pytest.mark.skipif(not ELF_H.is_file(), reason="/usr/include/elf.h (Debian: libc6-dev) is not here")
@pytest.mark.parametrize("machine", KNOWN, ids=str)
def test_names_and_numbers_are_those_of_elf_h(machine: Machine) -> None:
    pairs = re.findall(r"^#define\s+(R_\w+)\s+(\d+|R_\w+)\s", ELF_H.read_text("utf-8"), re.MULTILINE)
    values = dict(pairs)
    known = {name: int(values.get(value, value)) for name, value in pairs}
    ours = {relocation_name(machine, kind): kind for kind in uses_of(machine)}
    shared = {name: kind for name, kind in ours.items() if name in known}
    assert shared == {name: known[name] for name in shared}
    assert len(shared) >= len(ours) - 2  # types that are younger than an old header


def test_an_unknown_type_prints_as_its_number() -> None:
    assert relocation_name(Machine.EM_X86_64, 251) == "251"
    assert relocation_name(Machine(0x1234), 7) == "7"
