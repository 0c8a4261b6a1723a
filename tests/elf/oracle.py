"""What pyelftools and readelf say of a file, in the form in which it can be compared with our facts."""

from __future__ import annotations

import io
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elftools.elf.descriptions import describe_reloc_type
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import NoteSegment

from checker.model.elf import Binding, Use

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from checker.model.elf import ElfFacts

_CLASS_OF_NAME = (
    (r"_(NONE|RELATIVE(64)?|IRELATIVE|JMP_IREL)$", Use.NONE),
    (r"_(JUMP_SLOT|JMP_SLOT)$", Use.JUMP_SLOT),
    (r"_GLOB_DAT$", Use.GLOB_DAT),
    (r"_COPY$", Use.COPY),
    (r"TLS_?DESC", Use.TLS_DESCRIPTOR),
    (r"DTP(MOD|OFF|REL)", Use.TLS_MODULE),
    (r"TP(OFF|REL)", Use.TLS_OFFSET),
    (r".", Use.ABSOLUTE),
)


def use_of_name(name: str) -> Use:
    """The class that a relocation type's name tells."""
    return next(use for pattern, use in _CLASS_OF_NAME if re.search(pattern, name))


def uses_in(facts: ElfFacts) -> dict[int, Use]:
    """Symbol → how relocations use it, of imports and self references together."""
    imports = zip(facts.imports.symbols, facts.imports.uses, strict=True)
    own = zip(facts.self_references, facts.self_uses, strict=True)
    return {symbol: Use(use) for symbol, use in (*imports, *own) if use}


@dataclass(frozen=True, kw_only=True)
class Told:
    """One reader's answer.

    ``symbols`` are (name, value, is undefined, binding); ``needs`` are (file, name, hash, is weak, index) and
    ``definitions`` (name, hash, index, is base) of versions; ``used`` are the symbols that relocations use.
    """

    needed: list[str]
    soname: str | None
    rpath: str | None
    runpath: str | None
    symbols: list[tuple[bytes, int, bool, int]]
    versions: list[int] | None
    needs: list[tuple[str, bytes, int, bool, int]]
    definitions: list[tuple[bytes, int, int, bool]]
    used: set[int]
    build_id: str | None


def by_us(facts: ElfFacts) -> Told:
    """Our facts in this form."""
    table = facts.symbols
    entries = [(table.name(i), table.definition(i)) for i in range(table.count)]
    return Told(
        needed=list(facts.needed),
        soname=facts.soname,
        rpath=facts.rpath,
        runpath=facts.runpath,
        symbols=[(name, d.value, not d.defined, d.binding) for name, d in entries],
        versions=None if table.versions is None else list(table.versions),
        needs=[
            (need.file, v.name, v.hash, v.weak, v.index | v.hidden << 15) for need in facts.version_needs for v in need.versions
        ],
        definitions=[(d.name, d.hash, d.index, d.base) for d in facts.version_definitions],
        used=set(uses_in(facts)),
        build_id=facts.notes.build_id,
    )


def by_pyelftools(data: bytes) -> Told | None:
    """What pyelftools tells, symbols and versions by section headers; ``None`` without PT_DYNAMIC or .dynsym."""
    elf = ELFFile(io.BytesIO(data))
    segment = next((s for s in elf.iter_segments() if isinstance(s, DynamicSegment)), None)
    table: Any = elf.get_section_by_name(".dynsym")
    if segment is None or table is None:
        return None
    tags: list[Any] = list(segment.iter_tags())

    def last(name: str) -> str | None:
        values = [getattr(tag, name) for tag in tags if tag.entry.d_tag == f"DT_{name.upper()}"]
        return values[-1] if values else None

    binds = {f"STB_{name}": value for name, value in (("LOCAL", 0), ("GLOBAL", 1), ("WEAK", 2), ("LOOS", 10))}
    symbols = [
        (s.name.encode(), s["st_value"], s["st_shndx"] == "SHN_UNDEF", binds[s["st_info"]["bind"]])
        for s in table.iter_symbols()
    ]
    ids = [
        note["n_desc"]
        for area in elf.iter_segments()
        if isinstance(area, NoteSegment)
        for note in area.iter_notes()
        if note["n_type"] == "NT_GNU_BUILD_ID"
    ]
    return Told(
        needed=[tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"],
        soname=last("soname"),
        rpath=last("rpath"),
        runpath=last("runpath"),
        symbols=symbols,
        versions=_pyelftools_versions(elf),
        needs=_pyelftools_needs(elf),
        definitions=_pyelftools_definitions(elf),
        used={symbol for symbol in _pyelftools_used(elf, segment) if symbols[symbol][3] != Binding.STB_LOCAL},
        build_id=ids[0] if ids else None,
    )


def _pyelftools_used(elf: Any, segment: Any) -> set[int]:  # noqa: ANN401 - pyelftools has no types
    """Symbols only: some machines' type names are absent from pyelftools 0.33, and AArch64's TLS ones are confused."""
    tables = segment.get_relocation_tables()
    return {
        relocation["r_info_sym"]
        for table in (tables[name] for name in ("RELA", "REL", "JMPREL") if name in tables)
        for relocation in table.iter_relocations()
        if use_of_name(describe_reloc_type(relocation["r_info_type"], elf))
    } - {0}


def _pyelftools_versions(elf: Any) -> list[int] | None:  # noqa: ANN401
    section = elf.get_section_by_name(".gnu.version")
    if section is None:
        return None
    names = {"VER_NDX_LOCAL": 0, "VER_NDX_GLOBAL": 1}
    return [names.get(s["ndx"], s["ndx"]) for s in section.iter_symbols()]


def _pyelftools_needs(elf: Any) -> list[tuple[str, bytes, int, bool, int]]:  # noqa: ANN401
    section = elf.get_section_by_name(".gnu.version_r")
    return [
        (need.name, v.name.encode(), v["vna_hash"], bool(v["vna_flags"] & 2), v["vna_other"])
        for need, versions in (section.iter_versions() if section is not None else ())
        for v in versions
    ]


def _pyelftools_definitions(elf: Any) -> list[tuple[bytes, int, int, bool]]:  # noqa: ANN401
    section = elf.get_section_by_name(".gnu.version_d")
    return [
        (next(names).name.encode(), d["vd_hash"], d["vd_ndx"], bool(d["vd_flags"] & 1))
        for d, names in (section.iter_versions() if section is not None else ())
    ]


def by_readelf(program: str, path: Path) -> dict[str, Any]:
    """What readelf prints of needed libraries, symbols with versions, version needs, and symbols that relocations name."""
    command = [program, "-W", "-d", "-V", "-r", "--dyn-syms", str(path)]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "surrogateescape")
    text = text.replace("<OS specific>: 10", "UNIQUE")  # where EI_OSABI is not GNU
    shift = 32 if re.search(r"^[0-9a-f]{16}  [0-9a-f]{16} R_", text, re.MULTILINE) else 8
    rows = re.findall(
        r"^ *\d+: [0-9a-f]+ +\S+ +(\S+) +(\S+) +(\S+)(?: +\[.*?\])? +(\S+)(?: (\S*))?(?: \(\d+\))?$", text, re.MULTILINE
    )
    infos = re.findall(r"^[0-9a-f]{8,16} +([0-9a-f]{8,16}) (R_\S+)", text, re.MULTILINE)
    return {
        "needed": re.findall(r"\(NEEDED\) +Shared library: \[(.*)\]", text),
        "symbols": [
            # readelf gives section symbols, which have no name, that of their section
            (bind, visibility, index == "UND", "" if kind == "SECTION" else name)
            for kind, bind, visibility, index, name in rows
        ],
        "needs": [(name, int(index)) for name, index in re.findall(r"0x\w+: +Name: (\S+) +Flags: \S.*? +Version: (\d+)", text)],
        "uses": _readelf_uses((int(info, 16) >> shift, kind) for info, kind in infos),
    }


def _readelf_uses(relocations: Iterable[tuple[int, str]]) -> dict[int, Use]:
    uses: dict[int, Use] = {}
    for symbol, kind in relocations:
        use = use_of_name(kind)
        if symbol and use:
            uses[symbol] = uses.get(symbol, Use.NONE) | use
    return uses


def as_readelf(facts: ElfFacts) -> dict[str, Any]:
    """Our facts as readelf would print them."""
    table = facts.symbols
    return {
        "needed": list(facts.needed),
        "symbols": [_as_readelf_symbol(facts, symbol) for symbol in range(table.count)],
        "needs": [(v.name.decode(), v.index) for need in facts.version_needs for v in need.versions],
        "uses": uses_in(facts),
    }


def _as_readelf_symbol(facts: ElfFacts, symbol: int) -> tuple[str, str, bool, str]:
    names = {0: "LOCAL", 1: "GLOBAL", 2: "WEAK", 10: "UNIQUE"}
    visibilities = ("DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED")
    found = facts.symbols.definition(symbol)
    name = facts.symbols.name(symbol).decode("utf-8", "surrogateescape")
    is_its_own_node = found.absolute and found.version == name.encode()
    if found.version is not None and not is_its_own_node:
        # A copy of a library's datum (COPY) is defined with a version that is only needed.
        is_default = not found.hidden and found.index in {d.index for d in facts.version_definitions}
        name += ("@@" if is_default else "@") + found.version.decode()
    return names[found.binding], visibilities[found.visibility], not found.defined, name
