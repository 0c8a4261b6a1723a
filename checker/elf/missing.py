"""What to ask for when a table was not kept: all missing tables that lie close together, not one after another."""

from __future__ import annotations

from checker.elf import dynamic as dyn
from checker.elf.dynamic import TABLES
from checker.model.elf import ElfReadError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.elf.dynamic import Dynamic
    from checker.elf.source import Source

_SIZE_TAGS = {
    dyn.DT_STRTAB: dyn.DT_STRSZ,
    dyn.DT_RELA: dyn.DT_RELASZ,
    dyn.DT_REL: dyn.DT_RELSZ,
    dyn.DT_JMPREL: dyn.DT_PLTRELSZ,
}
_GAP = 1 << 18
"""Missing ranges that lie nearer than this to one another are asked for as one."""
_LARGEST_GUESS = 1 << 26
"""Bytes that a table whose size is not told is taken to have at most."""


def missing_tables(source: Source, dynamic: Dynamic) -> tuple[int, int] | None:
    """``(offset, size)`` of the first group of tables that were not kept; ``None`` when all were.

    A pass over a compressed member costs the same for one range and for several. Tables outside the file are left to the
    reading itself, which reports them properly.
    """
    missing = sorted((start, start + size) for start, size in _tables(source, dynamic) if not _is_kept(source, start, size))
    if not missing:
        return None
    first, end = missing[0]
    for start, other_end in missing[1:]:
        if start > end + _GAP:
            break
        end = max(end, other_end)
    return first, end - first


def _is_kept(source: Source, offset: int, size: int) -> bool:
    return any(start <= offset and offset + size <= start + len(part) for start, part in source.content.parts)


def _tables(source: Source, dynamic: Dynamic) -> Iterator[tuple[int, int]]:
    """``(offset, size)`` of each table; where no tag tells its size, up to the table that follows it."""
    starts = {tag: address for tag in TABLES if (address := dynamic.get(tag)) is not None}
    for tag, address in starts.items():
        try:
            offset, room = source.locate(address, "a table", dynamic.where(tag))
        except ElfReadError:
            continue
        room = min(room, source.content.size - offset)
        if tag in _SIZE_TAGS:
            size = dynamic.get(_SIZE_TAGS[tag]) or 0
        else:
            followers = [other - address for other in starts.values() if other > address]
            size = min([_LARGEST_GUESS, room, *followers])
        if 0 < size <= room:
            yield offset, size
