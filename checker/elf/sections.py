"""Section headers, as an extra: no loader reads them, and a file may lie in them or have none.

They tell ``.comment``, and the notes of files without program headers (relocatable objects).
"""

from __future__ import annotations

from checker.elf.notes import NoteArea
from checker.model.elf import ElfReadError
from checker.model.record import record
from checker.model.sparse import RangeMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.elf.header import Header
    from checker.elf.source import Source

_SHT_PROGBITS = 1
_SHT_NOTE = 7
_SHN_XINDEX = 0xFFFF
_LIMIT = 1 << 17
"""Section headers that are read; with ``-ffunction-sections`` a relocatable object can have a hundred thousand."""
_LARGEST_COMMENT = 1 << 16
_LARGEST_NAMES = 1 << 24
_NAME = b".comment\0"


@record
class Section:
    """What is used of a section header: ``sh_name``, ``sh_type``, offset, size and alignment in bytes."""

    name: int
    type: int
    offset: int
    size: int
    alignment: int


def read_comment(source: Source, header: Header) -> tuple[str, ...]:
    """The distinct strings of ``.comment`` in order; empty where nothing tells them, or where they were not kept."""
    try:
        sections = _sections(source, header, _SHT_PROGBITS)
        names = _section_names(source, header)
        for section in sections:
            if names[section.name : section.name + len(_NAME)] == _NAME:
                raw = source.read(section.offset, min(section.size, _LARGEST_COMMENT), ".comment")
                texts = (text.decode("utf-8", "backslashreplace") for text in raw.split(b"\0") if text)
                return tuple(dict.fromkeys(texts))
    except (ElfReadError, RangeMissing):
        return ()
    return ()


def note_sections(source: Source, header: Header) -> tuple[NoteArea, ...]:
    """The SHT_NOTE sections, in order.

    Raises:
        ElfReadError: the section headers do not lie in the file.
        RangeMissing: they were not kept.
    """
    sections = _sections(source, header, _SHT_NOTE)
    return tuple(NoteArea(offset=s.offset, size=s.size, alignment=s.alignment) for s in sections)


def _sections(source: Source, header: Header, kind: int) -> list[Section]:
    """The section headers of one type."""
    record = source.encoding.section_header
    if header.section_headers == 0 or header.section_header_size != record.size:
        return []
    count = header.section_header_count or _first(source, header)[5]
    if count > _LIMIT:
        raise ElfReadError(header.section_headers, f"more than {_LIMIT} section headers", count)
    table = source.read(header.section_headers, count * record.size, "the section header table")
    return [
        Section(name=name, type=found, offset=offset, size=size, alignment=alignment)
        for name, found, _, _, offset, size, _, _, alignment, _ in record.iter_unpack(table)
        if found == kind
    ]


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
