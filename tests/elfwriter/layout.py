"""Places the tables in a file and writes the headers around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .spec import (
    DT,
    NT_GNU_PROPERTY_TYPE_0,
    PF_R,
    PF_W,
    PF_X,
    PT_GNU_PROPERTY,
    PT_GNU_RELRO,
    PT_GNU_STACK,
    PT_NOTE,
    PT_TLS,
    SHT,
    Elf,
    Hash,
    Image,
    Place,
)
from .tables import Tables, note_bytes, pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# GOT[0..2] belong to the loader: with lazy binding it writes two of them.
_RESERVED_SLOTS = 3


@dataclass(frozen=True, slots=True)
class _Part:
    """Bytes to be placed, with what a section header would say of them."""

    name: str
    data: bytes
    align: int
    kind: int
    link: str = ""
    info: int = 0
    entsize: int = 0
    writable: bool = False


def write(elf: Elf) -> bytes:
    """Return the bytes of the file."""
    return build(elf).data


def build(elf: Elf) -> Image:
    """Lay the file out: sizes first, with every address zero, then again with the true ones."""
    draft = _parts(Tables(elf, {}))
    header, phentsize, _ = _sizes(elf)
    rows = _segments(elf, {p.name: Place(0, 0, len(p.data)) for p in draft}, header)
    start = header + phentsize * len(rows)
    places = _place(elf, draft, start)
    tables = Tables(elf, places)
    parts = _parts(tables)
    segments = _segments(elf, places, start)
    body = bytearray(header) + b"".join(segments)
    for part in parts:
        body += bytes(places[part.name].offset - len(body)) + part.data
    shoff, shnum, everywhere = _append_sections(elf, body, parts, places)
    body[:header] = _file_header(elf, len(segments), shoff, shnum, places)
    return Image(bytes(body), everywhere, ("", *(s.name for s in tables.symbols)))


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


def _parts(tables: Tables) -> list[_Part]:
    """Every part with its bytes, in file order, read-only ones first."""
    elf, word = tables.elf, tables.elf.machine.word
    slot = _RESERVED_SLOTS if elf.plt_relocations else 0
    slots = slot + sum(r.offset is None for r in (*elf.plt_relocations, *elf.relocations))
    parts = []
    if elf.interpreter is not None:
        parts.append(_Part(".interp", elf.interpreter.encode() + b"\0", 1, SHT.PROGBITS))
    for number, note in enumerate(elf.notes):
        data, align = note_bytes(elf, note)
        parts.append(_Part(f".note.{number}", data, align, SHT.NOTE))
    parts += _dynamic_tables(tables, slot) if elf.dynamic else []
    parts.append(_Part(".text", elf.text, 16, SHT.PROGBITS))
    if elf.tls is not None:
        parts.append(_Part(".tdata", elf.tls[0], 16, SHT.PROGBITS, writable=True))
    if elf.dynamic:
        data = _dynamic(tables)
        parts.append(_Part(".dynamic", data, word, SHT.DYNAMIC, ".dynstr", 0, 2 * word, writable=True))
    parts.append(_Part(".data", bytes(word * max(slots, 1)), word, SHT.PROGBITS, writable=True))
    return parts


def _dynamic_tables(tables: Tables, slot: int) -> list[_Part]:
    """Return what PT_DYNAMIC points to, without the tables that the file does not have."""
    elf, word = tables.elf, tables.elf.machine.word
    needs, definitions = elf.version_needs, elf.version_definitions
    first_slot = slot + sum(r.offset is None for r in elf.plt_relocations)
    rel, kind = (".rela", SHT.RELA) if elf.machine.rela else (".rel", SHT.REL)
    size = (3 if elf.machine.rela else 2) * word
    sym, str_ = ".dynsym", ".dynstr"
    symbol_size = _symbol_size(elf)
    rows = (
        (elf.sysv_hash is not Hash.ABSENT, _Part(".hash", tables.sysv_table(), word, SHT.HASH, sym, 0, 4)),
        (elf.gnu_hash is not Hash.ABSENT, _Part(".gnu.hash", tables.gnu_table(), word, SHT.GNU_HASH, sym)),
        (True, _Part(sym, tables.dynsym(), word, SHT.DYNSYM, str_, tables.locals, symbol_size)),
        (True, _Part(str_, tables.dynstr, 1, SHT.STRTAB)),
        (needs or definitions, _Part(".gnu.version", tables.versym(), 2, SHT.VERSYM, sym, 0, 2)),
        (needs, _Part(".gnu.version_r", tables.verneed(), 4, SHT.VERNEED, str_, len(needs))),
        (definitions, _Part(".gnu.version_d", tables.verdef(), 4, SHT.VERDEF, str_, len(definitions))),
    )
    parts = [part for present, part in rows if present]
    relocations = (("dyn", elf.relocations, first_slot), ("plt", elf.plt_relocations, slot))
    for name, wanted, at in relocations:
        if wanted:
            table = tables.relocations(wanted, at)
            parts.append(_Part(f"{rel}.{name}", table, word, kind, sym, 0, size))
    if elf.relr:
        words = pack(elf, "P" * len(elf.relr), *elf.relr)
        parts.append(_Part(".relr.dyn", words, word, SHT.RELR, "", 0, word))
    return parts


def _symbol_size(elf: Elf) -> int:
    return 24 if elf.machine.bits == 64 else 16


def _dynamic(tables: Tables) -> bytes:
    """The dynamic array: strings, flags, tables that exist, then what the test adds."""
    elf, at, find = tables.elf, tables.address, tables.find
    size = {name: place.size for name, place in tables.places.items()}
    rela = elf.machine.rela
    rel, entry = (".rela", 3) if rela else (".rel", 2)
    entry *= elf.machine.word
    needs, definitions = len(elf.version_needs), len(elf.version_definitions)
    texts: list[tuple[int, str | None]] = [(DT.NEEDED, name) for name in elf.needed]
    texts += [(DT.SONAME, elf.soname), (DT.RPATH, elf.rpath), (DT.RUNPATH, elf.runpath), *elf.strings]
    flags = ((DT.FLAGS, elf.flags), (DT.FLAGS_1, elf.flags_1))
    table, bytes_, each = (DT.RELA, DT.RELASZ, DT.RELAENT) if rela else (DT.REL, DT.RELSZ, DT.RELENT)
    groups = (
        (elf.sysv_hash is not Hash.ABSENT, (DT.HASH, at(".hash"))),
        (elf.gnu_hash is not Hash.ABSENT, (DT.GNU_HASH, at(".gnu.hash"))),
        (True, (DT.SYMTAB, at(".dynsym")), (DT.SYMENT, _symbol_size(elf))),
        (True, (DT.STRTAB, at(".dynstr")), (DT.STRSZ, size.get(".dynstr", 0))),
        (needs or definitions, (DT.VERSYM, at(".gnu.version"))),
        (needs, (DT.VERNEED, at(".gnu.version_r")), (DT.VERNEEDNUM, needs)),
        (definitions, (DT.VERDEF, at(".gnu.version_d")), (DT.VERDEFNUM, definitions)),
        (elf.relocations, (table, at(rel + ".dyn")), (each, entry)),
        (elf.relocations, (bytes_, size.get(rel + ".dyn", 0))),
        (elf.plt_relocations, (DT.JMPREL, at(rel + ".plt")), (DT.PLTGOT, at(".data"))),
        (elf.plt_relocations, (DT.PLTRELSZ, size.get(rel + ".plt", 0)), (DT.PLTREL, table)),
        (elf.relr, (DT.RELR, at(".relr.dyn")), (DT.RELRENT, elf.machine.word)),
        (elf.relr, (DT.RELRSZ, size.get(".relr.dyn", 0))),
    )
    entries: list[tuple[int, int]] = [(tag, find(text)) for tag, text in texts if text is not None]
    entries += [(tag, value) for tag, value in flags if value is not None]
    entries += [pair for present, *pairs in groups if present for pair in pairs]
    entries += [*elf.entries, (DT.NULL, 0), *elf.entries_after_null]
    return b"".join(pack(elf, "PP", tag, value) for tag, value in entries)


def _segments(elf: Elf, places: Mapping[str, Place], start: int) -> list[bytes]:
    """The program headers, PT_LOADs in address order."""
    ehsize = _sizes(elf)[0]
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
        place, align = places[f".note.{number}"], note_bytes(elf, note)[1]
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
    return [_program_header(elf, row) for row in rows]


def _program_header(elf: Elf, row: tuple[int, int, Place, int, int]) -> bytes:
    kind, flags, at, memory, align = row
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
    extra = [_Part(s.name, s.data, 1, s.type, s.link) for s in elf.sections]
    names = b"\0" + b"".join(p.name.encode() + b"\0" for p in (*parts, *extra)) + b".shstrtab\0"
    extra.append(_Part(".shstrtab", names, 1, SHT.STRTAB))
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


def _file_header(elf: Elf, phnum: int, shoff: int, shnum: int, places: Mapping[str, Place]) -> bytes:
    m, (ehsize, phentsize, shentsize) = elf.machine, _sizes(elf)
    ident = b"\x7fELF" + bytes([m.bits // 32, 1 if m.order == "<" else 2, 1, elf.osabi]) + bytes(8)
    entry = places[".text"].address if elf.interpreter is not None else 0
    fields = (elf.type, m.number, 1, entry, ehsize, shoff, m.flags, ehsize, phentsize, phnum)
    sections = (shentsize, shnum, shnum - 1 if shnum else 0)
    return ident + pack(elf, "HHIPPPI6H", *fields, *sections)
