"""``--format terminal``: what a tired maintainer reads in ten seconds.

One line for an artifact that is fine. Otherwise its findings, by file, the gravest first, each with its remedy; then one line
that sums up. How much is told never changes the verdict.
"""

from __future__ import annotations

from enum import IntEnum

from checker.model.finding import Level
from checker.model.report import Verdict
from checker.report.text import Line, Style, counted, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.case import Case
    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport, Report
    from checker.report.causes import Cause
    from checker.report.text import Segment


class Verbosity(IntEnum):
    """How much is told."""

    QUIET = 0
    """Nothing of what is fine, and no remedies."""
    NORMAL = 1
    """Errors and warnings with remedies; notes and waived findings are counted."""
    VERBOSE = 2
    """Everything, with evidence."""


def lines(report: Report, verbosity: Verbosity = Verbosity.NORMAL) -> tuple[Line, ...]:
    """The whole report; empty where a quiet run has nothing to tell."""
    told = [_causes(artifact, verbosity) for artifact in report.artifacts]
    # Some finding is not told, or only together with others.
    left_out = [len(causes) < len(artifact.findings) for artifact, causes in zip(report.artifacts, told, strict=True)]
    blocks = [_artifact(*each, verbosity) for each in zip(report.artifacts, told, left_out, strict=True)]
    rows: list[Line] = []
    for previous, block in zip([[], *blocks[:-1]], blocks, strict=True):
        if previous and block and (previous[1:] or block[1:]):
            rows.append(line())
        rows += block
    if len(blocks) > 1 or report.verdict is not Verdict.PASS:
        rows += _summary(report, verbosity, set_off=len(rows) > len(blocks), more=any(left_out))
    return tuple(rows)


def _artifact(
    artifact: ArtifactReport,
    causes: Sequence[Cause],
    more: bool,  # noqa: FBT001 - as it stands beside the others
    verbosity: Verbosity,
) -> list[Line]:
    if verbosity is Verbosity.QUIET and artifact.verdict is Verdict.PASS:
        return []
    headline = _headline(artifact, more=more)
    if not causes and not artifact.unchecked:
        return [headline]
    from checker.report.blocks import by_file  # late: most artifacts are fine

    return [headline, *by_file(artifact, causes, verbosity)]


def _causes(artifact: ArtifactReport, verbosity: Verbosity) -> tuple[Cause, ...]:
    """What is told of its findings: each cause once, for ``VERBOSE`` each finding by itself, since evidence differs."""
    shown = _shown(artifact, verbosity)
    if not shown:
        return ()
    from checker.report.causes import causes, single  # late: most artifacts are fine

    return tuple(map(single, shown)) if verbosity is Verbosity.VERBOSE else causes(shown)


def _shown(artifact: ArtifactReport, verbosity: Verbosity) -> list[Finding]:
    """Notes are shown unasked only where they alone make the artifact fail."""
    if verbosity is Verbosity.VERBOSE:
        return list(artifact.findings)
    open_ones = [finding for finding in artifact.findings if finding.waived is None]
    graver = [finding for finding in open_ones if finding.level is not Level.NOTE]
    return open_ones if artifact.verdict is Verdict.FAIL and not graver else graver


_VERDICTS = {
    Verdict.PASS: ("ok", Style.GOOD),
    Verdict.FAIL: ("fails", Style.ERROR),
    Verdict.UNCHECKED: ("could not be checked in full", Style.WARNING),
}


_MORE = " (--verbose tells them all)"


def _headline(artifact: ArtifactReport, *, more: bool) -> Line:
    word, style = _VERDICTS[artifact.verdict]
    path = artifact.case.inventory.path
    if artifact.verdict is Verdict.UNCHECKED and not artifact.case.inventory.members:
        return Line(body=((path, Style.STRONG), (": ", Style.PLAIN), ("could not be checked", style)))
    about = f" ({_about(artifact.case)})"
    segments: list[Segment] = [(path, Style.STRONG), (": ", Style.PLAIN), (word, style), (about, Style.DIM)]
    if artifact.verdict is Verdict.PASS and artifact.findings:
        segments += [(f"; {_counts([artifact])}", Style.PLAIN), (_MORE if more else "", Style.DIM)]
    return Line(body=tuple(segments))


def _about(case: Case) -> str:
    objects = counted(len(case.objects), "ELF object") if case.objects else "no ELF object"
    tags = [promise.tag for promise in case.promises]
    return ", ".join([objects, *tags])


def _summary(report: Report, verbosity: Verbosity, *, set_off: bool, more: bool) -> list[Line]:
    """One line of counts, after an empty one where blocks of lines stand above."""
    if verbosity is Verbosity.QUIET and report.verdict is Verdict.PASS:
        return []
    several = len(report.artifacts) > 1
    segments: list[Segment] = [_VERDICTS[report.verdict]]
    if several:
        segments = [(f"{len(report.artifacts)} artifacts: ", Style.PLAIN), *_tally(report)]
    counts = _counts(report.artifacts)
    if counts:
        segments.append((f"; {counts}" if several else f": {counts}", Style.PLAIN))
    if more:
        segments.append((_MORE, Style.DIM))
    return [*([line()] if set_off else []), Line(body=tuple(segments))]


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
