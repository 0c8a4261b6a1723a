"""Ways for these tests to come by facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.elf import plan, read_elf
from checker.model.sparse import RangeMissing, SparseBytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts


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


@pytest.fixture(scope="session")
def read() -> Callable[[bytes], ElfFacts]:
    """Bytes of a file → its facts."""
    return read_planned
