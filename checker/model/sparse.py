"""Bytes of a file of which only some ranges were kept.

The archive layer fills it while it streams a member; the ELF reader asks it for the ranges that the tables occupy.
"""

from __future__ import annotations

from checker.model.record import record


class RangeMissing(Exception):
    """A range inside the file was asked for that was not kept: a second pass over the member can bring it.

    Attributes:
        offset: first byte wanted, from the start of the file.
        size: number of bytes wanted.
    """

    def __init__(self, offset: int, size: int) -> None:
        super().__init__(offset, size)
        self.offset = offset
        self.size = size


@record
class SparseBytes:
    """Some ranges of a file.

    Attributes:
        size: the file's whole size in bytes, as it was streamed (not as an archive's header claims).
        parts: ``(offset, bytes)`` pairs, sorted by offset; they may overlap.
    """

    size: int
    parts: tuple[tuple[int, bytes], ...]

    def read(self, offset: int, size: int) -> bytes:
        """The bytes ``[offset, offset + size)``.

        Raises:
            EOFError: the range does not lie within the file.
            RangeMissing: the range lies within the file and was not kept.
        """
        if offset < 0 or size < 0 or offset + size > self.size:
            raise EOFError(offset, size)
        for start, part in self.parts:
            if start <= offset and offset + size <= start + len(part):
                if start == offset and size == len(part):
                    return part
                return part[offset - start : offset - start + size]
        if size == 0:
            return b""
        raise RangeMissing(offset, size)

    def with_part(self, offset: int, part: bytes) -> SparseBytes:
        """The same file with one more kept range."""
        return SparseBytes(size=self.size, parts=tuple(sorted((*self.parts, (offset, part)))))
