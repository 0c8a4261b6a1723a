from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from checker.model.finding import Level
from checker.model.record import replace
from checker.report.junit import render
from checker.rules.registry import RULES
from tests.report import builders as build
from tests.report.samples import SAMPLES, failing, passing

if TYPE_CHECKING:
    from checker.model.report import Report

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parents[2] / "testdata" / "schemas" / "junit-10.xsd"))


def suites(report: Report) -> list[ET.Element]:
    return list(ET.fromstring(render(report, RULES).encode()))  # noqa: S314 (our own text)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_report_is_valid_by_the_schema(name: str) -> None:
    text = render(SAMPLES[name](), RULES)
    SCHEMA.validate(text)
    assert text == render(SAMPLES[name](), RULES)


def test_there_is_a_case_for_each_rule_and_object_and_for_the_artifact() -> None:
    (suite,) = suites(passing())
    assert [(case.get("classname"), case.get("name")) for case in suite] == [
        (rule.id, file) for rule in RULES for file in (build.WHEEL, build.CORE)
    ]
    assert suite.attrib == {
        "name": f"dist/{build.WHEEL}", "tests": str(2 * len(RULES)), "failures": "0", "errors": "0", "skipped": "0",
    }  # fmt: skip


def test_rules_that_are_off_are_no_cases() -> None:
    report = build.report(build.artifact())
    assert [len(suite) for suite in suites(report)] == [0]


def outcome(report: Report, rule: str) -> list[str]:
    return [child.tag for case in suites(report)[0] if case.get("classname") == rule for child in case]


def test_failures_are_what_fails_the_run_and_the_rest_is_output() -> None:
    assert outcome(failing(), "missing-library") == ["failure"]
    assert outcome(failing(), "executable-stack") == ["system-out"]
    assert outcome(failing(), "absolute-run-path") == ["skipped"]
    assert outcome(failing(), "could-not-check") == ["error"]
    assert outcome(replace(failing(), fail_on=Level.WARNING), "executable-stack") == ["failure"]


def test_a_failure_tells_the_whole_story() -> None:
    (failure,) = suites(failing())[0].iter("failure")
    assert failure.get("message", "").startswith("needs libbar.so.2")
    assert failure.text is not None
    assert "looked_in: site-packages/pkg, the system" in failure.text.replace("\n", " ")
    assert "fix: run auditwheel repair" in failure.text


def test_several_findings_of_one_case_are_told_together() -> None:
    report = SAMPLES["long"]()
    failures = list(suites(report)[0].iter("failure"))
    assert [failure.get("message") for failure in failures] == ["25 findings"]
    assert (failures[0].text or "").count("fix:") == 25
