"""From the kept bytes of a file to its facts: one call for each part, top to bottom."""

from __future__ import annotations

from checker.elf import dynamic as dyn
from checker.elf.dynamic import NO_DYNAMIC, Dynamic, Strings, read_dynamic, read_strings
from checker.elf.header import read_header, read_segments
from checker.elf.missing import missing_tables
from checker.elf.notes import PT_GNU_PROPERTY, PT_NOTE, NoteArea, read_notes
from checker.elf.readonly import read_opened_names
from checker.elf.relocation_types import reach_static_tls
from checker.elf.sections import cut_parts, note_sections, read_extras
from checker.elf.source import PT_LOAD, Source, mapped_loads
from checker.elf.symbols import read_symbols
from checker.elf.versions import read_version_definitions, read_version_needs, version_names
from checker.model.elf import ElfFacts, ElfReadError, Relro, Stack, View
from checker.model.sparse import RangeMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.elf.header import Header
    from checker.model.elf import Segment
    from checker.model.sparse import SparseBytes

_PT_DYNAMIC = 2
_PT_INTERP = 3
_PT_GNU_STACK = 0x6474E551
_PT_GNU_RELRO = 0x6474E552
_PF_X = 1
_DF_SYMBOLIC = 0x2
_DF_TEXTREL = 0x4
_DF_BIND_NOW = 0x8
_DF_STATIC_TLS = 0x10
_DF_1_NOW = 0x1
_PATH_MAX = 4096
_MOST_NOTE_SEGMENTS = 64


def read_elf(path: str, content: SparseBytes) -> ElfFacts:
    """Everything that the checks ask of one ELF file.

    Args:
        path: the member's path, for the facts.
        content: what :func:`checker.elf.plan` had kept, and whatever was asked for since.

    Raises:
        ElfReadError: the file cannot be read.
        RangeMissing: a range of the file is needed that was not kept; bring it and call again. One call asks for ranges that
            lie close together at once.
    """
    header = read_header(content)
    segments = read_segments(content, header)
    loads = tuple(segment for segment in segments if segment.type == PT_LOAD and segment.file_size)
    _check_length(loads, content)
    source = Source(content=content, encoding=header.encoding, loads=mapped_loads(loads, content.size))
    # Of several PT_DYNAMIC the loader keeps the last, and passes over one without bytes, as files of detached debug information
    # have it: "object file has no dynamic section" (glibc elf/dl-load.c).
    found = [segment for segment in segments if segment.type == _PT_DYNAMIC and segment.file_size]
    if not found:
        return _facts(path, source, header, segments, NO_DYNAMIC)
    dynamic = read_dynamic(source, found[-1])
    try:
        return _facts(path, source, header, segments, dynamic)
    except RangeMissing:
        group = missing_tables(source, dynamic)
        if group is None:
            raise
        raise RangeMissing(*group) from None


def _check_length(loads: tuple[Segment, ...], content: SparseBytes) -> None:
    """Loaders map a file that was cut short all the same, and the process dies by SIGBUS where it touches what is not there."""
    for load in loads:
        if load.offset + load.file_size > content.size:
            what = f"a loadable segment of {load.file_size} bytes ends outside the file: it is cut short"
            raise ElfReadError(load.offset, what, f"{content.size} bytes")


def _facts(path: str, source: Source, header: Header, segments: tuple[Segment, ...], dynamic: Dynamic) -> ElfFacts:
    strings = read_strings(source, dynamic)
    needs = read_version_needs(source, dynamic, strings)
    definitions = read_version_definitions(source, dynamic, strings)
    symbols = read_symbols(
        source,
        dynamic,
        header.identity,
        strings=strings,
        version_names=version_names(needs, definitions),
    )
    flags = dynamic.get(dyn.DT_FLAGS) or 0
    flags_1 = dynamic.get(dyn.DT_FLAGS_1) or 0
    extras = read_extras(source, header)
    bind_now = dynamic.get(dyn.DT_BIND_NOW) is not None or bool(flags & _DF_BIND_NOW or flags_1 & _DF_1_NOW)
    return ElfFacts(
        path=path,
        size=source.content.size,
        identity=header.identity,
        view=View.SECTIONS if dynamic is NO_DYNAMIC else View.DYNAMIC,
        segments=segments,
        interpreter=_interpreter(source, segments),
        dynamic=dynamic.entries,
        needed=_texts(dynamic, strings, dyn.DT_NEEDED, "DT_NEEDED"),
        soname=_text(dynamic, strings, dyn.DT_SONAME, "DT_SONAME"),
        rpath=_text(dynamic, strings, dyn.DT_RPATH, "DT_RPATH"),
        runpath=_text(dynamic, strings, dyn.DT_RUNPATH, "DT_RUNPATH"),
        auxiliary=_texts(dynamic, strings, dyn.DT_AUXILIARY, "DT_AUXILIARY"),
        filter=_texts(dynamic, strings, dyn.DT_FILTER, "DT_FILTER"),
        flags=flags,
        flags_1=flags_1,
        bind_now=bind_now,
        symbolic=dynamic.get(dyn.DT_SYMBOLIC) is not None or bool(flags & _DF_SYMBOLIC),
        text_relocations=dynamic.get(dyn.DT_TEXTREL) is not None or bool(flags & _DF_TEXTREL),
        # GNU ld for AArch64 sets no flag.
        static_tls=bool(flags & _DF_STATIC_TLS) or reach_static_tls(header.identity.machine, symbols.relocation_types),
        stack=_stack(segments),
        relro=_relro(segments, bind_now=bind_now),
        has_relr=dynamic.get(dyn.DT_RELR) is not None and bool(dynamic.get(dyn.DT_RELRSZ)),
        symbols=symbols.symbols,
        imports=symbols.imports,
        self_references=symbols.self_references,
        self_uses=symbols.self_uses,
        relocation_types=symbols.relocation_types,
        version_needs=needs,
        version_definitions=definitions,
        notes=read_notes(source, _note_areas(source, header, segments)),
        comment=extras.comment,
        strippable=extras.strippable,
        cut=cut_parts(source, header, segments),
        opened_names=read_opened_names(source, symbols.imports, strings),
    )


def _texts(dynamic: Dynamic, strings: Strings, tag: int, name: str) -> tuple[str, ...]:
    return tuple(strings.text(value, name, where) for where, value in dynamic.every(tag))


def _text(dynamic: Dynamic, strings: Strings, tag: int, name: str) -> str | None:
    value = dynamic.get(tag)
    return None if value is None else strings.text(value, name, dynamic.where(tag), dyn.LONGEST_PATH_LIST)


def _interpreter(source: Source, segments: tuple[Segment, ...]) -> str | None:
    """The first PT_INTERP, read by file offset as the kernel does (``fs/binfmt_elf.c``)."""
    for segment in segments:
        if segment.type == _PT_INTERP:
            if segment.file_size > _PATH_MAX:
                raise ElfReadError(segment.offset, f"PT_INTERP is longer than {_PATH_MAX} bytes", segment.file_size)
            raw = source.read(segment.offset, segment.file_size, "PT_INTERP")
            return raw.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
    return None


def _stack(segments: tuple[Segment, ...]) -> Stack:
    flags = [segment.flags for segment in segments if segment.type == _PT_GNU_STACK]
    if not flags:
        return Stack.ABSENT
    return Stack.EXECUTABLE if flags[-1] & _PF_X else Stack.NOT_EXECUTABLE


def _relro(segments: tuple[Segment, ...], *, bind_now: bool) -> Relro:
    if not any(segment.type == _PT_GNU_RELRO for segment in segments):
        return Relro.NONE
    return Relro.FULL if bind_now else Relro.PARTIAL


def _note_areas(source: Source, header: Header, segments: tuple[Segment, ...]) -> tuple[NoteArea, ...]:
    """PT_NOTE, and PT_GNU_PROPERTY where no PT_NOTE holds it already; sections where there are no program headers at all."""
    if not segments:
        return note_sections(source, header)
    notes = [segment for segment in segments if segment.type == PT_NOTE][:_MOST_NOTE_SEGMENTS]
    lone = (segment for segment in segments if segment.type == PT_GNU_PROPERTY and not _is_within(segment, notes))
    return tuple(_area(segment) for segment in (*notes, *lone))


def _is_within(inner: Segment, segments: list[Segment]) -> bool:
    end = inner.offset + inner.file_size
    return any(outer.offset <= inner.offset and end <= outer.offset + outer.file_size for outer in segments)


def _area(segment: Segment) -> NoteArea:
    return NoteArea(offset=segment.offset, size=segment.file_size, alignment=segment.alignment)
