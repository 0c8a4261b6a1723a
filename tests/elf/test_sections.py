"""What section headers tell of symbols and debug information that no loader reads."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from checker.elf import plan, read_elf
from checker.model.elf import Strippable
from checker.model.sparse import RangeMissing, SparseBytes
from tests.elfwriter import MACHINES, SHT, Elf, Section, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

KIB = 1 << 10
MIB = 1 << 20
ET_REL = 1
SYMBOLS = (Section(".symtab", bytes(480), SHT.SYMTAB, link=".strtab"), Section(".strtab", bytes(1000), SHT.STRTAB))
DEBUG = (Section(".debug_info", bytes(3000)), Section(".zdebug_line", bytes(40)), Section(".comment", b"GCC\0"))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_symbols_with_their_strings_and_debug_sections_are_summed(machine: object, read: Read) -> None:
    facts = read(write(Elf(machine=machine, sections=(*SYMBOLS, *DEBUG))))  # type: ignore[arg-type]
    assert facts.strippable == Strippable(symbols=1480, debug=3040)


def test_a_file_with_neither_or_without_section_headers_has_nothing_to_strip(read: Read) -> None:
    for sections in ((), (Section(".comment", b"GCC\0"), Section(".lineage", bytes(99))), None):
        assert read(write(Elf(sections=sections))).strippable == Strippable(symbols=0, debug=0)


def test_relocatable_objects_need_their_symbols(read: Read) -> None:
    assert read(write(Elf(type=ET_REL, sections=SYMBOLS))).strippable == Strippable(symbols=0, debug=0)


@pytest.mark.parametrize(("offset", "value"), [(40, 1 << 60), (58, 7), (60, 0xFFFF), (62, 0xFFFE)])
def test_section_headers_that_cannot_be_read_are_not_taken_for_a_stripped_file(offset: int, value: int, read: Read) -> None:
    data = bytearray(write(Elf(sections=SYMBOLS)))
    data[offset : offset + (8 if offset == 40 else 2)] = value.to_bytes(8 if offset == 40 else 2, "little")
    assert read(bytes(data)).strippable is None


def test_sizes_that_do_not_fit_into_the_file_do_not_count(read: Read) -> None:
    data = bytearray(write(Elf(sections=(*DEBUG, *SYMBOLS))))
    (headers,) = struct.unpack_from("<Q", data, 40)
    (count,) = struct.unpack_from("<H", data, 60)
    strings = headers + 64 * (count - 2)
    assert struct.unpack_from("<Q", data, strings + 32) == (1000,)
    struct.pack_into("<Q", data, strings + 32, 1 << 62)
    assert read(bytes(data)).strippable == Strippable(symbols=480, debug=3040)
    # Many headers for the same bytes cannot make more than the file holds.
    overlapping = bytearray(write(Elf(sections=(Section(".debug_info", bytes(KIB)),) * 40)))
    (headers,) = struct.unpack_from("<Q", overlapping, 40)
    (count,) = struct.unpack_from("<H", overlapping, 60)
    for number in range(count - 41, count - 1):
        struct.pack_into("<QQ", overlapping, headers + 64 * number + 24, 0, len(overlapping))
    assert read(bytes(overlapping)).strippable == Strippable(symbols=0, debug=len(overlapping))


def first_pass(data: bytes) -> SparseBytes:
    """What is kept of a large file."""
    ranges = plan(data[: 64 * KIB], len(data)) or ()
    return SparseBytes(size=len(data), parts=tuple((start, data[start : start + size]) for start, size in ranges))


def test_symbols_of_a_large_file_need_no_names_and_so_no_second_pass() -> None:
    # As lld orders them: the section names lie before the symbols' own strings, far from the section headers.
    sections = (*DEBUG, *SYMBOLS)
    data = write(Elf(text=bytes(9 * MIB), sections=sections))
    data = moved_names(data)
    assert read_elf("x.so", first_pass(data)).strippable == Strippable(symbols=1480, debug=0)


def test_the_names_of_large_sections_are_asked_for() -> None:
    sections = (Section(".debug_info", bytes(80 * KIB)), *SYMBOLS)
    data = moved_names(write(Elf(text=bytes(9 * MIB), sections=sections)))
    content = first_pass(data)
    with pytest.raises(RangeMissing) as missing:
        read_elf("x.so", content)
    offset, size = missing.value.offset, missing.value.size
    assert size < KIB
    content = content.with_part(offset, data[offset : offset + size])
    assert read_elf("x.so", content).strippable == Strippable(symbols=1480, debug=80 * KIB)


def moved_names(data: bytes) -> bytes:
    """The file with its section names in the middle of the code, which one pass does not keep."""
    image = bytearray(data)
    (headers,) = struct.unpack_from("<Q", image, 40)
    (last,) = struct.unpack_from("<H", image, 62)
    offset, size = struct.unpack_from("<QQ", image, headers + 64 * last + 24)
    middle = 5 * MIB
    image[middle : middle + size] = image[offset : offset + size]
    struct.pack_into("<Q", image, headers + 64 * last + 24, middle)
    return bytes(image)
