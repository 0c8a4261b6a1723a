"""``--format terminal``: what a tired maintainer reads in ten seconds.

One line for an artifact that is fine. Otherwise its findings, by file, the gravest first, each with its remedy; then one line
that sums up. How much is told never changes the verdict.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import groupby
from typing import TYPE_CHECKING

from checker.model.finding import Level
from checker.model.report import Verdict
from checker.report.text import Line, Style, counted, line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checker.model.artifact import ReadProblem
    from checker.model.case import Case
    from checker.model.finding import EvidenceValue, Finding
    from checker.model.report import ArtifactReport, Report
    from checker.report.text import Segment


class Verbosity(IntEnum):
    """How much is told."""

    QUIET = 0
    """Nothing of what is fine, and no remedies."""
    NORMAL = 1
    """Errors and warnings with remedies; notes and waived findings are counted."""
    VERBOSE = 2
    """Everything, with evidence."""


_SHOWN_PER_RULE = 10
"""So many findings of one rule in one file are told before the rest is only counted; ``VERBOSE`` tells all."""

_LEVEL_STYLES = {Level.ERROR: Style.ERROR, Level.WARNING: Style.WARNING, Level.NOTE: Style.NOTE}
_LABEL_WIDTH = 11
"""Two spaces, the longest label (``unchecked`` is 9)."""


def lines(report: Report, verbosity: Verbosity = Verbosity.NORMAL) -> tuple[Line, ...]:
    """The whole report; empty where a quiet run has nothing to tell."""
    rows: list[Line] = []
    blocks = [_artifact(artifact, verbosity) for artifact in report.artifacts]
    if verbosity is not Verbosity.QUIET or report.verdict is not Verdict.PASS:
        blocks.append(_summary(report, alone=all(len(block) <= 1 for block in blocks)))
    previous = 0
    for block in blocks:
        if previous and block and max(previous, len(block)) > 1:
            rows.append(line())
        rows += block
        previous = len(block) or previous
    return tuple(rows)


def _artifact(artifact: ArtifactReport, verbosity: Verbosity) -> list[Line]:
    if verbosity is Verbosity.QUIET and artifact.verdict is Verdict.PASS:
        return []
    shown = [finding for finding in artifact.findings if _is_shown(finding, artifact, verbosity)]
    return [_headline(artifact), *_by_file(artifact, shown, verbosity)]


def _is_shown(finding: Finding, artifact: ArtifactReport, verbosity: Verbosity) -> bool:
    """Notes are shown unasked only where they alone make the artifact fail."""
    if verbosity is Verbosity.VERBOSE:
        return True
    if finding.waived is not None:
        return False
    if finding.level is not Level.NOTE:
        return True
    graver = any(other.waived is None and other.level is not Level.NOTE for other in artifact.findings)
    return artifact.verdict is Verdict.FAIL and not graver


_VERDICTS = {
    Verdict.PASS: ("ok", Style.GOOD),
    Verdict.FAIL: ("fails", Style.ERROR),
    Verdict.UNCHECKED: ("could not be checked in full", Style.WARNING),
}


def _headline(artifact: ArtifactReport) -> Line:
    word, style = _VERDICTS[artifact.verdict]
    about = f" ({_about(artifact.case)})"
    counts = f"; {_counts([artifact])}" if artifact.verdict is Verdict.PASS and artifact.findings else ""
    path = artifact.case.inventory.path
    return Line(body=((path, Style.STRONG), (": ", Style.PLAIN), (word, style), (about, Style.DIM), (counts, Style.PLAIN)))


def _about(case: Case) -> str:
    objects = counted(len(case.objects), "ELF object") if case.objects else "no ELF object"
    tags = [promise.tag for promise in case.promises]
    return ", ".join([objects, *tags])


def _by_file(artifact: ArtifactReport, shown: Sequence[Finding], verbosity: Verbosity) -> Iterator[Line]:
    name = artifact.case.inventory.name
    files = sorted({finding.file for finding in shown}, key=lambda file: (_gravest(shown, file), file))
    unchecked = sorted({problem.file for problem in artifact.unchecked} - set(files))
    for file in [*files, *unchecked]:
        whole = f"the {artifact.case.inventory.kind.value} as a whole"
        yield Line(lead=(("  ", Style.PLAIN),), body=((whole if file == name else file, Style.STRONG),))
        yield from _findings([finding for finding in shown if finding.file == file], verbosity)
        for problem in artifact.unchecked:
            if problem.file == file:
                yield _labelled("unchecked", Style.WARNING, ((problem.reason, Style.PLAIN),))


def _gravest(findings: Iterable[Finding], file: str) -> int:
    """Ascending: errors first, waived findings last."""
    return min(_order(finding) for finding in findings if finding.file == file)


def _order(finding: Finding) -> int:
    return Level.ERROR.rank - finding.level.rank if finding.waived is None else Level.ERROR.rank + 1


def _findings(findings: list[Finding], verbosity: Verbosity) -> Iterator[Line]:
    findings.sort(key=lambda finding: (_order(finding), finding.rule))  # stable: subjects stay sorted
    for (_, rule), group in groupby(findings, key=lambda finding: (_order(finding), finding.rule)):
        members = list(group)
        limit = len(members) if verbosity is Verbosity.VERBOSE else _SHOWN_PER_RULE
        yield from _with_remedies(members[:limit], verbosity)
        if len(members) > limit:
            yield line(f"and {len(members) - limit:,} more of {rule} here (--verbose)", style=Style.DIM, indent=_LABEL_WIDTH + 2)


def _with_remedies(findings: Sequence[Finding], verbosity: Verbosity) -> Iterator[Line]:
    """Findings that are mended alike tell the remedy once, after the last of them."""
    for remedy, group in groupby(findings, key=lambda finding: finding.remedy):
        for finding in group:
            yield _finding(finding)
            if verbosity is Verbosity.VERBOSE:
                yield from _evidence(finding)
        if remedy and verbosity is not Verbosity.QUIET:
            indent = " " * (_LABEL_WIDTH + 2)
            yield Line(lead=((indent, Style.PLAIN), ("fix: ", Style.REMEDY)), body=((remedy, Style.PLAIN),))


def _finding(finding: Finding) -> Line:
    text = ((finding.rule, Style.STRONG), (f"  {finding.message}", Style.PLAIN))
    if finding.waived is None:
        return _labelled(finding.level.value, _LEVEL_STYLES[finding.level], text)
    waived = finding.waived
    until = f", until {waived.expires}" if waived.expires else ""
    owner = f", {waived.owner}" if waived.owner else ""
    return _labelled("waived", Style.DIM, (*text, (f" (waived: {waived.reason}{owner}{until})", Style.DIM)))


def _labelled(label: str, style: Style, body: tuple[Segment, ...]) -> Line:
    return Line(lead=(("    ", Style.PLAIN), (label.ljust(_LABEL_WIDTH - 2), style)), body=body)


def _evidence(finding: Finding) -> Iterator[Line]:
    indent = " " * (_LABEL_WIDTH + 2)
    for key, value in finding.evidence:
        for item in _items(value):
            yield Line(lead=((indent, Style.PLAIN), (f"{key.replace('_', ' ')}: ", Style.DIM)), body=((item, Style.DIM),))


def _items(value: EvidenceValue) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _summary(report: Report, *, alone: bool) -> list[Line]:
    """One line of counts, where there is more to sum up than one artifact's own line (``alone``) tells."""
    several = len(report.artifacts) > 1
    if alone and not several and report.verdict is Verdict.PASS:
        return []
    word, style = _VERDICTS[report.verdict]
    segments: list[Segment] = [(word, style)]
    if several:
        segments = [(f"{len(report.artifacts)} artifacts: ", Style.PLAIN), *_tally(report)]
    counts = _counts(report.artifacts)
    if counts:
        segments.append((f": {counts}" if not several else f"; {counts}", Style.PLAIN))
    return [Line(body=tuple(segments))]


def _tally(report: Report) -> Iterator[Segment]:
    """``1 fails, 2 ok``."""
    separator = ""
    for verdict in (Verdict.FAIL, Verdict.UNCHECKED, Verdict.PASS):
        number = sum(artifact.verdict is verdict for artifact in report.artifacts)
        if number:
            word, style = _VERDICTS[verdict]
            yield (f"{separator}{number:,} {word}", style)
            separator = ", "


def _counts(artifacts: Sequence[ArtifactReport]) -> str:
    """``2 errors, 1 warning, 3 notes, 1 waived, 1 thing unchecked``; empty where there is nothing."""
    findings = [finding for artifact in artifacts for finding in artifact.findings]
    parts = []
    for level in (Level.ERROR, Level.WARNING, Level.NOTE):
        number = sum(finding.level is level and finding.waived is None for finding in findings)
        if number:
            parts.append(counted(number, level.value))
    waived = sum(finding.waived is not None for finding in findings)
    if waived:
        parts.append(f"{waived:,} waived")
    unchecked = sum(len(artifact.unchecked) for artifact in artifacts)
    if unchecked:
        parts.append(f"{unchecked:,} unchecked")
    return ", ".join(parts)
