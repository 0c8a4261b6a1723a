"""Findings and what could not be checked, in blocks under the files that they are about: for the terminal."""

from __future__ import annotations

from itertools import groupby

from checker.model.finding import Level
from checker.model.record import record
from checker.report.causes import files_named, likewise
from checker.report.terminal import Verbosity
from checker.report.text import Line, Style, evidence_rows, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.artifact import Inventory
    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport
    from checker.report.causes import Cause
    from checker.report.text import Segment

_SHOWN_PER_RULE = 10
"""So many causes of one rule in the same files are told before the rest is only counted; ``VERBOSE`` tells all."""

_LEVEL_STYLES = {Level.ERROR: Style.ERROR, Level.WARNING: Style.WARNING, Level.NOTE: Style.NOTE}
_LABEL_WIDTH = 11
"""The longest label, ``unchecked``, and two spaces."""
_INDENT = 4
_HANG = " " * (_INDENT + _LABEL_WIDTH)
"""Where a finding's text begins, and what belongs to it."""


def by_file(artifact: ArtifactReport, causes: Sequence[Cause], verbosity: Verbosity) -> Iterator[Line]:
    """The gravest first.

    Args:
        artifact: whose findings they are.
        causes: what is told of its findings.
        verbosity: how much of each.
    """
    remedies: set[str] = set()
    for section in _sections(artifact, causes):
        yield _heading(section.files, artifact.case.inventory)
        yield from _findings(section.causes, remedies, verbosity)
        for reason in section.reasons:
            yield _labelled("unchecked", Style.WARNING, ((reason, Style.PLAIN),))


@record
class _Section:
    """What is told under one heading: the files that it is true of."""

    files: tuple[str, ...]
    causes: tuple[Cause, ...]
    reasons: tuple[str, ...]


def _sections(artifact: ArtifactReport, causes: Sequence[Cause]) -> list[_Section]:
    """Findings and what could not be checked, by file, the gravest first."""
    sections: dict[tuple[str, ...], tuple[list[Cause], list[str]]] = {}
    for cause in causes:
        sections.setdefault(cause.files, ([], []))[0].append(cause)
    reasons: dict[str, set[str]] = {}
    for problem in artifact.unchecked:
        reasons.setdefault(problem.reason, set()).add(problem.file)
    for reason, files in reasons.items():
        sections.setdefault(tuple(sorted(files)), ([], []))[1].append(reason)
    made = [
        _Section(
            files=files,
            causes=tuple(sorted(ones, key=lambda one: (_order(one.told), one.told.rule))),
            reasons=tuple(why),
        )
        for files, (ones, why) in sections.items()
    ]
    return sorted(
        made, key=lambda one: (min((_order(each.told) for each in one.causes), default=_LAST), -len(one.files), one.files)
    )


def _order(finding: Finding) -> int:
    """Ascending: errors first, waived findings after notes."""
    return Level.ERROR.rank - finding.level.rank if finding.waived is None else _LAST - 1


_LAST = Level.ERROR.rank + 1
"""After all findings: what could not be checked."""


def _heading(files: Sequence[str], inventory: Inventory) -> Line:
    names = [f"the {inventory.kind.value} as a whole" if file == inventory.name else file for file in files]
    return Line(lead=(("  ", Style.PLAIN),), body=((files_named(names), Style.STRONG),))


def _findings(causes: Sequence[Cause], remedies: set[str], verbosity: Verbosity) -> Iterator[Line]:
    for (_, rule), group in groupby(causes, key=lambda cause: (_order(cause.told), cause.told.rule)):
        members = list(group)
        limit = len(members) if verbosity is Verbosity.VERBOSE else _SHOWN_PER_RULE
        yield from _with_remedies(members[:limit], remedies, verbosity)
        if len(members) > limit:
            yield line(f"and {len(members) - limit:,} more of {rule} here (--verbose)", style=Style.DIM, indent=len(_HANG))


def _with_remedies(causes: Sequence[Cause], remedies: set[str], verbosity: Verbosity) -> Iterator[Line]:
    """Causes that are mended alike tell the remedy once, after the last of them; ``remedies`` are those told before."""
    for remedy, group in groupby(causes, key=lambda cause: cause.remedy):
        for cause in group:
            yield _finding(cause)
            for row in likewise(cause):
                yield Line(lead=((_HANG, Style.PLAIN), ("likewise: ", Style.DIM)), body=((row, Style.PLAIN),))
            if verbosity is Verbosity.VERBOSE:
                yield from _evidence(cause.told)
        if remedy and verbosity is not Verbosity.QUIET:
            text = ("as above", Style.DIM) if remedy in remedies else (remedy, Style.PLAIN)
            remedies.add(remedy)
            yield Line(lead=((_HANG, Style.PLAIN), ("fix: ", Style.REMEDY)), body=(text,))


def _finding(cause: Cause) -> Line:
    finding = cause.told
    text = ((finding.rule, Style.STRONG), (f"  {cause.message}", Style.PLAIN))
    if finding.waived is None:
        return _labelled(finding.level.value, _LEVEL_STYLES[finding.level], text)
    waived = finding.waived
    until = f", until {waived.expires}" if waived.expires else ""
    owner = f", {waived.owner}" if waived.owner else ""
    return _labelled("waived", Style.DIM, (*text, (f" (waived: {waived.reason}{owner}{until})", Style.DIM)))


def _labelled(label: str, style: Style, body: tuple[Segment, ...]) -> Line:
    return Line(lead=((" " * _INDENT, Style.PLAIN), (label.ljust(_LABEL_WIDTH), style)), body=body)


def _evidence(finding: Finding) -> Iterator[Line]:
    for key, value in finding.evidence:
        for item in evidence_rows(value):
            yield Line(lead=((_HANG, Style.PLAIN), (f"{key.replace('_', ' ')}: ", Style.DIM)), body=((item, Style.DIM),))
    yield line(f"fingerprint: {finding.fingerprint}", style=Style.DIM, indent=len(_HANG))
