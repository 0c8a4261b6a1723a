"""``explain`` of a finding and of a rule."""

from __future__ import annotations

import pytest

from checker.model.finding import Level
from checker.model.policy import Override, RuleSetting
from checker.model.rule import NoParameters, Rule
from checker.report import explain, stories
from checker.report.text import plain
from tests.report import builders as build
from tests.report import objects
from tests.report.snapshots import assert_snapshot

DOC = """A needed library is found nowhere.

## What

What it is.

## Why it breaks

Why.

## Causes and fixes

- Not packaged: package it, and do so
  for good.
- Misspelt: spell it.

## References

None.
"""
RULE = Rule(id="missing-library", family="libraries", parameters=NoParameters, check=lambda *_: (), doc=DOC)


def setting(level: Level) -> RuleSetting:
    return RuleSetting(rule=RULE.id, level=level, parameters=NoParameters(), files=())


def test_the_stories_are_as_in_the_snapshot() -> None:
    report = objects.artifact()
    found = next(finding for finding in report.findings if finding.rule == RULE.id)
    parts = [explain.library_sections(report, "libbar.so.2")]
    told = {
        "finding": stories.finding(report, found, RULE, parts),
        "rule": stories.rule(report, RULE.id, RULE),
    }
    assert_snapshot("stories.txt", "\n".join(f"==== {name}\n{plain(lines)}" for name, lines in told.items()))


def test_a_finding_about_no_symbol_or_library_is_told_with_its_file() -> None:
    report = objects.artifact()
    found = build.finding("executable-stack", file=build.CORE)
    told = plain(stories.finding(report, found, RULE, ()))
    assert f"file {build.CORE}\n" in told
    assert "loaded on its own\n" in told


def test_a_finding_about_the_whole_artifact_has_no_file_to_tell_of() -> None:
    found = build.finding("platform-tag-too-new", file="a.whl")
    assert "\nfile a.whl" not in plain(stories.finding(objects.artifact(), found, RULE, ()))


def test_what_is_waived_already_is_not_offered_to_be_waived() -> None:
    found = build.finding(waived=build.waived())
    told = plain(stories.finding(objects.artifact(), found, RULE, ()))
    assert "(waived: build-time helper)" in told
    assert "[[waiver]]" not in told


def test_the_waiver_that_is_offered_names_the_file_alone() -> None:
    found = build.finding(file="a[1]*.so", subject='li"b')
    told = plain(stories.finding(objects.artifact(), found, RULE, ()))
    assert '  file = "a[[]1][*].so"\n  match = "li\\"b"\n' in told


def test_findings_about_the_policy_have_no_rule_to_read_about() -> None:
    report = build.artifact(build.finding("unmatched-waiver", file="a.whl"))
    (found,) = report.findings
    for told in (stories.finding(report, found, None, ()), stories.rule(report, "unmatched-waiver", None)):
        assert "error unmatched-waiver  " in plain(told)
        assert "wheelproof rules" not in plain(told)


def test_what_a_rule_could_not_check_is_told_without_its_name() -> None:
    problems = (build.problem("a.so", "missing-library: nobody knows"), build.problem("b.so", "unreadable"))
    told = plain(stories.rule(build.artifact(unchecked=problems), RULE.id, RULE))
    assert "could not check\n  a.so  nobody knows\n" in told
    assert "b.so" not in told
    assert "finds nothing" not in told


@pytest.mark.parametrize(
    ("base", "there", "expected"),
    [
        (Level.ERROR, Level.OFF, "it finds nothing in this artifact"),
        (Level.OFF, Level.NOTE, "it finds nothing in this artifact"),
        (Level.OFF, Level.OFF, "it is off, so that it was not asked"),
    ],
)
def test_silence_is_told_from_not_having_been_asked(base: Level, there: Level, expected: str) -> None:
    overrides = (Override(files=("**",), settings=(setting(there),)),)
    report = build.artifact(policy=build.policy(settings=(setting(base),), overrides=overrides))
    told = plain(stories.rule(report, RULE.id, RULE))
    assert f"{base.value} in the policy " in told
    assert expected in told
    assert "causes and fixes" not in told


def test_many_findings_of_a_rule_are_cut_and_say_so() -> None:
    findings = [build.finding(subject=f"lib{number:02}.so") for number in range(25)]
    told = plain(stories.rule(build.artifact(*findings), RULE.id, RULE))
    assert told.count("fingerprint: ") == 20
    assert "and 5 more findings: wheelproof check tells them all\n" in told
