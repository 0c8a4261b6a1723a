from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from checker.report.sarif import UNCHECKED, render
from checker.rules.registry import RULES
from tests.report import builders as build
from tests.report.samples import SAMPLES, failing, hostile, passing

if TYPE_CHECKING:
    from checker.model.report import Report


def run_of(report: Report) -> Any:  # noqa: ANN401 (any JSON)
    (run,) = json.loads(render(report, RULES))["runs"]
    return run


@pytest.mark.parametrize("name", SAMPLES)
def test_every_report_is_valid_by_the_models_made_of_the_official_schema(name: str) -> None:
    text = render(SAMPLES[name](), RULES)
    Sarif.model_validate_json(text)
    assert text == render(SAMPLES[name](), RULES)
    assert text.isascii()


def test_every_rule_is_described_with_its_help_and_results_point_to_it() -> None:
    run = run_of(failing())
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules][: len(RULES)] == [rule.id for rule in RULES]
    assert all(rule["help"]["markdown"] and rule["shortDescription"]["text"] for rule in rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_a_finding_lies_in_the_artifact_s_member_with_its_fingerprint() -> None:
    (result,) = (one for one in run_of(failing())["results"] if one["ruleId"] == "missing-library")
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == f"dist/{build.WHEEL}!/{build.CORE}"
    assert result["level"] == "error"
    assert result["partialFingerprints"] == {"wheelproof/v1": build.finding().fingerprint}
    assert "To mend it: run auditwheel repair" in result["message"]["text"]


def test_what_concerns_the_artifact_lies_in_it_and_a_policy_s_broken_words_on_their_line() -> None:
    results = {one["ruleId"]: one["locations"][0]["physicalLocation"] for one in run_of(failing())["results"]}
    assert results["platform-tag-too-new"]["artifactLocation"]["uri"] == f"dist/{build.WHEEL}"
    stale = results["unmatched-waiver"]
    assert (stale["artifactLocation"]["uri"], stale["region"]) == ("wheelproof.toml", {"startLine": 12})


def test_a_waived_finding_is_suppressed_with_its_reason() -> None:
    suppressed = [one for one in run_of(failing())["results"] if one.get("suppressions")]
    assert [one["ruleId"] for one in suppressed] == ["absolute-run-path"]
    assert suppressed[0]["suppressions"][0]["justification"] == "build-time helper"


def test_what_could_not_be_checked_is_open_and_a_notification_of_level_error() -> None:
    run = run_of(failing())
    (result,) = (one for one in run["results"] if one["ruleId"] == UNCHECKED)
    assert (result["kind"], result["level"]) == ("open", "none")
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert (notification["level"], notification["message"]) == ("error", result["message"])


def test_a_passing_report_has_no_result_and_does_not_describe_what_did_not_happen() -> None:
    run = run_of(passing())
    assert run["results"] == []
    assert UNCHECKED not in {rule["id"] for rule in run["tool"]["driver"]["rules"]}


def test_names_are_text_and_locations_are_uris() -> None:
    run = run_of(hostile())
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert not set(uri) & set(" <>`|\n\x1b@:")
    assert "##[" not in render(hostile(), RULES)
    assert "\\n" in run["results"][0]["properties"]["subject"]


def test_a_surrogate_that_stands_for_no_byte_does_not_stop_the_report() -> None:
    run = run_of(build.report(build.artifact(build.finding(file="pkg/\ud800.so"))))
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("pkg/%5Cud800.so")
