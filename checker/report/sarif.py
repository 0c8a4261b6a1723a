"""``--format sarif``: the report as SARIF 2.1.0, as code-scanning services take it.

One run for everything: services refuse a second run of the same tool in one upload. A finding lies in the artifact's member, or
on the line of the policy file whose words are broken. What could not be checked is a result of kind ``open`` (SARIF 3.27.9: the
tool could not decide) and a notification of level error, so that no reader takes it for a pass.
"""

from __future__ import annotations

import json
import re
from urllib.parse import quote

from checker.model.finding import Level
from checker.report.text import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from checker.model.finding import EvidenceValue, Finding
    from checker.model.report import ArtifactReport, Report
    from checker.model.rule import Rule

    Object = dict[str, Any]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
UNCHECKED = "could-not-check"
"""Id of the results that tell what could not be checked; it is no rule, since no policy can switch it off."""

_UNCHECKED_TEXT = "Something could not be checked, which is never a pass."
_UNCHECKED_HELP = (
    "A file could not be read, or data about a promised platform is absent. The message says which, and the way out. "
    "The exit code is 3 unless a finding makes it 1."
)
_FURTHER_RULES = {
    "unmatched-waiver": "A waiver of the policy matches no finding any more.",
    "expired-waiver": "A waiver of the policy has expired.",
}
"""Findings that no rule makes: they come of the policy's waivers."""


def render(report: Report, rules: Sequence[Rule]) -> str:
    """The whole report; a pure function of it.

    Args:
        report: what was found.
        rules: those that were asked, for their documentation.
    """
    descriptors = [*map(_rule, rules), *_further_rules(report)]
    places = {descriptor["id"]: index for index, descriptor in enumerate(descriptors)}
    run = {
        "tool": {
            "driver": {
                "name": "wheelproof",
                "semanticVersion": report.version,
                "version": report.version,
                "rules": descriptors,
            }
        },
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": list(_notifications(report))}],
        "columnKind": "unicodeCodePoints",
        "results": list(_results(report, places)),
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    # As in the JSON report: GitHub's runner obeys "##[" in a step's output.
    return json.dumps(document, indent=1).replace("##[", "\\u0023#[") + "\n"


def _rule(rule: Rule) -> Object:
    summary, _, text = rule.doc.strip().partition("\n")
    return _descriptor(rule.id, summary, text.strip(), rule.family)


def _further_rules(report: Report) -> Iterator[Object]:
    told = {finding.rule for artifact in report.artifacts for finding in artifact.findings}
    for identity in sorted(told & set(_FURTHER_RULES)):
        yield _descriptor(identity, _FURTHER_RULES[identity], "Remove the waiver, or renew it with a new reason.")
    if any(artifact.unchecked for artifact in report.artifacts):
        yield _descriptor(UNCHECKED, _UNCHECKED_TEXT, _UNCHECKED_HELP)


def _descriptor(identity: str, summary: str, text: str, tag: str = "wheelproof") -> Object:
    return {
        "id": identity,
        "name": _pascal(identity),
        "shortDescription": {"text": summary},
        "fullDescription": {"text": summary},
        "help": {"text": text, "markdown": text},
        "properties": {"tags": [tag]},
    }


def _pascal(identity: str) -> str:
    return "".join(word.capitalize() for word in identity.split("-"))


def _notifications(report: Report) -> Iterator[Object]:
    for artifact in report.artifacts:
        for problem in artifact.unchecked:
            yield {
                "level": "error",
                "message": {"text": safe(problem.reason)},
                "locations": [_member(artifact, problem.file)],
                "descriptor": {"id": UNCHECKED},
            }


def _results(report: Report, places: dict[str, int]) -> Iterator[Object]:
    for artifact in report.artifacts:
        for finding in artifact.findings:
            yield _result(artifact, finding, places)
        for problem in artifact.unchecked:
            yield {
                "ruleId": UNCHECKED,
                "ruleIndex": places[UNCHECKED],
                "kind": "open",
                "level": "none",
                "message": {"text": safe(problem.reason)},
                "locations": [_member(artifact, problem.file)],
            }


_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "note"}


def _result(artifact: ArtifactReport, finding: Finding, places: dict[str, int]) -> Object:
    location = _member(artifact, finding.file)
    if finding.policy_line is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(finding.policy_line.source)},
            "region": {"startLine": finding.policy_line.line},
        }
    remedy = f"\n\nTo mend it: {safe(finding.remedy)}." if finding.remedy else ""
    result: Object = {
        "ruleId": finding.rule,
        "ruleIndex": places[finding.rule],
        "level": _LEVELS[finding.level],
        "message": {"text": f"{safe(finding.file)}: {safe(finding.message)}.{remedy}"},
        "locations": [location],
        "partialFingerprints": {"wheelproof/v1": finding.fingerprint},
        "properties": {
            "artifact": safe(artifact.case.inventory.path),
            "subject": safe(finding.subject),
            "evidence": {key: _evidence(value) for key, value in finding.evidence},
        },
    }
    if finding.waived is not None:
        suppression = {"kind": "external", "justification": safe(finding.waived.reason)}
        result["suppressions"] = [suppression]
    return result


def _evidence(value: EvidenceValue) -> str | int | list[str]:
    if isinstance(value, str):
        return safe(value)
    return value if isinstance(value, int) else _texts(value)


def _texts(values: Iterable[str]) -> list[str]:
    return [safe(value) for value in values]


def _member(artifact: ArtifactReport, file: str) -> Object:
    inventory = artifact.case.inventory
    # What concerns the whole artifact lies in the artifact itself.
    path = inventory.path if file in {inventory.name, inventory.path} else f"{inventory.path}!/{file}"
    return {
        "physicalLocation": {"artifactLocation": {"uri": _uri(path)}},
        "logicalLocations": [{"fullyQualifiedName": safe(path), "kind": "member"}],
    }


def _uri(path: str) -> str:
    """The path as a URI reference (RFC 3986): relative ones stay relative to where the command was given."""
    # Paths of Windows may hold surrogates that stand for no byte; a URI has no way to write them.
    told = re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda found: safe(found[0]), path.replace("\\", "/"))
    encoded = quote(told, safe="/!+~", errors="surrogateescape")
    # The first part of a relative reference must not look like a scheme; quote() has encoded its colon.
    return f"file://{encoded}" if encoded.startswith("/") else encoded
