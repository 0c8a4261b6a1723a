r"""``--format json``: the report as one JSON object, by the versioned schema in ``report.schema.json``.

The output is ASCII: other characters are ``\u`` escapes of JSON, so that the bytes are the same whatever the encoding of the
stream, and printing them to a terminal is harmless. JSON has no bytes: in a name that is not UTF-8, each byte that cannot be
decoded is written as the four characters ``\xNN`` (in the file: ``\\xNN``). Rows of the long lists stand one a line.
"""

from __future__ import annotations

import json
import re

from checker.model.resolution import Via
from checker.report.text import decoded, undecoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from checker.model.case import Case
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts
    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport, Report
    from checker.model.resolution import BindingRow, ResolutionCounts, RootVerdict

SCHEMA = "wheelproof.report/1"

Row = dict[str, "Any"]

_ROW_DEPTH = 4
"""Report, ``artifacts``, artifact, list: what lies deeper stands on one line."""


def render(report: Report) -> str:
    """The whole report; a pure function of it."""
    document = {
        "schema": SCHEMA,
        "tool": {"name": "wheelproof", "version": report.version},
        "data": dict(report.data),
        "verdict": report.verdict.value,
        "artifacts": [_artifact(artifact) for artifact in report.artifacts],
    }
    text = _layout(document, _ROW_DEPTH, "") + "\n"
    # GitHub's runner obeys "##[" anywhere in a step's output; in JSON it can only stand in a string, where an escape will do.
    return text.replace("##[", "\\u0023#[")


def _artifact(artifact: ArtifactReport) -> Row:
    case = artifact.case
    inventory = case.inventory
    row: Row = {
        "path": _text(inventory.path),
        "kind": inventory.kind.value,
        "sha256": inventory.sha256 or None,
        "size": inventory.size,
        "tags": [_text(str(tag)) for tag in case.tags],
        "policy": {"name": artifact.policy.name, "digest": artifact.policy.digest},
        "target": _target(case),
        "computed": _computed(case),
        "verdict": artifact.verdict.value,
        "objects": _objects(case),
        "roots": [_root(root) for root in case.roots],
        "libraries": [_library(edge) for edge in case.libraries],
        "resolutions": _resolutions(case.counts),
        "findings": [_finding(finding) for finding in artifact.findings],
        "unchecked": [{"file": _text(problem.file), "reason": _text(problem.reason)} for problem in artifact.unchecked],
    }
    if artifact.bindings is not None:
        row["bindings"] = [_binding(binding) for binding in artifact.bindings]
    return row


def _target(case: Case) -> Row:
    return {
        "platforms": [_text(promise.tag) for promise in case.promises],
        "python": sorted({_text(tag.python) for tag in case.tags}),
    }


def _computed(case: Case) -> Row:
    if case.computed is None:
        return {"platform": None, "because": []}
    rows = case.computed.because
    return {
        "platform": case.computed.platform,
        "because": [
            {"file": _text(row.file), "soname": _text(row.soname), "symbol": _text(row.symbol), "version": _text(row.version)}
            for row in rows
        ],
    }


def _objects(case: Case) -> list[Row]:
    digests = {member.path: member.sha256 for member in case.inventory.members}
    roots = {root.path for root in case.roots}
    return [_object(facts, digests.get(facts.path, ""), root=facts.path in roots) for facts in case.objects]


def _object(facts: ElfFacts, sha256: str, *, root: bool) -> Row:
    return {
        "path": _text(facts.path),
        "sha256": sha256 or None,
        "arch": facts.identity.architecture,
        "soname": _text_or_null(facts.soname),
        "needed": [_text(name) for name in facts.needed],
        "rpath": _entries(facts.rpath),
        "runpath": _entries(facts.runpath),
        "root": root,
        "view": facts.view.value,
    }


def _entries(run_path: str | None) -> list[str]:
    return _text(run_path).split(":") if run_path else []


def _root(root: RootVerdict) -> Row:
    loads = []
    for load in root.loads:
        cause = load.because
        because = cause and {"kind": cause.kind, "object": _text(cause.object), "subject": _text(cause.subject)}
        loads.append({"platform": str(load.platform), "outcome": load.outcome.value, "because": because})
    return {"path": _text(root.path), "host": root.host, "interpreter": root.interpreter, "loads": loads}


def _library(edge: Edge) -> Row:
    return {
        "root": _text(edge.root),
        "needer": _text(edge.needer),
        "soname": _text(edge.soname),
        "provider": edge.provider.value,
        "path": _text_or_null(edge.path),
        "how": edge.how.value,
        "looked_in": [
            {"place": _text(attempt.place), "source": _text(attempt.source), "outcome": _text(attempt.outcome)}
            for attempt in edge.looked_in
        ],
    }


def _resolutions(counts: ResolutionCounts) -> Row:
    bound = dict(counts.bound)
    return {
        "bound": {kind: bound.get(kind, 0) for kind in ("member", "host", "platform", "declared")},
        "weak_absent": counts.weak_absent,
        "version_missing": counts.version_missing,
        "symbol_missing": counts.symbol_missing,
        "library_missing": counts.library_missing,
        "undecided": counts.undecided,
    }


def _finding(finding: Finding) -> Row:
    waived = finding.waived
    return {
        "rule": finding.rule,
        "level": finding.level.value,
        "file": _text(finding.file),
        "subject": _text(finding.subject),
        "message": _text(finding.message),
        "evidence": {key: _evidence(value) for key, value in finding.evidence},
        "remedy": _text(finding.remedy),
        "fingerprint": finding.fingerprint,
        "waived": waived and {"reason": _text(waived.reason), "owner": _text(waived.owner), "expires": waived.expires or None},
    }


def _evidence(value: str | int | tuple[str, ...]) -> str | int | list[str]:
    if isinstance(value, str):
        return _text(value)
    return value if isinstance(value, int) else [_text(item) for item in value]


_OUTSIDE_NEEDED = (Via.INTERPRETER_DEPENDENCY, Via.SIBLING, Via.PRELOAD)
"""What a binding should not hang on; the object's own needs and the interpreter's exports are as they should be."""


def _binding(row: BindingRow) -> Row:
    return {
        "root": _text_or_null(row.root),
        "platform": str(row.platform),
        "object": _text(row.object),
        "symbol": _text(decoded(row.symbol)),
        "version": _text_or_null(None if row.version is None else decoded(row.version)),
        "outcome": row.outcome.value,
        "provider": row.provider.value,
        "path": _text_or_null(row.path),
        "provider_version": _text_or_null(None if row.provider_version is None else decoded(row.provider_version)),
        "via": row.via.value if row.via in _OUTSIDE_NEEDED else None,
    }


_SURROGATE = re.compile("[\ud800-\udfff]")


def _text(text: str) -> str:
    return text if text.isascii() else _SURROGATE.sub(_bytes_escape, text)


def _text_or_null(text: str | None) -> str | None:
    return None if text is None else _text(text)


def _bytes_escape(found: re.Match[str]) -> str:
    byte = undecoded(found[0])
    return f"\\u{ord(found[0]):04x}" if byte is None else f"\\x{byte:02x}"


def _layout(value: Any, depth: int, indent: str) -> str:  # noqa: ANN401 (any JSON value)
    """JSON whose outer ``depth`` levels are broken into lines; the rest is left to the encoder written in C."""
    if depth == 0 or not value or not isinstance(value, (dict, list)):
        return json.dumps(value)
    deeper = indent + " "
    if isinstance(value, dict):
        rows = [f"{deeper}{json.dumps(key)}: {_layout(item, depth - 1, deeper)}" for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    rows = [deeper + _layout(item, depth - 1, deeper) for item in value]
    return "[\n" + ",\n".join(rows) + f"\n{indent}]"
