from __future__ import annotations

from checker.model.artifact import ArtifactKind
from checker.model.record import replace
from checker.rules.wheel.wheel_duplicate_header import RULE
from tests.rules.builders import case, told, wheel

METADATA = (("Name", "pkg"), ("Version", "1.0"))


def test_headers_that_may_be_repeated_and_unknown_ones_are_silent() -> None:
    many = (("Requires-Dist", "a"), ("Classifier", "x"), ("License-File", "L"), ("Dynamic", "d"), ("X-Own", "1"))
    fields = (*METADATA, *many, *many)
    tags = (*wheel().wheel_fields, ("Tag", "py3-none-any"), ("Generator", "a"), ("Generator", "b"))
    assert told(RULE, case(metadata=wheel(metadata_fields=fields, wheel_fields=tags))) == []


def test_what_is_no_wheel_is_silent() -> None:
    made = case(metadata=wheel())
    assert told(RULE, replace(made, inventory=replace(made.inventory, wheel=None, kind=ArtifactKind.ZIP))) == []


def test_a_repeated_header_fires_whatever_its_case() -> None:
    (found,) = told(RULE, case(metadata=wheel(metadata_fields=(*METADATA, ("version", "2.0")))))
    assert (found.file, found.subject) == ("pkg-1.0.dist-info/METADATA", "Version")
    assert found.message == "has 2 lines of Version, which say '1.0' and '2.0'"
    assert dict(found.evidence)["values"] == ("1.0", "2.0")


def test_the_same_value_twice_fires_too() -> None:
    fields = (*wheel().wheel_fields, ("Root-Is-Purelib", "false"))
    (found,) = told(RULE, case(metadata=wheel(wheel_fields=fields)))
    assert (found.file, found.message) == (
        "pkg-1.0.dist-info/WHEEL", "has 2 lines of Root-Is-Purelib, all of which say 'false'",
    )  # fmt: skip


def test_each_header_is_a_finding_and_long_values_are_cut() -> None:
    fields = (*METADATA, ("Summary", "s" * 500), ("Summary", "t"), ("Description", ""), ("Description", ""))
    summary, description = told(RULE, case(metadata=wheel(metadata_fields=fields)))
    assert len(summary.message) < 200
    assert description.message == "has 2 lines of Description"
