"""The page itself: head, verdict, findings, objects, origins, and the places that the script fills."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from checker.model.finding import Level
from checker.model.report import Verdict
from checker.report.causes import causes, files_named, likewise
from checker.report.html.payload import origins, payload
from checker.report.text import counted, evidence_rows, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport, Report
    from checker.report.causes import Cause

_HERE = Path(__file__).parent
_VERDICTS = {Verdict.PASS: "passes", Verdict.FAIL: "fails", Verdict.UNCHECKED: "could not be checked in full"}
_ORDER = ("member", "host", "platform", "declared")
"""The kinds of providers that are as they should be, in the order of the bars; others follow."""
_BAR = 400
"""Units of a bar's whole length."""


def render(report: Report) -> str:
    """The whole report as one page; a pure function of it.

    Args:
        report: with bindings, closures and searches; without them the graphs and bars are left out.
    """
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
    )
    names = ", ".join(artifact.case.inventory.name for artifact in report.artifacts)
    alone = len(report.artifacts) == 1
    sections = (_artifact(each, index, report.fail_on, alone=alone) for index, each in enumerate(report.artifacts))
    data = json.dumps([payload(artifact) for artifact in report.artifacts], separators=(",", ":"))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(f"{_VERDICTS[report.verdict]}: {names} - wheelproof")}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#report">Skip to the report</a>
<header class="top">
<p class="brand">wheelproof <span>{_text(report.version)}</span></p>
<h1 class="verdict {report.verdict.value}">{_text(_headline(report))}</h1>
{_navigation(report.artifacts)}
</header>
<main id="report">
{"".join(f"{row}{chr(10)}" for section in sections for row in section)}
</main>
<footer>
<details><summary>Data that was judged by</summary>
<ul>{"".join(f"<li>{_text(name)} <span class='quiet'>{_text(version)}</span></li>" for name, version in report.data)}</ul>
</details>
</footer>
<script type="application/json" id="data">{data.replace("<", chr(92) + "u003c")}</script>
<script>{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _text(raw: str) -> str:
    """Text that may hold an artifact's names: no markup, and nothing invisible."""
    return escape(safe(raw))


def _headline(report: Report) -> str:
    if len(report.artifacts) == 1:
        return f"{report.artifacts[0].case.inventory.name} {_VERDICTS[report.verdict]}"
    good = sum(artifact.verdict is Verdict.PASS for artifact in report.artifacts)
    return f"{good} of {counted(len(report.artifacts), 'artifact')} pass"


def _navigation(artifacts: Sequence[ArtifactReport]) -> str:
    if len(artifacts) == 1:
        return ""
    rows = "".join(
        f'<li><a href="#artifact-{index}">{_text(each.case.inventory.name)}</a> '
        f'<span class="badge {each.verdict.value}">{_VERDICTS[each.verdict]}</span></li>'
        for index, each in enumerate(artifacts)
    )
    return f'<nav aria-label="Artifacts"><ul>{rows}</ul></nav>'


def _artifact(artifact: ArtifactReport, index: int, fail_on: Level, *, alone: bool) -> Iterator[str]:
    inventory = artifact.case.inventory
    yield f'<section class="artifact" id="artifact-{index}" data-index="{index}" aria-labelledby="name-{index}">'
    yield f'<h2 id="name-{index}"{" class=told" if alone else ""}>{_text(inventory.name)}</h2>'
    yield from _facts(artifact, fail_on)
    yield from _findings(artifact, index)
    yield from _graph(artifact, index)
    yield from _origins(artifact, index)
    yield from _sizes(artifact, index)
    yield from _objects(artifact, index)
    yield "</section>"


def _facts(artifact: ArtifactReport, fail_on: Level) -> Iterator[str]:
    case, inventory = artifact.case, artifact.case.inventory
    open_ones = [finding for finding in artifact.findings if finding.waived is None]
    tiles = [
        *((level.value, sum(one.level is level for one in open_ones), level.value) for level in _LEVELS),
        ("waived", len(artifact.findings) - len(open_ones), "quiet"),
        ("unchecked", len(artifact.unchecked), "unchecked"),
        ("ELF object", len(case.objects), "quiet"),
    ]
    yield '<ul class="tiles">'
    for name, number, kind in tiles:
        plural = "" if number == 1 or name in {"waived", "unchecked"} else "s"
        yield f'<li class="tile {kind if number else "none"}"><b>{number:,}</b> {name}{plural}</li>'
    yield "</ul><dl class='facts'>"
    computed = case.computed.platform if case.computed is not None else None
    rows = [
        ("Verdict", f"{_VERDICTS[artifact.verdict]}, by the policy {artifact.policy.name} (fails at level {fail_on.value})"),
        ("Promises", ", ".join(promise.tag for promise in case.promises) or "no platform"),
        ("Oldest true tag", computed or "none"),
        ("Size", f"{inventory.size:,} bytes in {counted(len(inventory.members), 'file')}"),
        ("SHA-256", inventory.sha256 or "not taken"),
    ]
    for name, value in rows:
        yield f"<dt>{name}</dt><dd>{_text(value)}</dd>"
    yield "</dl>"


_LEVELS = (Level.ERROR, Level.WARNING, Level.NOTE)


def _findings(artifact: ArtifactReport, index: int) -> Iterator[str]:
    yield f'<div class="card findings"><h3 id="findings-{index}">Findings</h3>'
    if not artifact.findings and not artifact.unchecked:
        yield '<p class="good">Nothing to find fault with.</p></div>'
        return
    yield '<div class="filters" hidden>'
    yield f'<label for="search-{index}">Search</label>'
    yield f'<input type="search" id="search-{index}" placeholder="rule, file, symbol">'
    yield '<span role="group" aria-label="Levels">'
    for kind in (*(level.value for level in _LEVELS), "unchecked", "waived"):
        yield f'<button type="button" class="toggle {kind}" data-kind="{kind}" aria-pressed="true">{kind}</button>'
    yield '</span><output class="shown"></output></div>'
    for problem in artifact.unchecked:
        yield '<article class="finding unchecked" data-kind="unchecked"><h4><span class="badge unchecked">unchecked</span> '
        yield f"<code>{_text(problem.file)}</code></h4><p>{_text(problem.reason)}.</p></article>"
    for cause in causes(artifact.findings):
        yield from _cause(cause)
    yield "</div>"


def _cause(cause: Cause) -> Iterator[str]:
    finding = cause.told
    kind = finding.level.value if finding.waived is None else "waived"
    yield f'<article class="finding {kind}" data-kind="{kind}">'
    yield f'<h4><span class="badge {kind}">{kind}</span> {_text(finding.rule)}</h4>'
    names = files_named([f"<code>{_text(file)}</code>" for file in cause.files])
    yield f"<p>{names}{':' if len(cause.files) > 1 else ''} {_text(cause.message)}.</p>"
    further = "".join(f"<li>likewise {_text(row)}</li>" for row in likewise(cause))
    if further:
        yield f"<ul>{further}</ul>"
    if finding.waived is not None:
        until = f", until {finding.waived.expires}" if finding.waived.expires else ""
        yield f'<p class="quiet">Accepted: {_text(finding.waived.reason)}{_text(until)}</p>'
    if cause.remedy:
        yield f'<p class="remedy"><b>To mend it:</b> {_text(cause.remedy)}.</p>'
    if len(cause.findings) == 1:
        yield f"<details><summary>Evidence</summary>{_evidence(finding)}</details></article>"
        return
    yield f"<details><summary>Evidence of all {len(cause.findings):,}</summary>"
    for each in cause.findings:
        yield f"<h5><code>{_text(each.file)}</code> {_text(each.subject)}</h5>{_evidence(each)}"
    yield "</details></article>"


def _evidence(finding: Finding) -> str:
    rows = [(key, "<br>".join(f"<code>{_text(row)}</code>" for row in evidence_rows(value))) for key, value in finding.evidence]
    rows.append(("fingerprint", f"<code>{finding.fingerprint}</code>"))
    return f"<dl>{''.join(f'<dt>{_text(key)}</dt><dd>{shown}</dd>' for key, shown in rows)}</dl>"


def _graph(artifact: ArtifactReport, index: int) -> Iterator[str]:
    if not artifact.closures:
        return
    yield '<div class="card graph" hidden>'
    yield f'<h3 id="graph-{index}">What is loaded, in which order</h3>'
    yield f'<p><label for="root-{index}">Opened by itself</label> <select id="root-{index}"></select> '
    yield '<label><input type="checkbox" class="platform" checked> with the platform\'s libraries</label></p>'
    yield '<ul class="legend" aria-label="Legend"></ul>'
    name = _text(artifact.case.inventory.name)
    yield f'<div class="canvas" tabindex="0" role="region" aria-label="Graph of objects loaded of {name}"></div>'
    yield "<details><summary>The same as a list</summary><ol class='order'></ol></details></div>"


def _origins(artifact: ArtifactReport, index: int) -> Iterator[str]:
    found = origins(artifact)
    if not found:
        return
    kinds = [kind for kind in _ORDER if any(kind in counts for counts in found.values())]
    kinds += sorted({kind for counts in found.values() for kind in counts} - set(_ORDER))
    longest = max(sum(counts.values()) for counts in found.values())
    yield f'<div class="card"><h3 id="origins-{index}">Where symbols come from</h3>'
    name = _text(artifact.case.inventory.name)
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="Where symbols of {name} come from">'
    yield '<table class="origins"><thead><tr>'
    yield '<th scope="col">object</th>' + "".join(f'<th scope="col" class="number">{kind}</th>' for kind in kinds)
    yield '<td class="bar"></td></tr></thead><tbody>'
    for path, counts in sorted(found.items(), key=lambda row: (-sum(row[1].values()), row[0])):
        numbers = "".join(f'<td class="number">{counts[kind]:,}</td>' if kind in counts else "<td></td>" for kind in kinds)
        bar = _bar(counts, kinds, longest)
        yield f'<tr><th scope="row"><code>{_text(path)}</code></th>{numbers}<td class="bar">{bar}</td></tr>'
    yield "</tbody></table></div></div>"


def _bar(counts: dict[str, int], kinds: Sequence[str], longest: int) -> str:
    parts, start = [], 0.0
    for kind in kinds:
        width = _BAR * counts.get(kind, 0) / longest
        if width:
            parts.append(f'<rect class="k-{kind.replace(" ", "-")}" x="{start:.1f}" width="{width:.1f}" height="10"/>')
        start += width
    return f'<svg viewBox="0 0 {_BAR} 10" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'


def _sizes(artifact: ArtifactReport, index: int) -> Iterator[str]:
    if not artifact.case.inventory.members:
        return
    yield f'<div class="card sizes" hidden><h3 id="sizes-{index}">What takes the room</h3>'
    yield '<div class="crumbs" role="group" aria-label="Folder"></div>'
    yield '<div class="map" role="group" aria-label="Files by size"></div></div>'


def _objects(artifact: ArtifactReport, index: int) -> Iterator[str]:
    case = artifact.case
    if not case.objects:
        return
    roots = {root.path: root for root in case.roots}
    yield f'<div class="card"><h3 id="objects-{index}">ELF objects</h3>'
    name = _text(case.inventory.name)
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="ELF objects of {name}"><table><thead><tr>'
    yield "".join(f'<th scope="col">{name}</th>' for name in ("file", "soname", "needs", "run path", "loads"))
    yield "</tr></thead><tbody>"
    for facts in case.objects:
        run_path = facts.runpath if facts.runpath is not None else facts.rpath
        root = roots.get(facts.path)
        outcomes = sorted({load.outcome.value for load in root.loads}) if root is not None else ()
        loads = ", ".join(outcomes) if root is not None else "with others"
        cells = (facts.soname or "", ", ".join(facts.needed), run_path or "", loads)
        rest = "".join(f"<td>{_text(cell)}</td>" for cell in cells)
        yield f'<tr><th scope="row"><code>{_text(facts.path)}</code></th>{rest}</tr>'
    yield "</tbody></table></div></div>"
