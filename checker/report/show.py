"""``wheelproof show``: what an artifact holds and needs, for a person. Facts only; findings are the business of ``check``."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from checker.model.closure import FoundBy, ProviderKind
from checker.model.platform import host_order
from checker.model.resolution import LoadOutcome, Outcome, Via
from checker.report.elfnames import architecture
from checker.report.spans import spans
from checker.report.text import Line, Style, counted, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checker.model.case import Because, Case
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts
    from checker.model.report import ArtifactReport
    from checker.model.resolution import BindingRow, Load, RootVerdict
    from checker.report.text import Segment

_LABEL_WIDTH = 11
_SHOWN = 10
"""So many rows of a long list are told unless all are asked for."""


_DEEPEST = 30
"""Levels of a tree that are told by indentation; a chain can be as long as an attacker likes."""


def lines(report: ArtifactReport, *, verbose: bool = False) -> tuple[Line, ...]:
    """The whole picture.

    Args:
        report: with bindings and closures; without them origins and trees are left out.
        verbose: tell all rows, details of every object, and what platform libraries need.
    """
    case = report.case
    rows = [*_header(case), *_platform(case, verbose=verbose)]
    if case.objects:
        rows += [line(), _title("objects"), *(row for facts in case.objects for row in _object(facts, case, verbose=verbose))]
    if case.roots:
        rows += [line(), _title("needed libraries"), *_trees(report, verbose=verbose)]
    if report.bindings:
        rows += [line(), _title(f"symbol origins on {report.bindings[0].platform}"), *_origins(report.bindings)]
    if report.unchecked:
        rows += [line(), _title("could not be checked")]
        rows += [_row(f"{problem.file}  ", problem.reason, style=Style.WARNING) for problem in report.unchecked]
    return tuple(rows)


def _title(text: str) -> Line:
    return line(text, style=Style.STRONG)


def _row(label: str, text: str, *, style: Style = Style.PLAIN, indent: int = 2) -> Line:
    return Line(lead=((" " * indent, Style.PLAIN), (label, style)), body=((text, Style.PLAIN),))


def _field(name: str, text: str) -> Line:
    return _row(name.ljust(_LABEL_WIDTH), text, style=Style.DIM)


def _header(case: Case) -> Iterator[Line]:
    inventory = case.inventory
    yield line(inventory.path, style=Style.STRONG)
    members = counted(len(inventory.members), "member")
    size = f", {counted(inventory.size, 'byte')}" if inventory.size else ""
    yield _field("kind", f"{inventory.kind.value}{size}, {members}, {counted(len(case.objects), 'ELF object')}")
    if inventory.sha256:
        yield _field("sha256", inventory.sha256)
    if case.tags:
        yield _field("tags", ", ".join(map(str, case.tags)))
    hosts = {root.interpreter for root in case.roots if root.interpreter} or {host.name for host in case.hosts()}
    if hosts:
        yield _field("python", ", ".join(sorted(hosts, key=host_order)))


def _platform(case: Case, *, verbose: bool) -> Iterator[Line]:
    if case.promises:
        told = (f"{promise.tag} (judged on {_listed(map(str, promise.judged))})" for promise in case.promises)
        yield _field("promises", ", ".join(told))
    computed = case.computed
    if computed is None:
        return
    yield _field("computed", computed.platform or "no platform tag is true of it")
    needs = _because(computed.because)
    if not needs and computed.platform is not None and computed.platform.startswith("musllinux"):
        yield _field("no older", "musl's symbols have no versions, so that nothing in a file shows it to run on an older musl")
    shown = needs if verbose else needs[:_SHOWN]
    for index, text in enumerate(shown):
        yield _field("" if index else "no older", text)
    if len(needs) > len(shown):
        yield _field("", f"and {len(needs) - len(shown):,} more (--verbose)")


def _because(rows: Sequence[Because]) -> list[str]:
    """``FILE needs memcpy@GLIBC_2.14 of libc.so.6``: one for each file, library and version, with one symbol named."""
    texts = []
    for (file, soname, version), group in groupby(rows, key=lambda row: (row.file, row.soname, row.version)):
        symbols = [row.symbol for row in group]
        more = f" and {len(symbols) - 1:,} more" if len(symbols) > 1 else ""
        wanted = "@".join(filter(None, (symbols[0], version)))
        texts.append(f"{file} needs {wanted or soname}{more}{f' of {soname}' if wanted else ''}")
    return texts


def _object(facts: ElfFacts, case: Case, *, verbose: bool) -> Iterator[Line]:
    host = next((f", loaded by {_hosts(root)}" for root in case.roots if root.path == facts.path), "")
    soname = f", soname {facts.soname}" if facts.soname else ""
    yield Line(
        lead=(("  ", Style.PLAIN),),
        body=((facts.path, Style.PLAIN), (f"  {architecture(facts.identity)}{host}{soname}", Style.DIM)),
    )
    if verbose:
        yield from (_row(name.ljust(_LABEL_WIDTH), text, style=Style.DIM, indent=4) for name, text in details(facts) if text)


def _hosts(root: RootVerdict) -> str:
    return {"python": "Python", "executable": "the system, as a program", "library": "name (ctypes, dlopen)"}.get(
        root.host, root.host
    )


def details(facts: ElfFacts) -> Iterator[tuple[str, str]]:
    """(Name, text) of what an ELF file says; the text may be empty."""
    yield "type", str(facts.identity.type)
    yield "interp", facts.interpreter or ""
    yield "needed", ", ".join(facts.needed)
    yield "rpath", facts.rpath or ""
    yield "runpath", facts.runpath or ""
    yield "imports", f"{len(facts.imports):,}"
    yield "versions", ", ".join(_version_needs(facts))
    yield "build id", facts.notes.build_id or ""
    yield "stack", facts.stack.value
    yield "relro", facts.relro.value
    yield "made by", "; ".join(facts.comment)
    yield "read by", facts.view.value


def _version_needs(facts: ElfFacts) -> Iterator[str]:
    for need in facts.version_needs:
        versions = (version.name.decode("utf-8", "surrogateescape") for version in need.versions)
        yield f"{need.file} ({' '.join(versions)})"


def _trees(report: ArtifactReport, *, verbose: bool) -> Iterator[Line]:
    edges = {closure.root: closure.edges for closure in report.closures or ()}
    for root in report.case.roots:
        yield Line(
            lead=(("  ", Style.PLAIN),), body=((root.path, Style.PLAIN), (": ", Style.PLAIN), *loads_segments(root.loads))
        )
        by_needer: dict[str, list[Edge]] = {}
        for edge in edges.get(root.path, ()):
            by_needer.setdefault(edge.needer, []).append(edge)
        yield from _tree(root.path, by_needer, verbose=verbose)


def loads_segments(loads: Iterable[Load]) -> Iterator[Segment]:
    """``fails before B (library: libx.so, in y.so); loads from B on``."""
    separator = ""
    told = list(loads)
    judged = [load.platform for load in told]
    for (outcome, because), group in groupby(told, key=lambda load: (load.outcome, load.because)):
        style = (
            Style.GOOD if outcome is LoadOutcome.LOADS else Style.WARNING if outcome is LoadOutcome.UNDECIDED else Style.ERROR
        )
        yield separator, Style.PLAIN
        yield f"{outcome.value} {spans((load.platform for load in group), judged)}", style
        if because is not None:
            yield f" ({because.kind}: {because.subject}, in {because.object})", Style.PLAIN
        separator = "; "


def _listed(names: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def _tree(root: str, by_needer: Mapping[str, Sequence[Edge]], *, verbose: bool) -> Iterator[Line]:
    """Depth first, each object's own needs once: they are the same wherever it stands."""
    expanded = {root}
    stack = [(edge, 2) for edge in reversed(by_needer.get(root, ()))]
    while stack:
        edge, depth = stack.pop()
        indent = 2 * min(depth, _DEEPEST)
        yield Line(lead=((" " * indent, Style.PLAIN),), body=edge_segments(edge))
        if edge.provider is ProviderKind.NONE:
            yield from (
                line(f"looked in {tried.place} ({tried.source}): {tried.outcome}", style=Style.DIM, indent=indent + 2)
                for tried in edge.looked_in
            )
        opened = edge.path
        if opened is None or opened in expanded or (edge.provider is ProviderKind.PLATFORM and not verbose):
            continue
        expanded.add(opened)
        stack += [(child, depth + 1) for child in reversed(by_needer.get(opened, ()))]


def edge_segments(edge: Edge) -> tuple[Segment, ...]:
    """``libfoo.so.1 => pkg.libs/libfoo.so.1  member, runpath``."""
    if edge.provider is ProviderKind.NONE:
        return (f"{edge.soname} ", Style.PLAIN), ("not found", Style.ERROR)
    where = f" => {edge.path}" if edge.path not in {None, edge.soname} else ""
    how = "" if edge.how in {FoundBy.SYSTEM, FoundBy.DECLARED} else f", {edge.how.value}"
    return (f"{edge.soname}{where}", Style.PLAIN), (f"  {edge.provider.value}{how}", Style.DIM)


_VIA_WORDS = {
    Via.INTERPRETER_DEPENDENCY: ", only because the interpreter links it",
    Via.SIBLING: ", only beside that sibling",
    Via.PRELOAD: ", only through preloading",
}
_OUTCOME_WORDS = {
    Outcome.WEAK_ABSENT: "weak, and nobody defines them",
    Outcome.VERSION_MISSING: "nobody defines the wanted version",
    Outcome.SYMBOL_MISSING: "nobody defines them",
    Outcome.LIBRARY_MISSING: "unresolved, with a library missing",
    Outcome.UNDECIDED: "could not be decided",
}


def _origins(bindings: Iterable[BindingRow]) -> Iterator[Line]:
    """How many lookups end at whom, the most first; then those that end nowhere."""
    origins: Counter[tuple[str, str]] = Counter()
    nowhere: Counter[Outcome] = Counter()
    for row in bindings:
        if row.outcome is Outcome.BOUND:
            via = _VIA_WORDS.get(row.via, "") if row.via is not None else ""
            origins[row.provider.value, (row.path or "") + via] += 1
        else:
            nowhere[row.outcome] += 1
    width = len(f"{max([*origins.values(), *nowhere.values()], default=0):,}")
    for (provider, path), number in sorted(origins.items(), key=lambda item: (-item[1], item[0])):
        yield _row(f"{number:>{width},}  ", f"{path}  ({provider})")
    for outcome, text in _OUTCOME_WORDS.items():
        if nowhere[outcome]:
            style = Style.PLAIN if outcome is Outcome.WEAK_ABSENT else Style.ERROR
            yield _row(f"{nowhere[outcome]:>{width},}  ", text, style=style)
