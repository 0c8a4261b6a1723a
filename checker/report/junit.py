"""``--format junit``: JUnit XML as CI services read it: one suite an artifact, one case for each rule and object.

A case fails with an open finding at or above ``--fail-on``. Lesser findings stand in the case's output, waived ones make it
skipped with the reason, and what could not be checked is an error of a case of its own. The elements are those of Jenkins'
``junit-10.xsd``, the schema of this format that CI services agree on.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from checker.model.finding import Level
from checker.report.text import counted, evidence_rows, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport, Report
    from checker.model.rule import Rule

UNCHECKED = "could-not-check"
_Key = tuple[str, str]
"""Rule, file."""


def render(report: Report, rules: Sequence[Rule]) -> str:
    """The whole report; a pure function of it.

    Args:
        report: what was found.
        rules: those that were asked, in order.
    """
    root = Element("testsuites", name="wheelproof")
    totals = [0, 0, 0]
    for artifact in report.artifacts:
        suite = _suite(artifact, [rule.id for rule in rules], report.fail_on)
        totals = [total + int(suite.get(key, "0")) for total, key in zip(totals, ("tests", "failures", "errors"), strict=True)]
        root.append(suite)
    for key, total in zip(("tests", "failures", "errors"), totals, strict=True):
        root.set(key, str(total))
    indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _suite(artifact: ArtifactReport, rules: Sequence[str], fail_on: Level) -> Element:
    inventory = artifact.case.inventory
    cases = [_case(key, findings, fail_on) for key, findings in _asked(artifact, rules).items()]
    cases += [_unchecked(problem.file, problem.reason) for problem in artifact.unchecked]
    attributes = {
        "name": safe(inventory.path),
        "tests": str(len(cases)),
        "failures": str(_number(cases, "failure")),
        "errors": str(_number(cases, "error")),
        "skipped": str(_number(cases, "skipped")),
    }
    suite = Element("testsuite", attributes)
    suite.extend(cases)
    return suite


def _number(cases: Iterable[Element], kind: str) -> int:
    return sum(case.find(kind) is not None for case in cases)


def _asked(artifact: ArtifactReport, rules: Sequence[str]) -> dict[_Key, list[Finding]]:
    """Every rule that the policy asks, with every object and the artifact itself; and every finding in its place."""
    case = artifact.case
    files = [case.inventory.name, *(facts.path for facts in case.objects)]
    enabled = {setting.rule for setting in artifact.policy.settings if setting.level is not Level.OFF}
    enabled |= {setting.rule for override in artifact.policy.overrides for setting in override.settings}
    found: dict[_Key, list[Finding]] = {(rule, file): [] for rule in rules if rule in enabled for file in files}
    for finding in artifact.findings:
        found.setdefault((finding.rule, finding.file), []).append(finding)
    return found


def _case(key: _Key, findings: Sequence[Finding], fail_on: Level) -> Element:
    rule, file = key
    case = Element("testcase", classname=safe(rule), name=safe(file))
    failing = [one for one in findings if one.waived is None and one.level.rank >= fail_on.rank]
    lesser = [one for one in findings if one.waived is None and one.level.rank < fail_on.rank]
    waived = [one for one in findings if one.waived is not None]
    if failing:
        message = failing[0].message if len(failing) == 1 else counted(len(failing), "finding")
        failure = SubElement(case, "failure", message=safe(message), type=failing[0].level.value)
        failure.text = "\n\n".join(map(_story, failing))
    elif waived:
        SubElement(case, "skipped", message=safe("; ".join(sorted({_reason(one) for one in waived}))))
    told = [*lesser, *(waived if failing else ())]
    if told:
        SubElement(case, "system-out").text = "\n\n".join(map(_story, told))
    return case


def _reason(finding: Finding) -> str:
    return finding.waived.reason if finding.waived is not None else ""


def _story(finding: Finding) -> str:
    rows = [f"{finding.level.value}: {safe(finding.message)}"]
    rows += [f"{key}: {', '.join(map(safe, evidence_rows(value)))}" for key, value in finding.evidence]
    if finding.remedy:
        rows.append(f"fix: {safe(finding.remedy)}")
    if finding.waived is not None:
        rows.append(f"waived: {safe(finding.waived.reason)}")
    return "\n".join([*rows, f"fingerprint: {finding.fingerprint}"])


def _unchecked(file: str, reason: str) -> Element:
    case = Element("testcase", classname=UNCHECKED, name=safe(file))
    SubElement(case, "error", message=safe(reason), type="unchecked")
    return case
