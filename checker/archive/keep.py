"""Keeping some ranges of a stream."""

from __future__ import annotations

from io import BytesIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Keep:
    """Takes a stream chunk by chunk and keeps the ranges that were asked for; grows only as bytes come.

    Attributes:
        last: one past the last wanted byte; a pass may stop there.
        wanted: bytes in all ranges together, as asked for.
    """

    def __init__(self, ranges: Iterable[tuple[int, int]], size: int) -> None:
        """Ranges are ``(offset, size)``, in any order; overlapping ones become one, and ``size`` bounds them."""
        self._ranges = _disjoint(ranges, size)
        # BytesIO gives its buffer away as bytes without a copy.
        self._kept = [BytesIO() for _ in self._ranges]
        self._next = 0
        self.last = self._ranges[-1][1] if self._ranges else 0
        self.wanted = sum(stop - start for start, stop in self._ranges)

    def feed(self, position: int, chunk: bytes) -> None:
        """Take the chunk that stands at ``position``; chunks must come in order."""
        end = position + len(chunk)
        for index in range(self._next, len(self._ranges)):
            start, stop = self._ranges[index]
            if start >= end:
                return
            if start <= position and end <= stop:
                self._kept[index].write(chunk)
            else:
                self._kept[index].write(memoryview(chunk)[max(start - position, 0) : stop - position])
            if stop > end:
                return
            self._next = index + 1

    def parts(self) -> tuple[tuple[int, bytes], ...]:
        """The kept ranges as ``(offset, bytes)``, sorted; shorter than asked for where the stream ended. Ends the keeping."""
        parts = tuple((start, kept.getvalue()) for (start, _), kept in zip(self._ranges, self._kept, strict=True))
        self._kept = []
        return parts


def _disjoint(ranges: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """``(start, stop)`` pairs, sorted, within the file, no two with a byte in common.

    Ranges that only touch stay apart: a reader that asks for exactly one of them gets it without a copy.
    """
    disjoint: list[tuple[int, int]] = []
    for offset, length in sorted(ranges):
        start, stop = max(offset, 0), min(offset + length, size)
        if start >= stop:
            continue
        if disjoint and start < disjoint[-1][1]:
            disjoint[-1] = (disjoint[-1][0], max(disjoint[-1][1], stop))
        else:
            disjoint.append((start, stop))
    return disjoint
