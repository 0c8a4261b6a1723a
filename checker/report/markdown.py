"""``--format markdown``: a summary for a job's page, a pull request or a release.

Everything that an artifact's author chose is escaped: a member named ``<img src=…>`` is text. Services cut what is too long
(GitHub: a mebibyte a step), so the report cuts itself, and says what it left out.
"""

from __future__ import annotations

import html
import re

from checker.model.finding import Level
from checker.model.report import Verdict
from checker.report.causes import causes, files_named, likewise
from checker.report.text import counted, evidence_rows, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport, Report
    from checker.report.causes import Cause

LIMIT = 900_000
"""Bytes of findings that are written at most: with the table they stay below a mebibyte."""

_VERDICTS = {Verdict.PASS: "✅ passes", Verdict.FAIL: "❌ fails", Verdict.UNCHECKED: "❔ could not be checked"}
_LEVELS = {Level.ERROR: "🔴 error", Level.WARNING: "🟡 warning", Level.NOTE: "🔵 note"}


def render(report: Report) -> str:
    """A table of the artifacts, then the findings of each."""
    rows = [f"## wheelproof: {_VERDICTS[report.verdict]}", "", *_table(report.artifacts)]
    left = LIMIT
    for block in (block for artifact in report.artifacts for block in _section(artifact)):
        left -= len(block.encode()) + 1
        if left < 0:
            rows += ["", "The rest is left out here, as it is too long; the JSON report has all of it."]
            break
        rows.append(block)
    return "\n".join(rows) + "\n"


def _table(artifacts: Sequence[ArtifactReport]) -> Iterator[str]:
    yield "| artifact | verdict | errors | warnings | notes | waived | unchecked | oldest true platform |"
    yield "|---|---|--:|--:|--:|--:|--:|---|"
    for artifact in artifacts:
        open_ones = [finding for finding in artifact.findings if finding.waived is None]
        numbers = [sum(finding.level is level for finding in open_ones) for level in _LEVELS]
        numbers += [len(artifact.findings) - len(open_ones), len(artifact.unchecked)]
        computed = artifact.case.computed
        platform = code(computed.platform) if computed is not None and computed.platform else "none"
        cells = [code(artifact.case.inventory.name), _VERDICTS[artifact.verdict], *map(str, numbers), platform]
        yield f"| {' | '.join(cells)} |"


def _section(artifact: ArtifactReport) -> Iterator[str]:
    """What is told of an artifact, in blocks after any of which the report can end."""
    open_ones = [finding for finding in artifact.findings if finding.waived is None]
    waived = [finding for finding in artifact.findings if finding.waived is not None]
    if not artifact.findings and not artifact.unchecked:
        return
    yield f"\n### {code(artifact.case.inventory.name)}"
    for cause in causes(open_ones):
        yield "\n".join(_cause(cause))
    if artifact.unchecked:
        yield "\n**Could not be checked**, which is never a pass:\n"
        for problem in artifact.unchecked:
            yield f"- {code(problem.file)}: {text(problem.reason)}"
    if waived:
        yield "\n".join(_waived(waived))


def _waived(findings: Sequence[Finding]) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{counted(len(findings), 'finding')} waived by the policy</summary>"
    yield ""
    for finding in findings:
        reason = finding.waived.reason if finding.waived is not None else ""
        yield f"- {code(finding.rule)} {code(finding.file)}: {text(finding.message)}. *{text(reason)}*"
    yield ""
    yield "</details>"


def _cause(cause: Cause) -> Iterator[str]:
    finding = cause.told
    yield ""
    yield f"**{_LEVELS[finding.level]}** {code(finding.rule)} in {files_named([code(file) for file in cause.files])}  "
    yield f"{text(cause.message)}."
    further = list(likewise(cause))
    if further:
        yield ""
        yield from (f"- likewise {text(row)}" for row in further)
    if cause.remedy:
        yield ""
        yield f"**Fix:** {text(cause.remedy)}."
    if len(cause.findings) > 1:
        yield from _all(cause)
    elif finding.evidence:
        yield ""
        yield "<details><summary>evidence</summary>"
        yield ""
        yield from _evidence(finding)
        yield f"- fingerprint: {code(finding.fingerprint)}"
        yield ""
        yield "</details>"


def _all(cause: Cause) -> Iterator[str]:
    """Each finding of several by its file, subject and fingerprint; evidence of one of them."""
    yield ""
    yield f"<details><summary>{counted(len(cause.findings), 'finding')}, with evidence of one</summary>"
    yield ""
    for each in cause.findings:
        yield f"- {code(each.file)} {text(each.subject)}, fingerprint {code(each.fingerprint)}"
        if each is cause.told:
            yield from (f"  {row}" for row in _evidence(each))
    yield ""
    yield "</details>"


def _evidence(finding: Finding) -> Iterator[str]:
    for key, value in finding.evidence:
        yield f"- {text(key)}: {', '.join(code(row) for row in evidence_rows(value)) or 'none'}"


_MARKDOWN = re.compile(r"[\\`*\[\]|~#@]|(?<![^\W_])_|_(?![^\W_])|:(?=//|[\w+-]+:)|(?<=www)\.")
"""Marks of GitHub's dialect; an underscore within a word, and a colon that begins no link or emoji, are plain text there."""


def text(raw: str) -> str:
    """Prose that may hold an artifact's names: nothing in it is markup, a mention, an emoji or a link."""
    # An entity is text to Markdown; a backslash would not stop "@name" or "http://" from becoming a mention or a link.
    return _MARKDOWN.sub(lambda found: f"&#{ord(found[0])};", html.escape(safe(raw), quote=False))


def code(raw: str) -> str:
    """A name in code type, the same in a table and outside."""
    return f"<code>{text(raw)}</code>"
