"""What a file lacks at its end that no loader reads."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from checker.model.elf import CutPart, ElfReadError
from tests.elfwriter import I686, S390X, SHT, X86_64, Elf, Section, build
from tests.elfwriter import Machine as Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

SECTIONS = (Section(".comment", b"GCC\0"), Section(".symtab", bytes(48), SHT.SYMTAB))


@pytest.mark.parametrize("machine", [X86_64, I686, S390X], ids=lambda machine: machine.name)
def test_a_whole_file_lacks_nothing(read: Read, machine: Target) -> None:
    assert read(build(Elf(machine=machine, sections=SECTIONS)).data).cut == ()
    assert read(build(Elf(machine=machine)).data).cut == ()


@pytest.mark.parametrize("machine", [X86_64, I686, S390X], ids=lambda machine: machine.name)
def test_a_section_header_table_that_ends_beyond_the_file_is_told(read: Read, machine: Target) -> None:
    data = build(Elf(machine=machine, sections=SECTIONS)).data
    start, count = _table(data, machine)
    facts = read(data[:-1])
    assert facts.cut == (CutPart(what="section header table", offset=start, size=count * (64 if machine.bits == 64 else 40)),)
    assert facts.comment == ()


def test_sections_that_end_beyond_the_file_are_told_by_name(read: Read) -> None:
    data = bytearray(build(Elf(sections=SECTIONS)).data)
    start, count = _table(data, X86_64)
    _, length = _set_sizes(data, start, count, SHT.SYMTAB, len(data))
    facts = read(bytes(data))
    assert [(part.what, part.size) for part in facts.cut] == [(".symtab", length)]
    assert facts.comment == ("GCC",)


def test_without_section_names_sections_go_by_number_and_many_are_cut_down(read: Read) -> None:
    many = tuple(Section(f".s{number}", b"x") for number in range(100))
    data = bytearray(build(Elf(sections=many)).data)
    start, count = _table(data, X86_64)
    for position in range(count):
        struct.pack_into("<Q", data, start + position * 64 + 32, len(data))
    facts = read(bytes(data))
    assert len(facts.cut) == 32
    assert facts.cut[0].what.startswith("section ")


def test_sections_without_bytes_in_the_file_lack_none(read: Read) -> None:
    data = bytearray(build(Elf(sections=SECTIONS)).data)
    start, count = _table(data, X86_64)
    position, _ = _set_sizes(data, start, count, SHT.SYMTAB, 1 << 40)
    struct.pack_into("<I", data, start + position * 64 + 4, 8)
    assert read(bytes(data)).cut == ()


def test_segments_that_only_tools_read_are_told_and_loadable_ones_refused(read: Read) -> None:
    facts = read(build(Elf(segments=((0x6FFFFFFA, 4, 0x100000, 0, 16),))).data)
    assert facts.cut == (CutPart(what="segment of type 0x6ffffffa", offset=0x100000, size=16),)
    with pytest.raises(ElfReadError, match="cut short"):
        read(build(Elf(segments=((1, 4, 0x100000, 0x100000, 16),))).data)


def _table(data: bytes | bytearray, machine: Target) -> tuple[int, int]:
    """``e_shoff`` and ``e_shnum``."""
    wide = machine.bits == 64
    (start,) = struct.unpack_from(machine.order + ("Q" if wide else "I"), data, 40 if wide else 32)
    (count,) = struct.unpack_from(machine.order + "H", data, 60 if wide else 48)
    return start, count


def _set_sizes(data: bytearray, start: int, count: int, kind: int, size: int) -> tuple[int, int]:
    """Give the first section of a type another ``sh_size``; its position and the size."""
    for position in range(count):
        if struct.unpack_from("<I", data, start + position * 64 + 4) == (kind,):
            struct.pack_into("<Q", data, start + position * 64 + 32, size)
            return position, size
    raise AssertionError(kind)
