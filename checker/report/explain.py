"""``wheelproof explain``: the whole story of one symbol, library or file, as lines."""

from __future__ import annotations

from collections import Counter

from checker.model.closure import FoundBy
from checker.model.elf import Use, Visibility
from checker.model.record import record
from checker.report.elfnames import architecture
from checker.report.lookups import fates, note, roots_text
from checker.report.show import details, edge_segments, loads_segments
from checker.report.text import Line, Style, counted, decoded, evidence_rows, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from checker.model.artifact import Member
    from checker.model.case import Case
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts, Import
    from checker.model.finding import EvidenceValue, Finding
    from checker.model.report import ArtifactReport

    Concerns = Callable[[Finding], bool]

_SHOWN = 20
"""So many rows of each list."""
_MANY = 200
"""So many lines where each row takes a few."""


@record
class Supply:
    """A library of a platform that defines a symbol.

    Attributes:
        library: soname.
        versions: under which versions, as text; empty for an unversioned definition.
        platforms: where, as text, such as ``glibc-2.34-x86_64 and later``.
    """

    library: str
    versions: tuple[str, ...]
    platforms: str


def symbol(report: ArtifactReport, name: str, readable: str, supplies: Iterable[Supply]) -> tuple[Line, ...]:
    """Who asks for a symbol, what becomes of that, and who defines it.

    Args:
        report: with lookups of the symbol.
        name: as in the symbol table.
        readable: demangled; the same where there is nothing to demangle.
        supplies: the platforms' definitions.
    """
    rows = symbol_sections(report, name, readable, supplies)
    return (*rows, *_findings(report, lambda finding: _mentions(finding, name)))


def symbol_sections(report: ArtifactReport, name: str, readable: str, supplies: Iterable[Supply]) -> list[Line]:
    """The same without the findings that concern it."""
    rows = [title("symbol", name, "" if readable == name else readable)]
    rows += section("asked for by", _askers(report.case, name))
    rows += section("becomes", fates(report, name), shown=_MANY)
    return rows + section("defined by", [*_definers(report.case, name), *map(_supply, supplies)])


def library(report: ArtifactReport, soname: str) -> tuple[Line, ...]:
    """Who needs a library, where was looked, who has it, and what it supplies."""
    edges = [edge for edge in _all_edges(report) if edge.soname == soname]
    rows = library_sections(report, soname)
    users = [row for row in report.bindings or () if row.path in {soname, *(edge.path for edge in edges if edge.path)}]
    names = sorted({decoded(row.symbol) for row in users})
    rows += section(f"supplies {counted(len(names), 'symbol')} to this artifact", _items(names))
    return (*rows, *_findings(report, lambda finding: _mentions(finding, soname)))


def library_sections(report: ArtifactReport, soname: str, needer: str = "") -> list[Line]:
    """The same without what it supplies, and without the findings that concern it; of one needer alone, if it is one."""
    edges = [edge for edge in _all_edges(report) if edge.soname == soname]
    edges = [edge for edge in edges if edge.needer == needer] or edges
    rows = [title("library", soname)]
    rows += section("needed by", _needs(report, edges, _roots_of_edges(report, soname)), shown=_MANY)
    rows += section("ends the load of", _ended(report.case, soname))
    return rows + section("could be supplied by", _holders(report.case, soname))


def file(report: ArtifactReport, path: str) -> tuple[Line, ...]:
    """What a member is, what it needs and who needs it."""
    problems = [line(problem.reason, style=Style.WARNING) for problem in report.unchecked if problem.file == path]
    rows = [*file_sections(report, path), *section("could not be checked", problems)]
    return (*rows, *_findings(report, lambda finding: finding.file == path))


def file_sections(report: ArtifactReport, path: str) -> list[Line]:
    """The same without its findings and what could not be checked."""
    case = report.case
    member = next((member for member in case.inventory.members if member.path == path), None)
    rows = [title("file", path)]
    rows += section("is", [*(_member(member) if member is not None else ()), *_elf(case.object(path))])
    rows += section("loaded on its own", [Line(body=tuple(loads_segments(r.loads))) for r in case.roots if r.path == path])
    edges = _all_edges(report)
    rows += section("needs", [Line(body=edge_segments(edge)) for edge in edges if edge.needer == path])
    needers = sorted({f"{edge.needer}, as {edge.soname}, found by {edge.how.value}" for edge in edges if edge.path == path})
    return rows + section("needed by", _items(needers))


def title(kind: str, name: str, more: str = "") -> Line:
    """What the story is about."""
    return Line(
        lead=((f"{kind} ", Style.DIM), (name, Style.STRONG)),
        body=((f"  {more}", Style.PLAIN),) if more else (),
    )


def section(title: str, rows: Iterable[Line], shown: int = _SHOWN) -> list[Line]:
    """The first rows under a title; nothing where there are none."""
    told = list(rows)
    if not told:
        return []
    lines = [Line(lead=(("  ", Style.PLAIN), *row.lead), body=row.body) for row in told[:shown]]
    if len(told) > shown:
        lines.append(line(f"and {len(told) - shown:,} more", style=Style.DIM, indent=2))
    return [line(), line(title, style=Style.STRONG), *lines]


def _items(texts: Iterable[str]) -> list[Line]:
    return [line(text) for text in texts]


def _askers(case: Case, name: str) -> Iterator[Line]:
    raw = name.encode("utf-8", "surrogateescape")
    for facts in case.objects:
        if raw in facts.imports.names:
            for wanted in facts.each_import():
                if wanted.name == raw:
                    yield Line(lead=((f"{facts.path}  ", Style.PLAIN),), body=((_wanted(wanted), Style.DIM),))


_LOCAL = frozenset({Visibility.STV_INTERNAL, Visibility.STV_HIDDEN})
_USES = {
    Use.JUMP_SLOT: "called",
    Use.GLOB_DAT: "its address taken from the GOT",
    Use.ABSOLUTE: "its address stored in data",
    Use.COPY: "copied into the executable",
    Use.TLS_MODULE: "thread-local (general dynamic)",
    Use.TLS_OFFSET: "thread-local (initial exec)",
    Use.TLS_DESCRIPTOR: "thread-local (descriptor)",
    Use.OTHER: "used by a relocation of unknown type",
}


def _wanted(wanted: Import) -> str:
    version = f"version {decoded(wanted.version)}" if wanted.version is not None else "any version"
    uses = " and ".join(words for use, words in _USES.items() if wanted.uses & use)
    if uses and wanted.visibility in _LOCAL:
        uses += "; hidden, so that glibc from 2.24 on does not look it up: it becomes an address in the file itself"
    return ", ".join(filter(None, (version, "weak" if wanted.weak else "", uses or "no relocation uses it: never looked up")))


def _definers(case: Case, name: str) -> Iterator[Line]:
    raw = name.encode("utf-8", "surrogateescape")
    for facts in case.objects:
        entries = [entry for entry in facts.symbols.definitions(raw) if entry.defined]
        versions = ", ".join(decoded(entry.version) for entry in entries if entry.version is not None)
        if entries:
            yield Line(lead=((f"{facts.path}  ", Style.PLAIN),), body=((f"member, {versions or 'no version'}", Style.DIM),))
    for host in case.hosts():
        if host.definitions(raw):
            yield Line(lead=((f"{host.name}  ", Style.PLAIN),), body=(("the interpreter itself", Style.DIM),))


def _supply(supply: Supply) -> Line:
    versions = ", ".join(supply.versions) or "no version"
    return Line(lead=((f"{supply.library}  ", Style.PLAIN),), body=((f"{versions}, {supply.platforms}", Style.DIM),))


def _all_edges(report: ArtifactReport) -> tuple[Edge, ...]:
    """Every edge of every closure once; those of the case where no closures were asked for."""
    edges = [edge for closure in report.closures or () for edge in closure.edges] or list(report.case.libraries)
    unique = {(edge.needer, edge.soname, edge.path, edge.how): edge for edge in reversed(edges)}
    return tuple(sorted(unique.values(), key=lambda edge: (edge.needer, edge.soname, edge.path or "", edge.how.value)))


_EdgeKey = tuple[str, "str | None", FoundBy]
"""Needer, path and how of an edge of one library."""

_HOWS = {
    FoundBy.INHERITED_RPATH: "not by a run path of its own, but by that of an object that brought it in: opened alone, or "
    "brought in by another, it may not find it",
    FoundBy.ALREADY_LOADED: "not searched for: an object that was loaded before has that name",
    FoundBy.PRELOADED: "only through preloading: no search finds it",
    FoundBy.DECLARED: "believed, since the policy declares that distribution",
    FoundBy.LIBRARY_PATH: "only with this LD_LIBRARY_PATH",
}


def _needs(report: ArtifactReport, edges: Sequence[Edge], roots: Mapping[_EdgeKey, tuple[str, ...]]) -> Iterator[Line]:
    """Who needs it, what was found, and every place looked at; by root, where roots differ."""
    variants = Counter(needer for needer, _, _ in roots)
    for edge in edges[:_SHOWN]:
        yield Line(lead=((f"{edge.needer}  ", Style.PLAIN),), body=edge_segments(edge))
        if variants[edge.needer] > 1:
            yield note(f"in {roots_text(roots[edge.needer, edge.path, edge.how])}")
        if edge.how in _HOWS:
            yield note(_HOWS[edge.how])
        is_plain = edge.how in {FoundBy.SYSTEM, FoundBy.ALREADY_LOADED} and len(edge.looked_in) == 1
        for number, attempt in enumerate(() if is_plain else edge.looked_in, start=1):
            yield note(f"{number:>3}. {attempt.place} ({attempt.source}): {attempt.outcome}", deeper=True)
        if edge.how is FoundBy.NOT_FOUND:
            yield from _run_paths(report, edge.needer)
    if len(edges) > _SHOWN:
        yield line(f"and {len(edges) - _SHOWN:,} more", style=Style.DIM)


def _run_paths(report: ArtifactReport, needer: str) -> Iterator[Line]:
    """Which run paths were not searched for an object's needs, by glibc's rules (``elf/dl-load.c``); musl has none of them."""
    facts = report.case.object(needer)
    if facts is None or all(promise.oldest.family == "musl" for promise in report.case.promises):
        return
    if facts.runpath is not None:
        if facts.rpath is not None:
            yield note("glibc: its DT_RPATH does not count beside its DT_RUNPATH")
        yield note("glibc: since it has DT_RUNPATH, no DT_RPATH of what brings it in is searched for its needs")
        return
    if facts.rpath is None:
        yield note("it has neither DT_RUNPATH nor DT_RPATH")
    for path in sorted({edge.needer for edge in _all_edges(report) if edge.path == needer}):
        above = report.case.object(path)
        if above is not None and above.runpath is not None:
            yield note(f"glibc: the DT_RUNPATH {above.runpath} of {path}, which brings it in, is not inherited")


def _roots_of_edges(report: ArtifactReport, soname: str) -> dict[_EdgeKey, tuple[str, ...]]:
    found: dict[_EdgeKey, list[str]] = {}
    for closure in report.closures or ():
        for edge in closure.edges:
            if edge.soname == soname:
                found.setdefault((edge.needer, edge.path, edge.how), []).append(closure.root)
    return {key: tuple(roots) for key, roots in found.items()}


def _ended(case: Case, soname: str) -> Iterator[Line]:
    """The roots that do not load for want of the library, and since when."""
    for root in case.roots:
        if any(load.because is not None and load.because.subject == soname for load in root.loads):
            yield Line(lead=((f"{root.path}  ", Style.PLAIN),), body=tuple(loads_segments(root.loads)))


def _holders(case: Case, soname: str) -> Iterator[Line]:
    for facts in case.objects:
        if facts.soname == soname or facts.path.rpartition("/")[2] == soname:
            yield line(f"{facts.path}, a member")
    for promise in case.promises:
        held = promise.baseline.library(soname) if promise.baseline is not None else None
        if promise.baseline is not None and held is not None:
            kept = "promised by" if promise.baseline.is_promised(soname) else "on many systems, but not promised by"
            yield line(f"{soname} of {promise.oldest}, {kept} {promise.tag}")
    for provider in case.providers:
        yield from _items([f"{provider.requirement}, by the policy"] if _declares(provider.libraries, soname) else [])


def _declares(globs: tuple[str, ...], soname: str) -> bool:
    from checker.model.globs import any_match

    return any_match(globs, soname)


def _member(member: Member) -> Iterator[Line]:
    yield line(f"{counted(member.size, 'byte')}, kind {member.kind.value}, mode {member.mode:o}")
    if member.link is not None:
        yield line(f"a link to {member.link}")
    if member.sha256:
        yield line(f"sha256 {member.sha256}")


def _elf(facts: ElfFacts | None) -> Iterator[Line]:
    if facts is not None:
        yield line(f"architecture {architecture(facts.identity)}")
        yield from (line(f"{name} {text}") for name, text in details(facts) if text)


def _findings(report: ArtifactReport, concerns: Concerns) -> list[Line]:
    rows: list[Line] = []
    for found in report.findings:
        if concerns(found):
            rows += [*finding_rows(found), line(f"more: wheelproof rules {found.rule}", style=Style.DIM, indent=2)]
    return rows


def finding_rows(found: Finding) -> Iterator[Line]:
    """A finding with its evidence and its remedy."""
    yield line()
    waived = f" (waived: {found.waived.reason})" if found.waived is not None else ""
    yield Line(
        lead=((f"{found.level.value} ", Style[found.level.name]), (f"{found.rule}  ", Style.STRONG)),
        body=((f"{found.message}{waived}", Style.PLAIN),),
    )
    yield line(f"file: {found.file}", indent=2)
    for key, value in found.evidence:
        for text in evidence_rows(value)[:_SHOWN]:
            yield Line(lead=((f"  {key.replace('_', ' ')}: ", Style.DIM),), body=((text, Style.DIM),))
    yield line(f"fingerprint: {found.fingerprint}", style=Style.DIM, indent=2)
    yield Line(lead=(("  fix: ", Style.REMEDY),), body=((found.remedy, Style.PLAIN),))


def _values(value: EvidenceValue) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _mentions(found: Finding, name: str) -> bool:
    """The name stands in the subject or the evidence, alone or with a version behind it."""
    texts = [found.subject, *(text for _, value in found.evidence for text in _values(value))]
    return any(name in {text, text.partition("@")[0], text.partition(" ")[0]} for text in texts)
