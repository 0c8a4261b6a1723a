from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from checker.model.record import replace
from checker.report.cyclonedx import render
from tests.report import builders as build
from tests.report.samples import SAMPLES, failing, passing

if TYPE_CHECKING:
    from checker.model.report import Report


def bill(report: Report) -> Any:  # noqa: ANN401 (any JSON)
    return json.loads(render(report))


@pytest.mark.parametrize("name", SAMPLES)
def test_every_report_is_valid_by_the_official_schema_and_the_same_each_time(name: str) -> None:
    text = render(SAMPLES[name]())
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert text == render(SAMPLES[name]())


def test_one_artifact_is_the_subject_and_its_files_are_the_components() -> None:
    wheel = replace(failing(), artifacts=failing().artifacts[:1])
    found = bill(wheel)
    assert found["metadata"]["component"]["bom-ref"] == f"dist/{build.WHEEL}"
    library = next(one for one in found["components"] if one["name"] == "libfoo.so.1")
    properties = {row["name"].removeprefix("wheelproof:"): row["value"] for row in library["properties"]}
    assert properties == {
        "path": build.LIBRARY, "soname": "libfoo.so.1", "architecture": "x86_64", "loaded-by-itself": "false",
    }  # fmt: skip
    assert library["hashes"] == [{"alg": "SHA-256", "content": f"{2:064x}"}]


def test_what_a_file_needs_of_the_artifact_is_a_dependency() -> None:
    found = bill(replace(failing(), artifacts=failing().artifacts[:1]))
    prefix = f"dist/{build.WHEEL}!/"
    needs = {row["ref"]: row.get("dependsOn", []) for row in found["dependencies"]}
    assert needs[prefix + build.CORE] == [prefix + build.LIBRARY]


def test_of_several_artifacts_each_is_a_component_with_its_files() -> None:
    found = bill(failing())
    assert "component" not in found["metadata"]
    assert {one["bom-ref"]: len(one["components"]) for one in found["components"]} == {
        f"dist/{build.WHEEL}": 2,
        "dist/other.whl": 1,
    }


def test_the_serial_number_is_that_of_the_content_and_no_time_is_told() -> None:
    assert bill(passing())["serialNumber"] != bill(failing())["serialNumber"]
    assert "timestamp" not in bill(passing())["metadata"]
