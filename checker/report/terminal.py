"""``--format terminal``: what a tired maintainer reads in ten seconds.

One line for an artifact that is fine. Otherwise its findings, by file, the gravest first, each with its remedy; then one line
that sums up. How much is told never changes the verdict.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import groupby

from checker.model.finding import Level
from checker.model.record import record
from checker.model.report import Verdict
from checker.report.text import Line, Style, counted, evidence_rows, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.artifact import Inventory
    from checker.model.case import Case
    from checker.model.finding import Finding
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

_FILES_NAMED = 2
"""So many of the files that share a finding are named."""

_LEVEL_STYLES = {Level.ERROR: Style.ERROR, Level.WARNING: Style.WARNING, Level.NOTE: Style.NOTE}
_LABEL_WIDTH = 11
"""The longest label, ``unchecked``, and two spaces."""
_INDENT = 4
_HANG = " " * (_INDENT + _LABEL_WIDTH)
"""Where a finding's text begins, and what belongs to it."""


def lines(report: Report, verbosity: Verbosity = Verbosity.NORMAL) -> tuple[Line, ...]:
    """The whole report; empty where a quiet run has nothing to tell."""
    blocks = [_artifact(artifact, verbosity) for artifact in report.artifacts]
    rows: list[Line] = []
    for previous, block in zip([[], *blocks[:-1]], blocks, strict=True):
        if previous and block and (previous[1:] or block[1:]):
            rows.append(line())
        rows += block
    if len(blocks) > 1 or report.verdict is not Verdict.PASS:
        rows += _summary(report, verbosity, set_off=len(rows) > len(blocks))
    return tuple(rows)


def _artifact(artifact: ArtifactReport, verbosity: Verbosity) -> list[Line]:
    if verbosity is Verbosity.QUIET and artifact.verdict is Verdict.PASS:
        return []
    shown = [finding for finding in artifact.findings if _is_shown(finding, artifact, verbosity)]
    more = len(shown) < len(artifact.findings)
    return [_headline(artifact, more=more), *_by_file(artifact, shown, verbosity)]


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


@record
class _Section:
    """What is told under one heading: the files that it is true of."""

    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    reasons: tuple[str, ...]


def _sections(artifact: ArtifactReport, shown: Sequence[Finding], verbosity: Verbosity) -> list[_Section]:
    """Findings and what could not be checked, by file, the gravest first.

    One defect is often in many files alike (a library that all of them need): what reads the same is told once, under all their
    names; ``VERBOSE`` tells each, since evidence differs.
    """
    files: dict[tuple[object, ...], dict[str, None]] = {}
    told: dict[tuple[object, ...], Finding | str] = {}
    for finding in shown:
        key = (finding.rule, finding.message, finding.remedy, finding.level, finding.waived)
        _add(
            files, told, (*key, finding.file, finding.subject) if verbosity is Verbosity.VERBOSE else key, finding.file, finding
        )
    for problem in artifact.unchecked:
        _add(files, told, (problem.reason,), problem.file, problem.reason)
    sections: dict[tuple[str, ...], list[Finding | str]] = {}
    for same, names in files.items():
        sections.setdefault(tuple(sorted(names)), []).append(told[same])
    made = [
        _Section(
            files=names,
            findings=tuple(sorted((one for one in ones if not isinstance(one, str)), key=lambda one: (_order(one), one.rule))),
            reasons=tuple(one for one in ones if isinstance(one, str)),
        )
        for names, ones in sections.items()
    ]
    return sorted(made, key=lambda one: (min(map(_order, one.findings), default=_LAST), -len(one.files), one.files))


def _add(
    files: dict[tuple[object, ...], dict[str, None]],
    told: dict[tuple[object, ...], Finding | str],
    key: tuple[object, ...],
    file: str,
    one: Finding | str,
) -> None:
    files.setdefault(key, {})[file] = None
    told.setdefault(key, one)


def _order(finding: Finding) -> int:
    """Ascending: errors first, waived findings after notes."""
    return Level.ERROR.rank - finding.level.rank if finding.waived is None else _LAST - 1


_LAST = Level.ERROR.rank + 1
"""After all findings: what could not be checked."""


def _by_file(artifact: ArtifactReport, shown: Sequence[Finding], verbosity: Verbosity) -> Iterator[Line]:
    remedies: set[str] = set()
    for section in _sections(artifact, shown, verbosity):
        yield Line(lead=(("  ", Style.PLAIN),), body=((_heading(section.files, artifact.case.inventory), Style.STRONG),))
        yield from _findings(section.findings, remedies, verbosity)
        for reason in section.reasons:
            yield _labelled("unchecked", Style.WARNING, ((reason, Style.PLAIN),))


def _heading(files: Sequence[str], inventory: Inventory) -> str:
    names = [f"the {inventory.kind.value} as a whole" if file == inventory.name else file for file in files]
    if len(names) <= _FILES_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:_FILES_NAMED])} and {counted(len(names) - _FILES_NAMED, 'more file')}"


def _findings(findings: Sequence[Finding], remedies: set[str], verbosity: Verbosity) -> Iterator[Line]:
    for (_, rule), group in groupby(findings, key=lambda finding: (_order(finding), finding.rule)):
        members = list(group)
        limit = len(members) if verbosity is Verbosity.VERBOSE else _SHOWN_PER_RULE
        yield from _with_remedies(members[:limit], remedies, verbosity)
        if len(members) > limit:
            yield line(f"and {len(members) - limit:,} more of {rule} here (--verbose)", style=Style.DIM, indent=len(_HANG))


def _with_remedies(findings: Sequence[Finding], remedies: set[str], verbosity: Verbosity) -> Iterator[Line]:
    """Findings that are mended alike tell the remedy once, after the last of them; ``remedies`` are those told before."""
    for remedy, group in groupby(findings, key=lambda finding: finding.remedy):
        for finding in group:
            yield _finding(finding)
            if verbosity is Verbosity.VERBOSE:
                yield from _evidence(finding)
        if remedy and verbosity is not Verbosity.QUIET:
            text = ("as above", Style.DIM) if remedy in remedies else (remedy, Style.PLAIN)
            remedies.add(remedy)
            yield Line(lead=((_HANG, Style.PLAIN), ("fix: ", Style.REMEDY)), body=(text,))


def _finding(finding: Finding) -> Line:
    text = ((finding.rule, Style.STRONG), (f"  {finding.message}", Style.PLAIN))
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


def _summary(report: Report, verbosity: Verbosity, *, set_off: bool) -> list[Line]:
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
    if any(not _is_shown(finding, artifact, verbosity) for artifact in report.artifacts for finding in artifact.findings):
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
