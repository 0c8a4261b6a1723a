"""Whatever the bytes are, there are facts or an ``ElfReadError``: no other error, no hang, no memory without end."""

from __future__ import annotations

import struct
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.model.elf import ElfReadError
from tests.elf.conftest import read_planned
from tests.elfwriter import (
    DEFINED,
    DT,
    PF_R,
    Elf,
    Hash,
    Relocation,
    Symbol,
    VersionDefinition,
    VersionNeed,
    build_id,
    write,
    x86_isa_needed,
)
from tests.elfwriter import NeededVersion as Needed

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

PT_LOAD, PT_DYNAMIC = 1, 2
FIXTURES = sorted((Path(__file__).parents[2] / "testdata" / "elf").glob("*.so"))
IMAGE = write(
    Elf(
        needed=("libc.so.6",),
        soname="x.so",
        runpath="$ORIGIN",
        symbols=(Symbol(name="a", version=2), Symbol(name="f", shndx=DEFINED, version=4)),
        version_needs=(VersionNeed("libc.so.6", (Needed("V", 2),)),),
        version_definitions=(VersionDefinition("x.so", 1, 1), VersionDefinition("W", 4)),
        relocations=(Relocation(type=6, symbol="a"),),
        plt_relocations=(Relocation(type=7, symbol="a"),),
        notes=(build_id(b"\1"), x86_isa_needed(2)),
        sysv_hash=Hash.CORRECT,
        relro=True,
        sections=(),
    )
)


def outcome(data: bytes) -> ElfFacts | ElfReadError:
    """Read, and use what was read as the resolver does."""
    try:
        facts = read_planned(data)
    except ElfReadError as error:
        return error
    table = facts.symbols
    for symbol in range(min(table.count, 64)):
        table.definition(symbol)
        table.definitions(table.name(symbol))
    assert len(list(facts.each_import())) == len(facts.imports)
    return facts


def test_an_empty_file_is_a_read_error(read: Read) -> None:
    with pytest.raises(ElfReadError, match="byte 0x0: the file header ends outside the file, which has 0 bytes: 16 bytes"):
        read(b"")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_a_file_cut_at_any_64th_byte_is_read_or_a_read_error(path: Path) -> None:
    data = path.read_bytes()
    whole = outcome(data)
    assert not isinstance(whole, ElfReadError)
    needed = max(segment.offset + segment.file_size for segment in whole.segments if segment.type in {PT_LOAD, PT_DYNAMIC})
    for size in range(0, len(data), 64):
        result = outcome(data[:size])
        assert isinstance(result, ElfReadError) == (size < needed)


def test_a_file_that_lacks_the_last_byte_of_its_last_loadable_segment_is_cut_short() -> None:
    segments = [segment for segment in read_planned(IMAGE).segments if segment.type == PT_LOAD]
    last = max(segments, key=lambda segment: segment.offset + segment.file_size)
    end = last.offset + last.file_size
    assert not isinstance(outcome(IMAGE[:end]), ElfReadError)
    told = outcome(IMAGE[: end - 1])
    assert isinstance(told, ElfReadError)
    assert told.offset == last.offset
    assert str(told).endswith(f"ends outside the file: it is cut short: {end - 1} bytes")


@pytest.mark.parametrize("value", [0x00, 0x41, 0xFF])
def test_any_wrong_byte_is_read_or_a_read_error(value: int) -> None:
    for place in range(len(IMAGE)):
        outcome(IMAGE[:place] + bytes([value]) + IMAGE[place + 1 :])


@pytest.mark.parametrize("value", [0, 1 << 31, 1 << 60, (1 << 64) - 1])
@pytest.mark.parametrize("width", [4, 8])
def test_any_wrong_field_is_read_or_a_read_error(value: int, width: int) -> None:
    garbage = (value & (1 << width * 8) - 1).to_bytes(width, "little")
    for place in range(0, len(IMAGE) - width, width):
        outcome(IMAGE[:place] + garbage + IMAGE[place + width :])


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    path=st.sampled_from(FIXTURES),
    flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 7)), min_size=1, max_size=12),
)
def test_flipped_bits_of_a_real_library_are_read_or_a_read_error(path: Path, flips: list[tuple[float, int]]) -> None:
    data = bytearray(path.read_bytes())
    for place, bit in flips:
        data[int(place * len(data))] ^= 1 << bit
    outcome(bytes(data))


@settings(max_examples=200, deadline=None)
@given(tail=st.binary(max_size=600), ident=st.sampled_from([b"\1\1\1", b"\1\2\1", b"\2\1\1", b"\2\2\1"]))
def test_noise_after_a_true_magic_is_read_or_a_read_error(tail: bytes, ident: bytes) -> None:
    outcome(b"\x7fELF" + ident + tail)


def test_a_large_file_of_nothing_but_claims_costs_neither_time_nor_memory() -> None:
    many = tuple((1, PF_R, 0, n << 12, 1 << 60) for n in range(3000))
    huge = tuple((tag, 1 << 60) for tag in (DT.STRSZ, DT.RELASZ, DT.PLTRELSZ, DT.RELSZ))
    tracemalloc.start()
    started = time.process_time()
    for elf in (
        Elf(segments=many, entries=huge),
        Elf(entries=huge),
        Elf(symbols=(Symbol(name="a"),), gnu_hash=Hash.ENDLESS, sysv_hash=Hash.ENDLESS, text=bytes(8 << 20)),
        Elf(symbols=(Symbol(name="f", shndx=DEFINED),), gnu_hash=Hash.ENDLESS, text=b"\2" * (8 << 20)),
        Elf(entries=((DT.NEEDED, 0),) * 10000),
    ):
        outcome(write(elf))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert time.process_time() - started < 10
    assert peak < 100 << 20


def test_a_file_of_as_many_program_headers_as_can_be_told_is_read() -> None:
    headers = struct.pack("<IIQQQQQQ", 0x60000000, 4, 0, 0, 0, 0, 0, 0) * 0xFFFF
    data = bytearray(write(Elf())[:64]) + headers
    struct.pack_into("<H", data, 56, 0xFFFF)
    facts = outcome(bytes(data))
    assert not isinstance(facts, ElfReadError)
    assert len(facts.segments) == 0xFFFF


def test_note_segments_without_number_cost_no_time(read: Read) -> None:
    headers = b"".join(struct.pack("<IIQQQQQQ", kind, 4, 64, 0, 0, 1 << 21, 0, 8) for kind in (4, 0x6474E553) * 0x7000)
    data = bytearray(write(Elf())[:64]) + headers
    struct.pack_into("<H", data, 56, 0xE000)
    started = time.process_time()
    assert len(read(bytes(data)).notes.others) <= 4096
    assert time.process_time() - started < 5
