"""Ways for these tests to come by facts."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from checker.elf import plan, read_elf
from checker.model.sparse import RangeMissing, SparseBytes
from tests.elfwriter import PF_R, PF_X

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts
    from tests.elfwriter.spec import Image


MOST_PASSES = 8  # after the first, as the archive layer allows


def read_planned(data: bytes) -> ElfFacts:
    """Read a file as the program does: what the plan keeps, then what the reader asks for."""
    ranges = plan(data[: 1 << 16], len(data)) or ()
    content = SparseBytes(size=len(data), parts=tuple((start, data[start : start + size]) for start, size in ranges))
    passes = 0
    while True:
        try:
            return read_elf("x.so", content)
        except RangeMissing as missing:
            content = content.with_part(missing.offset, data[missing.offset : missing.offset + missing.size])
        passes += 1
        assert passes <= MOST_PASSES


def clear_behind(image: Image) -> Image:
    """With a byte of zeros behind the segment of the tables in memory: the loader then clears the rest of its last page."""
    data = bytearray(image.data)
    for header in range(64, 64 + 56 * struct.unpack_from("<H", data, 56)[0], 56):
        if struct.unpack_from("<II", data, header) == (1, PF_R | PF_X):
            (size,) = struct.unpack_from("<Q", data, header + 32)
            struct.pack_into("<Q", data, header + 40, size + 1)
    return replace(image, data=bytes(data))


@pytest.fixture(scope="session")
def read() -> Callable[[bytes], ElfFacts]:
    """Bytes of a file → its facts."""
    return read_planned
