"""Which ranges are kept, and how the reader asks for the rest."""

from __future__ import annotations

import struct
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from checker.elf import plan, read_elf
from checker.model.sparse import RangeMissing, SparseBytes
from tests.elfwriter import (
    DEFINED,
    PF_R,
    PF_W,
    PF_X,
    Elf,
    NeededVersion,
    Relocation,
    Section,
    Symbol,
    VersionNeed,
    build,
    build_id,
    write,
)

if TYPE_CHECKING:
    from checker.model.elf import ElfFacts

MIB = 1 << 20
HEAD = 1 << 16
PT_LOAD = 1

RICH = Elf(
    interpreter="/lib/ld.so",
    needed=("libc.so.6",),
    symbols=(Symbol(name="a", version=2), Symbol(name="f", shndx=DEFINED)),
    version_needs=(VersionNeed("libc.so.6", (NeededVersion("V", 2),)),),
    relocations=(Relocation(type=6, symbol="a"),),
    plt_relocations=(Relocation(type=7, symbol="a"),),
    notes=(build_id(b"\1"),),
    sections=(Section(".comment", b"GCC\0"),),
)


def kept(data: bytes) -> SparseBytes:
    """What one pass keeps."""
    ranges = plan(data[:HEAD], len(data)) or ()
    return SparseBytes(size=len(data), parts=tuple((start, data[start : start + size]) for start, size in ranges))


def read_with_further_passes(data: bytes, content: SparseBytes) -> tuple[ElfFacts, list[tuple[int, int]]]:
    """The facts, and each range that was asked for."""
    asked: list[tuple[int, int]] = []
    while True:
        try:
            return read_elf("x.so", content), asked
        except RangeMissing as missing:  # noqa: PERF203 - each pass is one call
            asked.append((missing.offset, missing.size))
            content = content.with_part(missing.offset, data[missing.offset : missing.offset + missing.size])


def moved(image: bytes, by: int) -> bytes:
    """The same file with everything after its first segment's headers ``by`` bytes further down, as if code lay between.

    Segment and section offsets move; addresses stay.
    """
    count = struct.unpack_from("<H", image, 56)[0]
    end = 64 + 56 * count
    data = bytearray(image[:end] + bytes(by) + image[end:])
    struct.pack_into("<Q", data, 40, struct.unpack_from("<Q", image, 40)[0] + by)
    sections, number = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    for header in range(sections + 64, sections + 64 * number, 64):
        struct.pack_into("<Q", data, header + 24, struct.unpack_from("<Q", data, header + 24)[0] + by)
    for header in range(64, end, 56):
        offset, address = struct.unpack_from("<QQ", image, header + 8)
        size = struct.unpack_from("<Q", image, header + 32)[0]
        if offset == 0 and size > end:  # the first PT_LOAD: from the end of the headers on
            struct.pack_into("<QQ", data, header + 8, end + by, address + end)
            struct.pack_into("<Q", data, header + 32, size - end)
        elif offset >= end:
            struct.pack_into("<Q", data, header + 8, offset + by)
    return bytes(data)


def test_no_elf_file_is_not_kept() -> None:
    assert plan(b"PK\3\4", 4) is None
    assert plan(b"", 0) is None


@pytest.mark.parametrize("size", [4, 65536, 8 * MIB])
def test_a_small_file_is_kept_whole_even_when_it_is_broken(size: int) -> None:
    assert plan(b"\x7fELF".ljust(min(size, HEAD), b"\xff"), size) == ((0, size),)


def test_of_a_large_file_with_a_broken_header_only_the_head_is_kept() -> None:
    assert plan(b"\x7fELF".ljust(HEAD, b"\xff"), 9 * MIB) == ((0, HEAD),)


def test_tables_at_the_start_of_a_large_file_need_one_pass() -> None:
    data = write(replace(RICH, text=bytes(12 * MIB)))
    content = kept(data)
    facts = read_elf("x", content)
    assert (facts.needed, facts.notes.build_id, len(facts.imports), facts.interpreter) == (
        ("libc.so.6",),
        "01",
        1,
        "/lib/ld.so",
    )
    assert facts.comment == ("GCC",)
    assert sum(len(part) for _, part in content.parts) < 5 * MIB


def test_an_appended_segment_is_kept() -> None:
    image = build(replace(RICH, sections=None, text=bytes(9 * MIB)))
    address, size = 1 << 30, MIB
    table = image.data[image.parts[".dynstr"].offset :][: image.parts[".dynstr"].size]
    grown = replace(
        RICH, sections=None, text=bytes(9 * MIB), segments=((PT_LOAD, PF_R | PF_W, len(image.data), address, size),)
    )
    data = write(grown)
    data = write(replace(grown, segments=((PT_LOAD, PF_R | PF_W, len(data), address, size),))) + table.ljust(size, b"\0")
    strtab = build(grown).parts[".dynstr"].address
    data = data.replace(struct.pack("<QQ", 5, strtab), struct.pack("<QQ", 5, address))
    assert read_elf("x", kept(data)).needed == ("libc.so.6",)


def test_a_data_segment_with_a_zero_filled_tail_is_not_taken_for_an_appended_one() -> None:
    data = bytearray(write(Elf(segments=((PT_LOAD, PF_R | PF_W, 20 * MIB, 20 * MIB, 5 * MIB),))))
    size = 30 * MIB
    assert (20 * MIB, 5 * MIB) in (plan(bytes(data).ljust(HEAD, b"\0"), size) or ())
    last = 64 + 56 * (struct.unpack_from("<H", data, 56)[0] - 1)
    struct.pack_into("<Q", data, last + 40, 6 * MIB)  # p_memsz
    assert (20 * MIB, 5 * MIB) not in (plan(bytes(data).ljust(HEAD, b"\0"), size) or ())


def test_a_first_segment_is_kept_up_to_16_mib_and_to_a_third_of_the_file_when_it_holds_the_code() -> None:
    data = bytearray(write(Elf()))
    first = next(h for h in range(64, 400, 56) if struct.unpack_from("<I", data, h)[0] == PT_LOAD)
    struct.pack_into("<Q", data, first + 32, 29 * MIB)
    for flags, size, expected in ((PF_R, 90 * MIB, 16), (PF_R | PF_X, 30 * MIB, 10), (PF_R | PF_X, 90 * MIB, 16)):
        struct.pack_into("<I", data, first + 4, flags)
        ranges = plan(bytes(data).ljust(HEAD, b"\0"), size)
        assert ranges is not None
        assert ranges[0] == (0, expected * MIB)


def test_tables_that_were_not_kept_are_asked_for_together() -> None:
    image = write(RICH)
    data = moved(image, 40 * MIB)
    content = SparseBytes(size=len(data), parts=((0, data[:HEAD]),))
    facts, asked = read_with_further_passes(data, content)
    expected = read_elf("x.so", SparseBytes(size=len(image), parts=((0, image),)))
    assert (facts.needed, facts.imports, facts.notes) == (expected.needed, expected.imports, expected.notes)
    assert len(asked) <= 5  # PT_DYNAMIC, the tables, PT_INTERP, notes, section headers
    assert all(size < MIB for _, size in asked)


def test_program_headers_beyond_the_head_are_asked_for() -> None:
    data = bytearray(write(replace(RICH, text=bytes(9 * MIB))))
    count = struct.unpack_from("<H", data, 56)[0]
    headers = bytes(data[64 : 64 + 56 * count])
    struct.pack_into("<Q", data, 32, len(data))
    data += headers
    assert plan(bytes(data[:HEAD]), len(data)) == ((0, HEAD), (len(data) - len(headers), len(headers)))


def test_ranges_are_sorted_disjoint_within_the_file_and_bounded_for_hostile_segments() -> None:
    size = 1 << 40
    segments = tuple((PT_LOAD, PF_R | PF_W, n << 25, n << 25, 1 << 36) for n in range(300))
    ranges = plan(write(Elf(segments=segments))[:HEAD].ljust(HEAD, b"\0"), size)
    assert ranges is not None
    assert sum(length for _, length in ranges) <= 64 * MIB
    for (start, length), (following, _) in pairwise(ranges):
        assert start + length <= following


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_a_hostile_size_of_a_small_part_keeps_little(kind: int) -> None:
    head = write(Elf(segments=((kind, PF_R, 1 << 30, 1 << 30, 1 << 50),)))[:HEAD].ljust(HEAD, b"\0")
    ranges = plan(head, 1 << 40)
    assert ranges is not None
    assert sum(length for _, length in ranges) <= 2 * MIB
