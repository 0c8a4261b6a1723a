"""PT_DYNAMIC: the entries, the string table, and where the other tables lie."""

from __future__ import annotations

from checker.model.elf import ElfReadError
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.elf.source import Source
    from checker.model.elf import Segment

DT_NEEDED = 1
DT_PLTRELSZ = 2
DT_HASH = 4
DT_STRTAB = 5
DT_SYMTAB = 6
DT_RELA = 7
DT_RELASZ = 8
DT_RELAENT = 9
DT_STRSZ = 10
DT_SYMENT = 11
DT_SONAME = 14
DT_RPATH = 15
DT_SYMBOLIC = 16
DT_REL = 17
DT_RELSZ = 18
DT_RELENT = 19
DT_PLTREL = 20
DT_TEXTREL = 22
DT_JMPREL = 23
DT_BIND_NOW = 24
DT_RUNPATH = 29
DT_FLAGS = 30
DT_RELRSZ = 35
DT_RELR = 36
DT_GNU_HASH = 0x6FFFFEF5
DT_VERSYM = 0x6FFFFFF0
DT_FLAGS_1 = 0x6FFFFFFB
DT_VERDEF = 0x6FFFFFFC
DT_VERNEED = 0x6FFFFFFE
DT_AUXILIARY = 0x7FFFFFFD
DT_FILTER = 0x7FFFFFFF

TABLES = (DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_REL, DT_JMPREL, DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERNEED)
"""The tags whose values are addresses of tables that are read."""

_LIMIT = 1 << 14
"""Entries that are read at most; real files have some dozens."""
_LONGEST_NAME = 1 << 12
"""PATH_MAX: nothing of a longer name can be opened. The limit also keeps many strings that overlap from growing without end."""
LONGEST_PATH_LIST = 1 << 20
"""For DT_RPATH and DT_RUNPATH, of which a file has one each, and which some systems make long."""


@record
class Dynamic:
    """The dynamic array up to DT_NULL.

    Attributes:
        offset: of the array, in the file.
        entry_size: bytes of an entry.
        entries: (tag, value), in order.
        last: tag → position of its last entry: of a repeated tag the loader keeps the last
            (glibc ``elf/get-dynamic-info.h``).
    """

    offset: int
    entry_size: int
    entries: tuple[tuple[int, int], ...]
    last: dict[int, int]

    def get(self, tag: int) -> int | None:
        """The value of a tag; ``None`` without one."""
        position = self.last.get(tag)
        return None if position is None else self.entries[position][1]

    def every(self, tag: int) -> Iterator[tuple[int, int]]:
        """Each entry of a repeatable tag, as (file offset of the entry, value)."""
        for position, (found, value) in enumerate(self.entries):
            if found == tag:
                yield self.offset + position * self.entry_size, value

    def where(self, tag: int) -> int:
        """File offset of the entry that holds a tag, for messages; the array's own without one."""
        return self.offset + self.last.get(tag, 0) * self.entry_size


NO_DYNAMIC = Dynamic(offset=0, entry_size=0, entries=(), last={})
"""Of a file without PT_DYNAMIC."""


def read_dynamic(source: Source, segment: Segment) -> Dynamic:
    """The entries before the first DT_NULL; what comes after it does not exist for the loader.

    Raises:
        ElfReadError: the array lies outside the file, or does not end.
        RangeMissing: it was not kept.
    """
    # The loader goes by address (glibc elf/dl-load.c: l_ld = p_vaddr), not by p_offset.
    offset, room = source.locate(segment.address, "PT_DYNAMIC", segment.offset)
    record = source.encoding.dynamic_entry
    size = min(segment.file_size, room, _LIMIT * record.size)
    table = source.read(offset, size - size % record.size, "PT_DYNAMIC")
    entries: list[tuple[int, int]] = []
    for tag, value in record.iter_unpack(table):
        if tag == 0:
            break
        entries.append((tag, value))
    else:
        raise ElfReadError(offset, f"PT_DYNAMIC has no DT_NULL within its first {len(entries)} entries")
    last = {tag: position for position, (tag, _) in enumerate(entries)}
    return Dynamic(offset=offset, entry_size=record.size, entries=tuple(entries), last=last)


def table(source: Source, dynamic: Dynamic, tag: int, what: str) -> tuple[int, int] | None:
    """(file offset, bytes that follow in the segment) of the table that a tag points to; ``None`` without the tag.

    Raises:
        ElfReadError: the address lies in no segment.
    """
    address = dynamic.get(tag)
    return None if address is None else source.locate(address, what, dynamic.where(tag))


def sized_table(source: Source, dynamic: Dynamic, tag: int, size_tag: int, what: str) -> tuple[int, int] | None:
    """(file offset, bytes) of a table whose size another tag tells; ``None`` without the table or when it is empty.

    Raises:
        ElfReadError: the size is absent, or goes beyond the segment.
    """
    size = dynamic.get(size_tag)
    if dynamic.get(tag) is None or size == 0:
        return None
    if size is None:
        raise ElfReadError(dynamic.where(tag), f"the dynamic section tells where {what} is and not its size")
    found = table(source, dynamic, tag, what)
    if found is not None and size > found[1]:
        raise ElfReadError(dynamic.where(size_tag), f"{what} is larger than the {found[1]} bytes left of its segment", size)
    return None if found is None else (found[0], size)


@record
class Strings:
    """DT_STRTAB.

    Attributes:
        offset: of the table, in the file.
        table: its bytes.
    """

    offset: int
    table: bytes

    def get(self, start: int, what: str, referrer: int, limit: int = _LONGEST_NAME) -> bytes:
        """The string that begins at byte ``start`` of the table.

        Args:
            start: offset in the table.
            what: whose string it is, for the error.
            referrer: file offset of the field that holds ``start``, for the error.
            limit: bytes that it may have.

        Raises:
            ElfReadError: it begins or ends outside the table, or is too long.
        """
        if start >= len(self.table):
            raise ElfReadError(referrer, f"{what} lies outside the string table of {len(self.table)} bytes", start)
        end = self.table.find(b"\0", start, start + limit + 1)
        if end < 0:
            raise ElfReadError(referrer, f"{what} has no end within {limit} bytes or the string table", start)
        return self.table[start:end]

    def text(self, start: int, what: str, referrer: int, limit: int = _LONGEST_NAME) -> str:
        """The same as text: UTF-8, with other bytes kept as surrogate escapes (PEP 383)."""
        return self.get(start, what, referrer, limit).decode("utf-8", "surrogateescape")


def read_strings(source: Source, dynamic: Dynamic) -> Strings:
    """DT_STRTAB, empty when there is none.

    Raises:
        ElfReadError: it does not lie in a segment.
        RangeMissing: it was not kept.
    """
    found = sized_table(source, dynamic, DT_STRTAB, DT_STRSZ, "the string table (DT_STRTAB)")
    if found is None:
        return Strings(offset=0, table=b"")
    return Strings(offset=found[0], table=source.read(*found, "the string table (DT_STRTAB)"))
