"""Section headers, as an extra: no loader reads them, and a file may lie in them or have none.

They tell ``.comment``, how much of a file is symbols and debug information that no loader reads, whether it was cut short where
no loader looks, and the notes of files without program headers (relocatable objects).
"""

from __future__ import annotations

from checker.elf.notes import NoteArea
from checker.model.elf import CutPart, ElfReadError, ElfType, Strippable
from checker.model.record import record
from checker.model.sparse import RangeMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.elf.header import Header
    from checker.elf.source import Source
    from checker.model.elf import Segment

_SHT_PROGBITS = 1
_SHT_SYMTAB = 2
_SHT_STRTAB = 3
_SHT_NOTE = 7
_SHF_ALLOC = 2
_SHT_NULL = 0
_SHT_NOBITS = 8
_SHN_XINDEX = 0xFFFF
_LIMIT = 1 << 17
"""Section headers that are read; with ``-ffunction-sections`` a relocatable object can have a hundred thousand."""
_LARGEST_COMMENT = 1 << 16
_LARGEST_NAMES = 1 << 24
_COMMENT = b".comment\0"
_DEBUG = (b".debug", b".zdebug", b".gnu.debuglto_", b".gdb_index", b".stab", b".line\0")
"""Beginnings of the names of sections for debuggers alone, which ``strip --strip-debug`` removes."""
_NEGLIGIBLE = 1 << 16
"""Bytes of sections that could be debug sections for which no second pass over the file is worth while."""
_LONGEST_SHOWN = 64
_MOST_CUT = 32
"""Parts that are told of a file that was cut short."""


@record
class Section:
    """A section that is not loaded: ``sh_name``, ``sh_type``, ``sh_link``; offset and size in bytes."""

    name: int
    type: int
    link: int
    offset: int
    size: int


@record
class Extras:
    """What section headers tell besides; see :class:`checker.model.elf.ElfFacts`."""

    comment: tuple[str, ...]
    strippable: Strippable | None


def read_extras(source: Source, header: Header) -> Extras:
    """What compiled the file, and what of it no loader needs.

    Raises:
        RangeMissing: the section headers were not kept; or their names, and the file may hold much debug information.
    """
    try:
        sections = _unloaded(source, header)
        names = _names(source, header, sections.values())
    except ElfReadError:
        return Extras(comment=(), strippable=None)
    strippable = _strippable(source.content.size, sections, names)
    if header.identity.type == ElfType.ET_REL:
        strippable = Strippable(symbols=0, debug=0)
    return Extras(comment=_comment(source, sections.values(), names), strippable=strippable)


def _unloaded(source: Source, header: Header) -> dict[int, Section]:
    """Index → section of program data, symbols or strings that lies in the file and that no segment brings into memory."""
    if header.section_headers and header.section_header_size != source.encoding.section_header.size:
        raise ElfReadError(header.section_headers, "the size of a section header is another", header.section_header_size)
    return {
        index: Section(name=name, type=kind, link=link, offset=offset, size=size)
        for index, (name, kind, flags, _, offset, size, link, *_) in enumerate(_sections(source, header))
        if kind in {_SHT_PROGBITS, _SHT_SYMTAB, _SHT_STRTAB} and not flags & _SHF_ALLOC and offset + size <= source.content.size
    }


def _names(source: Source, header: Header, sections: Iterable[Section]) -> bytes:
    """The section names; empty where they were not kept and would tell little."""
    try:
        return _section_names(source, header) if sections else b""
    except RangeMissing:
        if sum(section.size for section in sections if section.type == _SHT_PROGBITS) > _NEGLIGIBLE:
            raise
        return b""


def _comment(source: Source, sections: Iterable[Section], names: bytes) -> tuple[str, ...]:
    """The distinct strings in order; empty where nothing tells them, or where they were not kept."""
    for section in sections:
        if section.type == _SHT_PROGBITS and names.startswith(_COMMENT, section.name):
            try:
                raw = source.read(section.offset, min(section.size, _LARGEST_COMMENT), ".comment")
            except (ElfReadError, RangeMissing):
                return ()
            texts = (text.decode("utf-8", "backslashreplace") for text in raw.split(b"\0") if text)
            return tuple(dict.fromkeys(texts))
    return ()


def _strippable(file_size: int, sections: dict[int, Section], names: bytes) -> Strippable:
    """Symbol tables are told by their type, so that no name is needed; sections that overlap cannot make more than the file."""
    tables = [section for section in sections.values() if section.type == _SHT_SYMTAB]
    strings = (sections[link] for link in {section.link for section in tables} if link in sections)
    symbols = sum(section.size for section in (*tables, *strings))
    program_data = (section for section in sections.values() if section.type == _SHT_PROGBITS)
    debug = sum(section.size for section in program_data if names.startswith(_DEBUG, section.name))
    return Strippable(symbols=min(symbols, file_size), debug=min(debug, file_size))


def cut_parts(source: Source, header: Header, segments: tuple[Segment, ...]) -> tuple[CutPart, ...]:
    """What program and section headers tell of beyond the end of the file; nothing where the section headers were not kept."""
    size = source.content.size
    beyond = [segment for segment in segments if segment.file_size and segment.offset + segment.file_size > size]
    parts = [
        CutPart(what=f"segment of type {segment.type:#x}", offset=segment.offset, size=segment.file_size) for segment in beyond
    ]
    record = source.encoding.section_header
    if header.section_headers and header.section_header_size == record.size:
        length = max(header.section_header_count, 1) * record.size
        if header.section_headers + length > size:
            parts.append(CutPart(what="section header table", offset=header.section_headers, size=length))
        else:
            parts += _cut_sections(source, header)
    return tuple(parts[:_MOST_CUT])


def _cut_sections(source: Source, header: Header) -> list[CutPart]:
    size = source.content.size
    try:
        rows = enumerate(_sections(source, header))
    except (ElfReadError, RangeMissing):
        return []
    without_bytes = {_SHT_NULL, _SHT_NOBITS}
    cut = [(number, row) for number, row in rows if row[4] + row[5] > size and row[5] and row[1] not in without_bytes]
    if not cut:
        return []
    try:
        names = _section_names(source, header)
    except (ElfReadError, RangeMissing):
        names = b""
    return [
        CutPart(what=_shown_name(names, row[0]) or f"section {number}", offset=row[4], size=row[5])
        for number, row in cut[:_MOST_CUT]
    ]


def _shown_name(names: bytes, start: int) -> str:
    return names[start : start + _LONGEST_SHOWN].split(b"\0", 1)[0].decode("ascii", "backslashreplace")


def note_sections(source: Source, header: Header) -> tuple[NoteArea, ...]:
    """The SHT_NOTE sections, in order.

    Raises:
        ElfReadError: the section headers do not lie in the file.
        RangeMissing: they were not kept.
    """
    return tuple(
        NoteArea(offset=offset, size=size, alignment=alignment)
        for _, kind, _, _, offset, size, _, _, alignment, _ in _sections(source, header)
        if kind == _SHT_NOTE
    )


def _sections(source: Source, header: Header) -> Iterable[tuple[int, ...]]:
    """The fields of every section header."""
    record = source.encoding.section_header
    if header.section_headers == 0 or header.section_header_size != record.size:
        return ()
    count = header.section_header_count or _first(source, header)[5]
    if count > _LIMIT:
        raise ElfReadError(header.section_headers, f"more than {_LIMIT} section headers", count)
    return record.iter_unpack(source.read(header.section_headers, count * record.size, "the section header table"))


def _section_names(source: Source, header: Header) -> bytes:
    """The section name string table."""
    record = source.encoding.section_header
    index = header.section_names
    if index == _SHN_XINDEX:
        index = _first(source, header)[6]
    raw = source.read(header.section_headers + index * record.size, record.size, "a section header")
    _, _, _, _, offset, size, *_ = record.unpack(raw)
    return source.read(offset, min(size, _LARGEST_NAMES), "the section names")


def _first(source: Source, header: Header) -> tuple[int, ...]:
    """Section header 0, which holds in ``sh_size`` and ``sh_link`` the counts too large for the file header (gABI)."""
    record = source.encoding.section_header
    fields: tuple[int, ...] = record.unpack(source.read(header.section_headers, record.size, "the first section header"))
    return fields
