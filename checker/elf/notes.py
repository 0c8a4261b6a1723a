"""PT_NOTE segments, or SHT_NOTE sections of files that have none: build id, ABI tag, GNU properties, dlopen metadata.

A fault in the notes is no fault of the file: the loader passes over what it cannot make sense of (glibc ``elf/dl-load.c``,
``_dl_process_pt_note``), and old releases of patchelf left PT_NOTE pointing into the program headers of thousands of published
files. So a malformed note ends its segment, and what came before it counts.
"""

from __future__ import annotations

from itertools import islice

from checker.model.elf import DlopenNote, ElfReadError, Note, Notes
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.elf.encoding import Encoding
    from checker.elf.source import Source

PT_NOTE = 4
PT_GNU_PROPERTY = 0x6474E553
_GNU = "GNU"
_NT_GNU_ABI_TAG = 1
_NT_GNU_BUILD_ID = 3
_NT_GNU_PROPERTY_TYPE_0 = 5
_X86_ISA_1_NEEDED = 0xC0008002
_FDO = "FDO"
_NT_FDO_DLOPEN = 0x407C0C0A

_LARGEST = 1 << 20
"""Bytes of notes that are read from a file."""
_MOST = 1 << 12
"""Notes that are read from a file."""
_KEPT = 1 << 12
"""Bytes of a description that are kept of a note without a field of its own."""
_LARGEST_JSON = 1 << 16


@record
class NoteArea:
    """Where notes lie in the file.

    Attributes:
        offset, size: in bytes.
        alignment: of the segment or section; 8 is 8, anything else 4, which is what glibc (``elf/dl-load.c``,
            ``_dl_process_pt_note``) and the notes themselves mean by 0 and 1.
    """

    offset: int
    size: int
    alignment: int


def read_notes(source: Source, areas: Iterable[NoteArea]) -> Notes:
    """All notes.

    Raises:
        RangeMissing: an area was not kept.
    """
    build_id = None
    abi_tag = None
    properties: list[tuple[int, bytes]] = []
    dlopen: list[DlopenNote] = []
    others: list[Note] = []
    for owner, kind, description in islice(_each_note(source, areas), _MOST):
        if (owner, kind) == (_GNU, _NT_GNU_BUILD_ID) and build_id is None:
            build_id = description[:_KEPT].hex()
        elif (owner, kind) == (_GNU, _NT_GNU_ABI_TAG) and abi_tag is None and len(description) >= 16:  # noqa: PLR2004
            system, major, minor, patch = source.encoding.column("I", description[:16])
            abi_tag = (system, major, minor, patch)
        elif (owner, kind) == (_GNU, _NT_GNU_PROPERTY_TYPE_0):
            properties += _gnu_properties(source.encoding, description)
        elif (owner, kind) == (_FDO, _NT_FDO_DLOPEN) and (found := _dlopen_notes(description)) is not None:
            dlopen += found
        else:
            others.append(Note(owner=owner, type=kind, description=description[:_KEPT]))
    return Notes(
        build_id=build_id,
        abi_tag=abi_tag,
        x86_isa_needed=_x86_isa_needed(source.encoding, properties),
        properties=tuple(properties),
        dlopen=tuple(dlopen),
        others=tuple(others),
    )


def _each_note(source: Source, areas: Iterable[NoteArea]) -> Iterator[tuple[str, int, bytes]]:
    """(owner, type, description) of every note, in order."""
    header = source.encoding.note_header
    left = _LARGEST
    for area in areas:
        try:
            raw = source.read(area.offset, min(area.size, left), "a note segment")
        except ElfReadError:
            continue
        left -= len(raw)
        align = 8 if area.alignment == 8 else 4  # noqa: PLR2004
        position = 0
        while position + header.size <= len(raw):
            name_size, size, kind = header.unpack_from(raw, position)
            name = position + header.size
            start = _aligned(name + name_size, align)
            if name + name_size > len(raw) or (size and start + size > len(raw)):
                break
            owner = raw[name : name + min(name_size, _KEPT)].rstrip(b"\0").decode("utf-8", "surrogateescape")
            yield owner, kind, raw[start : start + size]
            position = _aligned(start + size, align)


def _aligned(position: int, align: int) -> int:
    return -(-position // align) * align


def _gnu_properties(code: Encoding, description: bytes) -> Iterator[tuple[int, bytes]]:
    """(type, data) of each property of an NT_GNU_PROPERTY_TYPE_0 ("Linux Extensions to gABI"); a cut one ends the list."""
    position = 0
    while position + code.half_words.size <= len(description):
        kind, size = code.half_words.unpack_from(description, position)
        start = position + code.half_words.size
        if start + size > len(description):
            return
        yield kind, description[start : start + min(size, _KEPT)]
        position = _aligned(start + size, code.word)


def _x86_isa_needed(code: Encoding, properties: Iterable[tuple[int, bytes]]) -> int:
    """The union of GNU_PROPERTY_X86_ISA_1_NEEDED; types of that range are x86's only, and the caller knows the machine."""
    needed = 0
    for kind, data in properties:
        if kind == _X86_ISA_1_NEEDED and len(data) == 4:  # noqa: PLR2004 - a word of 32 bits
            needed |= code.column("I", data)[0]
    return needed


def _dlopen_notes(description: bytes) -> list[DlopenNote] | None:
    """The entries of systemd's "ELF dlopen metadata"; ``None`` where it is not the JSON that it should be."""
    if len(description) > _LARGEST_JSON:
        return None
    import json

    try:
        entries = json.loads(description.rstrip(b"\0"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(entries, list) or not all(_is_dlopen_entry(entry) for entry in entries):
        return None
    return [
        DlopenNote(
            sonames=tuple(entry["soname"]),
            feature=str(entry.get("feature", "")),
            priority=str(entry.get("priority", "")),
            description=str(entry.get("description", "")),
        )
        for entry in entries
    ]


def _is_dlopen_entry(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    sonames = entry.get("soname")
    texts = (entry.get(key, "") for key in ("feature", "priority", "description"))
    return (
        isinstance(sonames, list)
        and all(isinstance(soname, str) for soname in sonames)
        and all(isinstance(text, str) for text in texts)
    )
