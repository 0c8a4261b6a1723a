"""``--format github``: workflow commands that GitHub shows as annotations, and a summary that the log keeps.

GitHub shows ten annotations of each level for a step and drops the rest in silence (its documentation, "Annotations limits").
So findings of one cause share an annotation, the gravest come first, and where there are more, the last annotation of the level
says how many.
"""

from __future__ import annotations

from itertools import groupby

from checker.model.finding import Level
from checker.report.causes import causes, files_named, likewise
from checker.report.text import counted, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.report import ArtifactReport, Report
    from checker.report.causes import Cause

SHOWN = 10
"""Annotations of one level that GitHub shows for a step."""

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}
_Annotation = tuple[Level, tuple[str, ...], "dict[str, str]", int]
"""Level, rows of the message, properties, and how many findings it tells."""


def render(report: Report) -> str:
    """One command a line, gravest first; then the verdict. Waived findings are not annotated."""
    annotations = sorted(_annotations(report), key=lambda one: -one[0].rank)
    rows: list[str] = []
    for level, group in groupby(annotations, key=lambda one: one[0]):
        rows += _commands(level, list(group))
    rows.append(f"wheelproof: {report.verdict.value}")
    return "\n".join(rows) + "\n"


def _annotations(report: Report) -> Iterator[_Annotation]:
    for artifact in report.artifacts:
        for problem in artifact.unchecked:
            rows = (f"{problem.file}: could not be checked: {problem.reason}",)
            yield Level.ERROR, rows, {"file": artifact.case.inventory.path, "title": "could not check"}, 1
        for cause in causes(finding for finding in artifact.findings if finding.waived is None):
            yield _annotation(artifact, cause)


def _annotation(artifact: ArtifactReport, cause: Cause) -> _Annotation:
    finding = cause.told
    properties = {"file": artifact.case.inventory.path}
    if finding.policy_line is not None:
        properties = {"file": finding.policy_line.source, "line": str(finding.policy_line.line)}
    rows = [f"{files_named(cause.files)}: {cause.message}", *(f"likewise {row}" for row in likewise(cause))]
    if cause.remedy:
        rows.append(f"fix: {cause.remedy}")
    return finding.level, tuple(rows), {**properties, "title": finding.rule}, len(cause.findings)


def _commands(level: Level, annotations: list[_Annotation]) -> Iterator[str]:
    shown = annotations if len(annotations) <= SHOWN else annotations[: SHOWN - 1]
    for _, rows, properties, _ in shown:
        yield command(level, rows, properties)
    left = sum(number for *_, number in annotations[len(shown) :])
    if left:
        more = f"and {counted(left, f'more {level.value}')}: the report has them all"
        yield command(level, (more,), {"title": "wheelproof"})


def command(level: Level, rows: tuple[str, ...], properties: dict[str, str]) -> str:
    """One workflow command: an annotation of that level with the rows of its message, and properties such as ``title``."""
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[level]} {written}::{_data(rows)}"


def _data(rows: Iterable[str]) -> str:
    # actions/toolkit packages/core/src/command.ts: what ends a message or begins an escape.
    return "%0A".join(safe(row).replace("%", "%25") for row in rows)


def _property(value: str) -> str:
    return safe(value).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
