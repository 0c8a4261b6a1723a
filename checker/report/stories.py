"""``wheelproof explain``: the whole story of one finding, and all that a rule says of an artifact, as lines."""

from __future__ import annotations

import json

from checker.model.finding import Level
from checker.model.globs import literal
from checker.report.explain import file_sections, finding_rows, section, title
from checker.report.rules import blocks, part, summary
from checker.report.show import loads_segments
from checker.report.text import Line, Style, counted, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport
    from checker.model.rule import Rule

_CAUSES = "Causes and fixes"
_SHOWN = 20
"""So many findings of a rule are told in full."""


def finding(report: ArtifactReport, found: Finding, rule: Rule | None, parts: Iterable[list[Line]]) -> tuple[Line, ...]:
    """One finding: its proof, who is concerned and since when, how it came about, and how to mend or accept it.

    Args:
        report: of the artifact.
        found: one of its findings.
        rule: that made it; ``None`` for findings about the policy itself.
        parts: the stories of the symbols and libraries that it is about; without any, that of its file is told.
    """
    stories = list(parts)
    of_file = not stories and any(member.path == found.file for member in report.case.inventory.members)
    rows = [title("finding", found.fingerprint), *finding_rows(found)]
    rows += _roots(report, found, without=found.file if of_file else "")
    for story in [file_sections(report, found.file)] if of_file else stories:
        rows += [line(), *story]
    if rule is not None:
        rows += [*_causes(rule), *_acceptance(found), *_more(rule)]
    return tuple(rows)


def rule(report: ArtifactReport, identifier: str, told: Rule | None) -> tuple[Line, ...]:
    """What a rule says of the artifact: findings, what it could not check, or that it has nothing to say.

    Args:
        report: of the artifact.
        identifier: of the rule.
        told: the rule itself; ``None`` for what tells of the policy.
    """
    findings = [each for each in report.findings if each.rule == identifier]
    prefix = f"{identifier}: "
    unchecked = [each for each in report.unchecked if each.reason.startswith(prefix)]
    rows = [title("rule", identifier, summary(told) if told is not None else "")]
    rows += _level(report, identifier, silent=not (findings or unchecked)) if told is not None else []
    for each in findings[:_SHOWN]:
        rows += finding_rows(each)
    if len(findings) > _SHOWN:
        rows += [line(), line(f"and {counted(len(findings) - _SHOWN, 'more finding')}: wheelproof check tells them all")]
    problems = [
        Line(lead=((f"{each.file}  ", Style.PLAIN),), body=((each.reason.removeprefix(prefix), Style.WARNING),))
        for each in unchecked
    ]
    rows += section("could not check", problems)
    if told is not None:
        rows += [*(_causes(told) if findings else ()), *_more(told)]
    if findings:
        rows.append(line("one of them in full: wheelproof explain ARTIFACT FINGERPRINT", style=Style.DIM))
    return tuple(rows)


def _level(report: ArtifactReport, identifier: str, *, silent: bool) -> Iterator[Line]:
    """The level in force; and of a rule without answers, whether it was asked."""
    settings = [one for one in report.policy.settings if one.rule == identifier]
    levels = {one.level for override in report.policy.overrides for one in override.settings if one.rule == identifier}
    base = settings[0].level if settings else Level.OFF
    yield line(f"{base.value} in the policy {report.policy.name}", style=Style.DIM)
    if silent:
        yield line()
        if (levels | {base}) == {Level.OFF}:
            yield line("it is off, so that it was not asked: --policy can name a policy that switches it on")
        else:
            yield line("it finds nothing in this artifact")


def _roots(report: ArtifactReport, found: Finding, without: str) -> list[Line]:
    """The roots concerned, and on which platforms they load; one may be left to the story of its file."""
    named = {found.file}
    for key, value in found.evidence:
        if key in {"root", "roots"}:
            named.update(value if isinstance(value, tuple) else (str(value),))
    rows = [
        Line(lead=((f"{root.path}  ", Style.PLAIN),), body=tuple(loads_segments(root.loads)))
        for root in report.case.roots
        if root.path in named - {without} and root.loads
    ]
    return section("what the loader says of the files concerned", rows)


def _causes(told: Rule) -> list[Line]:
    rows = [row for row in blocks(part(told, _CAUSES)) if row.segments]
    return section(_CAUSES.lower(), rows, shown=len(rows))


def _acceptance(found: Finding) -> list[Line]:
    """The waiver that would record this finding, ready to be copied."""
    if found.waived is not None:
        return []
    fields = {"rule": found.rule, "file": literal(found.file), "match": found.subject, "reason": "…"}
    rows = [line("[[waiver]]"), *(line(f"{key} = {json.dumps(value, ensure_ascii=False)}") for key, value in fields.items())]
    return section("to accept it, with a reason, in the policy", rows)


def _more(told: Rule) -> list[Line]:
    return [line(), line(f"more: wheelproof rules {told.id}", style=Style.DIM)]
