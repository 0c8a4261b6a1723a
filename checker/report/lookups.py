"""What lookups come to and the way there, as lines: the heart of ``wheelproof explain SYMBOL``."""

from __future__ import annotations

from itertools import groupby

from checker.model.resolution import Outcome, Via
from checker.report.spans import spans
from checker.report.text import Line, Style, counted, decoded, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import Use
    from checker.model.report import ArtifactReport
    from checker.model.resolution import Lookup

_SHOWN = 20
"""So many objects that have something under the name."""
_NAMED = 6
"""So many objects that have nothing under it are told by theirs."""
_ROOTS = 3

_OUTCOMES = {
    Outcome.WEAK_ABSENT: "nobody defines it; the weak reference becomes 0",
    Outcome.VERSION_MISSING: "nobody defines the wanted version",
    Outcome.SYMBOL_MISSING: "nobody in scope defines it",
    Outcome.LIBRARY_MISSING: "unresolved, and a library is missing that may define it",
    Outcome.UNDECIDED: "could not be decided",
}
_VIAS = {
    Via.INTERPRETER_DEPENDENCY: "only because the interpreter links {path}: the file does not need it, and another build of "
    "the interpreter may not link it",
    Via.SIBLING: "only beside {path}: the file does not need it, another object of the same root does",
    Via.PRELOAD: "only through preloading: {path} was loaded before",
}


def fates(report: ArtifactReport, name: str) -> Iterator[Line]:
    """What each reference comes to, since when, and the way there; where roots differ, by root."""
    raw = name.encode("utf-8", "surrogateescape")
    told = [one for one in report.lookups or () if one.symbol == raw]
    roots: dict[tuple[str, bytes | None, Use], set[tuple[str, ...]]] = {}
    for one in told:
        roots.setdefault((one.object, one.version, one.uses), set()).add(one.roots)
    for one in told:
        differ = len(roots[one.object, one.version, one.uses]) > 1
        yield from _lookup(report.case, one, in_roots=differ)


def _lookup(case: Case, lookup: Lookup, *, in_roots: bool) -> Iterator[Line]:
    judged = [platform for promise in case.promises for platform in promise.judged]
    version = f", version {decoded(lookup.provider_version)}" if lookup.provider_version else ""
    text = _OUTCOMES.get(lookup.outcome) or f"bound to {_whom(lookup)}{version}"
    is_fine = lookup.outcome in {Outcome.BOUND, Outcome.WEAK_ABSENT}
    yield Line(
        lead=((f"{lookup.object}  ", Style.PLAIN),),
        body=((text, Style.PLAIN if is_fine else Style.ERROR), (f", {spans(lookup.platforms, judged)}", Style.PLAIN)),
    )
    if in_roots:
        yield note(f"in {roots_text(lookup.roots)}")
    if lookup.via in _VIAS:
        yield note(_VIAS[lookup.via].format(path=lookup.path))
    if lookup.rule:
        yield note(lookup.rule)
    yield from _way(lookup)
    candidates = {
        path
        for one in case.resolutions
        if (one.object, one.symbol, one.version, one.outcome) == (lookup.object, lookup.symbol, lookup.version, lookup.outcome)
        for path in one.candidates
    }
    # One that was asked is told above with the versions it has; only those that were not asked are out of scope.
    candidates.difference_update(met.path for met in lookup.met)
    if candidates:
        yield note(f"not in scope, though they define it: {', '.join(sorted(candidates))}")


def _whom(lookup: Lookup) -> str:
    return "itself" if lookup.path == lookup.object else f"{lookup.path} ({lookup.provider.value})"


def roots_text(roots: tuple[str, ...]) -> str:
    """``5 roots: a.so, b.so, c.so and 2 more``."""
    more = len(roots) - _ROOTS
    told = ", ".join(roots[:_ROOTS]) + (f" and {more:,} more" if more > 0 else "")
    return f"{counted(len(roots), 'root')}: {told}"


def _way(lookup: Lookup) -> Iterator[Line]:
    """The objects asked, in order: each that has something under the name, and between them how many have nothing."""
    yield note(f"asked in this order on {lookup.platforms[-1]}, when {lookup.roots[0]} is opened:")
    number = 0
    for has_note, group in groupby(lookup.met, key=lambda met: bool(met.note)):
        asked = list(group)
        if has_note:
            for met in asked[:_SHOWN]:
                number += 1
                yield note(f"{number:>3}. {met.path} ({met.provider.value}): {met.note}", deeper=True)
            number += len(asked[_SHOWN:])
            continue
        names = ", ".join(met.path for met in asked[:_NAMED])
        more = f" and {len(asked) - _NAMED:,} more" if len(asked) > _NAMED else ""
        span = f"{number + 1:>3}." if len(asked) == 1 else f"{number + 1:>3} to {number + len(asked)}."
        number += len(asked)
        yield note(f"{span} {names}{more}: {'does' if len(asked) == 1 else 'do'} not define it", deeper=True)
    if lookup.later:
        names = ", ".join(met.path for met in lookup.later[:_NAMED])
        more = f" and {len(lookup.later) - _NAMED:,} more" if len(lookup.later) > _NAMED else ""
        yield note(f"come later and would do, too: {names}{more}", deeper=True)


def note(text: str, *, deeper: bool = False) -> Line:
    """A remark below a row."""
    return line(text, style=Style.DIM, indent=4 if deeper else 2)
