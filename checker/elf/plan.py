"""Which ranges of a file to keep while it is streamed once, so that the reader finds all its tables."""

from __future__ import annotations

from checker.elf.header import MAGIC, read_header, read_segments
from checker.elf.notes import PT_GNU_PROPERTY, PT_NOTE
from checker.elf.source import PT_LOAD
from checker.model.elf import ElfReadError
from checker.model.sparse import RangeMissing, SparseBytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.elf.header import Header
    from checker.model.elf import Segment

_MIB = 1 << 20
WHOLE_FILE = 8 * _MIB
"""Files up to this size are kept whole: choosing would save little."""
_PREFIX = 16 * _MIB
"""At most this much of the first segment: there the linkers put symbols, strings, hashes, versions and relocations."""
_APPENDED = 64 * _MIB
"""At most this much of an appended segment, and of everything together."""
_SMALL = 1 << 16
_PT_DYNAMIC = 2
_PT_INTERP = 3
_PF_X = 1
_PF_W = 2


def plan(head: bytes, size: int) -> tuple[tuple[int, int], ...] | None:
    """The ranges to keep of a file, as ``(offset, size)`` pairs: sorted, disjoint, within the file, 64 MiB at most in all.

    What turns out to be missing nevertheless, the reader asks for with :class:`~checker.model.sparse.RangeMissing`.

    Args:
        head: the first 64 KiB of the file or more; all of a smaller file.
        size: bytes of the whole file.

    Returns:
        ``None`` for a file that is no ELF file.
    """
    if not head.startswith(MAGIC):
        return None
    if size <= WHOLE_FILE:
        return ((0, size),)
    content = SparseBytes(size=size, parts=((0, head),))
    try:
        header = read_header(content)
        segments = read_segments(content, header)
    except RangeMissing as missing:
        # Program headers beyond the head: with them the reader can ask for the rest in a second pass.
        return _joined([(0, len(head)), (missing.offset, missing.offset + missing.size)], size)
    except ElfReadError:
        return _joined([(0, len(head))], size)
    wanted = [(0, len(head)), *_extras(header, segments), *_tables(segments, size)]
    return _joined(wanted, size)


def _extras(header: Header, segments: tuple[Segment, ...]) -> Iterator[tuple[int, int]]:
    """``(start, end)`` of small things: PT_DYNAMIC, PT_INTERP, notes, and section headers with what lies around them."""
    for segment in segments:
        if segment.type in (_PT_DYNAMIC, _PT_INTERP, PT_NOTE, PT_GNU_PROPERTY):
            yield segment.offset, segment.offset + min(segment.file_size, _MIB)
    if header.section_headers:
        count = header.section_header_count or 1
        end = header.section_headers + count * header.section_header_size
        # .comment follows the loaded bytes, and the section names precede the section headers.
        yield header.section_headers - _SMALL, end
        last = max((s.offset + s.file_size for s in segments if s.type == PT_LOAD), default=0)
        yield last, last + _SMALL


def _tables(segments: tuple[Segment, ...], size: int) -> Iterator[tuple[int, int]]:
    """``(start, end)`` of the segments that hold what PT_DYNAMIC points to."""
    loads = sorted((s for s in segments if s.type == PT_LOAD and s.file_size), key=lambda s: s.offset)
    if not loads:
        return
    first = loads[0]
    # A first segment that also holds the code (ld -z noseparate-code) begins with the tables, seldom a third of the file.
    length = max(size // 3, _MIB) if first.flags & _PF_X else first.file_size
    yield first.offset, first.offset + min(length, first.file_size, _PREFIX)
    writable = [s for s in loads if s.flags & _PF_W]
    for segment in writable[1:]:
        # Tools that change run paths (patchelf) append a segment for the tables that grew. It has no zero-filled tail, unlike
        # the second data segment of lld.
        if segment.file_size == segment.memory_size:
            yield segment.offset, segment.offset + min(segment.file_size, _APPENDED)


def _joined(ranges: Iterable[tuple[int, int]], size: int) -> tuple[tuple[int, int], ...]:
    """``(start, end)`` pairs as ``(offset, size)``: sorted, joined, within the file, and cut where the limit is reached."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted((max(start, 0), min(end, size)) for start, end in ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        elif start < end:
            joined.append((start, end))
    left = _APPENDED
    kept = []
    for start, end in joined:
        length = min(end - start, left)
        left -= length
        if length:
            kept.append((start, length))
    return tuple(kept)
