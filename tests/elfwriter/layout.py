"""Places the tables in a file and writes the headers around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import tables
from .spec import (
    NT_GNU_PROPERTY_TYPE_0,
    PF_R,
    PF_W,
    PF_X,
    PT_GNU_PROPERTY,
    PT_GNU_RELRO,
    PT_GNU_STACK,
    PT_NOTE,
    PT_TLS,
    Binding,
    Elf,
    Hash,
    Image,
    Place,
)
from .tables import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

@dataclass(frozen=True, slots=True)
class _Part:
    """Bytes to be placed, with what a section header would say of them."""

    name: str
    data: bytes
    align: int
    kind: int
    writable: bool = False
    link: str = ""
    info: int = 0
    entsize: int = 0


def write(elf: Elf) -> bytes:
    """Return the bytes of the file."""
    return build(elf).data


def build(elf: Elf) -> Image:
    """Lay the file out: sizes first, with every address zero, then again with the true ones."""
    order = tables.dynsym_order(elf)
    draft = {p.name: Place(0, 0, len(p.data)) for p in _parts(elf, order, {})}
    header = _sizes(elf)[0]
    start = header + _sizes(elf)[1] * len(_segments(elf, draft, 0))
    places = _place(elf, _parts(elf, order, {}), start)
    parts = _parts(elf, order, places)
    segments = _segments(elf, places, start)
    body = bytearray(header) + b"".join(segments)
    for part in parts:
        body += bytes(places[part.name].offset - len(body)) + part.data
    shoff, shnum, places = _append_sections(elf, body, parts, places)
    body[:header] = _file_header(elf, len(segments), shoff, shnum, places)
    return Image(bytes(body), places, ("", *(elf.symbols[i].name for i in order)))


def _sizes(elf: Elf) -> tuple[int, int, int]:
    """e_ehsize, e_phentsize, e_shentsize."""
    return (64, 56, 64) if elf.machine.bits == 64 else (52, 32, 40)


def _place(elf: Elf, parts: Iterable[_Part], start: int) -> dict[str, Place]:
    """Give each part its offset and address; the writable ones lie one alignment further up."""
    places = {}
    offset = start
    for part in parts:
        offset += -offset % part.align
        address = elf.base + offset + (elf.alignment if part.writable else 0)
        places[part.name] = Place(offset, address, len(part.data))
        offset += len(part.data)
    return places


def _parts(elf: Elf, order: list[int], places: Mapping[str, Place]) -> list[_Part]:
    """Every part with its bytes, in file order, read-only ones first."""
    m = elf.machine
    strings, find = tables.string_table(elf)
    symbols = [elf.symbols[i] for i in order]
    locals_ = 1 + sum(s.binding == Binding.LOCAL for s in symbols)
    dynsym = tables.dynsym(elf, symbols, places, find)
    rel, relsize = (".rela", 3 * m.word) if m.rela else (".rel", 2 * m.word)
    plt_slots = sum(r.offset is None for r in elf.plt_relocations)
    slots = plt_slots + sum(r.offset is None for r in elf.relocations)
    dyn = tables.relocation_table(elf, elf.relocations, order, places, plt_slots)
    plt = tables.relocation_table(elf, elf.plt_relocations, order, places, 0)
    needs, definitions = elf.version_needs, elf.version_definitions
    versym = pack(elf, f"{len(order) + 1}H", 0, *map(tables.versym, symbols))
    parts = [
        _Part(".interp", (elf.interpreter or "").encode() + b"\0", 1, 1),
        *(_Part(f".note.{i}", *tables.note_bytes(elf, note), 7) for i, note in enumerate(elf.notes)),
        _Part(".hash", tables.sysv_table(elf, symbols), m.word, 5, link=".dynsym"),
        _Part(".gnu.hash", tables.gnu_table(elf, symbols), m.word, 0x6FFFFFF6, link=".dynsym"),
        _Part(".dynsym", dynsym, m.word, 11, False, ".dynstr", locals_, 24 if m.word == 8 else 16),
        _Part(".dynstr", strings, 1, 3),
        _Part(".gnu.version", versym, 2, 0x6FFFFFFF, False, ".dynsym", 0, 2),
        _Part(".gnu.version_r", tables.verneed(elf, find), 4, 0x6FFFFFFE, False, ".dynstr", len(needs)),
        _Part(
            ".gnu.version_d", tables.verdef(elf, find), 4, 0x6FFFFFFD, False, ".dynstr", len(definitions)
        ),
        _Part(rel + ".dyn", dyn, m.word, 4 if m.rela else 9, False, ".dynsym", 0, relsize),
        _Part(rel + ".plt", plt, m.word, 4 if m.rela else 9, False, ".dynsym", 0, relsize),
        _Part(".relr.dyn", pack(elf, "P" * len(elf.relr), *elf.relr), m.word, 19),
        _Part(".text", elf.text, 16, 1),
        _Part(".tdata", elf.tls[0] if elf.tls else b"", 16, 1, writable=True),
        _Part(
            ".dynamic",
            _dynamic(elf, places, find),
            m.word,
            6,
            writable=True,
            link=".dynstr",
            entsize=2 * m.word,
        ),
        _Part(".data", bytes(m.word * max(slots, 1)), m.word, 1, writable=True),
    ]
    absent = {
        ".interp": elf.interpreter is None,
        ".hash": elf.sysv_hash is Hash.ABSENT,
        ".gnu.hash": elf.gnu_hash is Hash.ABSENT,
        ".gnu.version": not needs and not definitions,
        ".tdata": elf.tls is None,
    }
    kept = [p for p in parts if (p.data or p.name == ".tdata") and not absent.get(p.name)]
    names = {".interp", ".text", ".data", ".tdata", *(f".note.{i}" for i in range(len(elf.notes)))}
    return kept if elf.dynamic else [p for p in kept if p.name in names]


def _dynamic(elf: Elf, places: Mapping[str, Place], find: Callable[[str], int]) -> bytes:
    nowhere, m = Place(0, 0, 0), elf.machine
    entries = [(1, find(name)) for name in elf.needed]
    named = ((14, elf.soname), (15, elf.rpath), (29, elf.runpath))
    entries += [(tag, find(text)) for tag, text in named if text is not None]
    entries += [(tag, find(text)) for tag, text in elf.strings]
    numbers = ((30, elf.flags), (0x6FFFFFFB, elf.flags_1))
    entries += [(tag, value) for tag, value in numbers if value is not None]

    def add(name: str, tag: int, size_tag: int = 0, *more: tuple[int, int]) -> None:
        place = places.get(name, nowhere)
        entries.append((tag, place.address))
        entries.extend([(size_tag, place.size)] if size_tag else [])
        entries.extend(more)

    if elf.sysv_hash is not Hash.ABSENT:
        add(".hash", 4)
    if elf.gnu_hash is not Hash.ABSENT:
        add(".gnu.hash", 0x6FFFFEF5)
    add(".dynsym", 6, 0, (11, 24 if m.bits == 64 else 16))
    add(".dynstr", 5, 10)
    if elf.version_needs or elf.version_definitions:
        add(".gnu.version", 0x6FFFFFF0)
    if elf.version_needs:
        add(".gnu.version_r", 0x6FFFFFFE, 0, (0x6FFFFFFF, len(elf.version_needs)))
    if elf.version_definitions:
        add(".gnu.version_d", 0x6FFFFFFC, 0, (0x6FFFFFFD, len(elf.version_definitions)))
    if elf.relocations and m.rela:
        add(".rela.dyn", 7, 8, (9, 3 * m.word))
    elif elf.relocations:
        add(".rel.dyn", 17, 18, (19, 2 * m.word))
    if elf.plt_relocations:
        add(".rela.plt" if m.rela else ".rel.plt", 23, 2, (20, 7 if m.rela else 17))
        add(".data", 3)
    if elf.relr:
        add(".relr.dyn", 36, 35, (37, m.word))
    entries += [*elf.entries, (0, 0), *elf.entries_after_null]
    return b"".join(pack(elf, "PP", tag, value) for tag, value in entries)


def _segments(elf: Elf, places: Mapping[str, Place], start: int) -> list[bytes]:
    """The program headers, PT_LOADs in address order."""
    ehsize, phentsize, _ = _sizes(elf)
    readable = [p for name, p in places.items() if name not in (".tdata", ".dynamic", ".data")]
    last = max((p.offset + p.size for p in readable), default=start)
    writable = [places[n] for n in (".tdata", ".dynamic", ".data") if n in places]
    first = writable[0]
    size = writable[-1].offset + writable[-1].size - first.offset
    rows: list[tuple[int, int, Place, int, int]] = []
    if elf.interpreter is not None:
        table = Place(ehsize, elf.base + ehsize, start - ehsize)
        rows += [(6, PF_R, table, table.size, elf.machine.word)]
        rows += [(3, PF_R, places[".interp"], places[".interp"].size, 1)]
    rows.append((1, PF_R | PF_X, Place(0, elf.base, last), last, elf.alignment))
    area = Place(first.offset, first.address, size)
    rows.append((1, PF_R | PF_W, area, size, elf.alignment))
    if elf.dynamic:
        dynamic = places[".dynamic"]
        rows.append((2, PF_R | PF_W, dynamic, dynamic.size, elf.machine.word))
    for number, note in enumerate(elf.notes):
        place, align = places[f".note.{number}"], tables.note_bytes(elf, note)[1]
        kinds = (PT_NOTE, PT_GNU_PROPERTY) if note.type == NT_GNU_PROPERTY_TYPE_0 else (PT_NOTE,)
        rows += [(kind, PF_R, place, place.size, align) for kind in kinds]
    if elf.tls is not None:
        rows.append((PT_TLS, PF_R, places[".tdata"], elf.tls[1], 16))
    if elf.stack is not None:
        rows.append((PT_GNU_STACK, elf.stack, Place(0, 0, 0), 0, 16))
    if elf.relro:
        whole = Place(first.offset, first.address, places[".data"].offset - first.offset)
        rows.append((PT_GNU_RELRO, PF_R, whole, whole.size, 1))
    rows += [(t, f, Place(o, a, n), n, 1) for t, f, o, a, n in elf.segments]
    return [_program_header(elf, *row) for row in rows]


def _program_header(elf: Elf, kind: int, flags: int, at: Place, memory: int, align: int) -> bytes:
    o, a, n = at.offset, at.address, at.size
    if elf.machine.bits == 64:
        return pack(elf, "IIQQQQQQ", kind, flags, o, a, a, n, memory, align)
    return pack(elf, "8I", kind, o, a, a, n, memory, flags, align)


def _append_sections(
    elf: Elf, body: bytearray, parts: list[_Part], places: Mapping[str, Place]
) -> tuple[int, int, Mapping[str, Place]]:
    """Append unaddressed sections, .shstrtab and the section header table; offset and count."""
    if elf.sections is None:
        return 0, 0, places
    everywhere = dict(places)
    extra = [_Part(s.name, s.data, 1, s.type) for s in elf.sections]
    names = b"\0" + b"".join(p.name.encode() + b"\0" for p in (*parts, *extra)) + b".shstrtab\0"
    extra.append(_Part(".shstrtab", names, 1, 3))
    for part in extra:
        everywhere[part.name] = Place(len(body), 0, len(part.data))
        body += part.data
    body += bytes(-len(body) % elf.machine.word)
    shoff, every = len(body), [*parts, *extra]
    numbers = {part.name: index for index, part in enumerate(every, 1)}
    body += bytes(_sizes(elf)[2])
    for part in every:
        at, name = everywhere[part.name], names.index(b"\0" + part.name.encode() + b"\0") + 1
        flags = (2 | part.writable) if part.name in places else 0
        link = numbers.get(part.link, 0)
        head = (name, part.kind, flags, at.address, at.offset, at.size, link, part.info)
        body += pack(elf, "IIPPPPIIPP", *head, part.align, part.entsize)
    return shoff, len(every) + 1, everywhere


def _file_header(
    elf: Elf, phnum: int, shoff: int, shnum: int, places: Mapping[str, Place]
) -> bytes:
    m, (ehsize, phentsize, shentsize) = elf.machine, _sizes(elf)
    ident = b"\x7fELF" + bytes([m.bits // 32, 1 if m.order == "<" else 2, 1, elf.osabi]) + bytes(8)
    entry = places[".text"].address if elf.interpreter is not None else 0
    fields = (elf.type, m.number, 1, entry, ehsize, shoff, m.flags, ehsize, phentsize, phnum)
    sections = (shentsize, shnum, shnum - 1 if shnum else 0)
    return ident + pack(elf, "HHIPPPI6H", *fields, *sections)
