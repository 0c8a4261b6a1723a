from __future__ import annotations

import pytest

from checker.model.artifact import ReadProblem, Tag
from checker.rules.wheel.bad_wheel_metadata import RULE
from tests.rules.builders import ask, case, member, told, wheel

WHEEL, METADATA = "pkg-1.0.dist-info/WHEEL", "pkg-1.0.dist-info/METADATA"
FIELDS = (("Metadata-Version", "2.1"), ("Name", "pkg"), ("Version", "1.0"))
LINUX = Tag(python="cp311", abi="cp311", platform="linux_x86_64")


def test_a_good_wheel_is_silent() -> None:
    assert told(RULE, case(metadata=wheel())) == []


def test_faults_of_one_file_are_one_finding() -> None:
    faults = tuple(ReadProblem(file=WHEEL, reason=f"line {number}: no header") for number in (2, 5))
    (found,) = told(RULE, case(metadata=wheel(problems=faults)))
    assert (found.file, found.subject) == (WHEEL, "WHEEL")
    assert found.message == "line 2: no header (1 further fault)"


def test_other_tags_in_wheel_than_in_the_file_name_fire() -> None:
    (found,) = told(RULE, case(metadata=wheel(wheel_tags=(LINUX,))))
    assert (found.file, found.subject) == (WHEEL, "Tag")
    assert "cp311-cp311-linux_x86_64" in found.message
    assert "cp311-cp311-manylinux_2_17_x86_64" in found.message


def test_no_tags_in_wheel_and_partly_different_ones_fire() -> None:
    (found,) = told(RULE, case(metadata=wheel(wheel_tags=())))
    assert "no Tag" in found.message
    (found,) = told(RULE, case(metadata=wheel(wheel_tags=(LINUX, *wheel().name_tags))))
    assert "only WHEEL says cp311-cp311-linux_x86_64" in found.message


@pytest.mark.parametrize(
    ("changes", "subject"),
    [
        ({"wheel_fields": (("Root-Is-Purelib", "false"),)}, "Wheel-Version"),
        ({"wheel_fields": (("Wheel-Version", "2.0"), ("Root-Is-Purelib", "false"))}, "Wheel-Version"),
        ({"wheel_fields": (("Wheel-Version", "1.0"),)}, "Root-Is-Purelib"),
        ({"metadata_fields": (("Name", "pkg"), ("Version", "1.0"))}, "Metadata-Version"),
        ({"metadata_fields": (*FIELDS, ("Requires-Dist", "foo >= 1.*"))}, "Requires-Dist"),
        ({"metadata_fields": (*FIELDS, ("License-Expression", "MIT License"))}, "License-Expression"),
    ],
)
def test_absent_and_wrong_fields_fire(changes: dict[str, object], subject: str) -> None:
    (found,) = told(RULE, case(metadata=wheel(**changes)))
    assert found.subject == subject


def test_wrong_values_of_one_field_are_one_finding() -> None:
    fields = (*FIELDS, *(("Requires-Dist", f"foo{number} bar") for number in range(5)), ("Requires-Dist", "fine"))
    (found,) = told(RULE, case(metadata=wheel(metadata_fields=fields)))
    assert found.message.startswith("Requires-Dist: 'foo0 bar' breaks the standard: ")
    assert found.message.endswith("(4 further values of this field)")
    assert len(dict(found.evidence)["values"]) == 5  # type: ignore[arg-type]


def test_a_value_that_is_too_long_to_parse_could_not_be_checked() -> None:
    fields = (*FIELDS, ("Requires-Dist", "a" * 5000))
    (answer,) = ask(RULE, case(metadata=wheel(metadata_fields=fields)))
    assert isinstance(answer, ReadProblem)
    assert "was not checked" in answer.reason


def test_what_could_not_be_checked_is_one_answer_for_each_field() -> None:
    many = tuple(("Requires-Dist", f"a{number} @ file:///x") for number in range(2000))
    (answer,) = ask(RULE, case(metadata=wheel(metadata_fields=(*FIELDS, *many))))
    assert isinstance(answer, ReadProblem)
    assert "and 1499 further values were not checked" in answer.reason


def test_license_files_must_be_in_the_wheel_from_version_two_four_on() -> None:
    held = [member("pkg-1.0.dist-info/licenses/LICENSE")]
    named = (("License-File", "LICENSE"), ("License-File", "deep/NOTICE"))
    (found,) = told(RULE, case(members=held, metadata=wheel(metadata_fields=(("Metadata-Version", "2.4"), *named))))
    assert (found.subject, dict(found.evidence)["absent"]) == ("License-File", ("deep/NOTICE",))
    assert told(RULE, case(members=held, metadata=wheel(metadata_fields=(*FIELDS, *named)))) == []
    both = [*held, member("pkg-1.0.dist-info/licenses/deep/NOTICE")]
    assert told(RULE, case(members=both, metadata=wheel(metadata_fields=(("Metadata-Version", "2.10"), *named)))) == []


def test_absent_files_are_told_by_their_faults_alone() -> None:
    absent = wheel(
        wheel_fields=(), wheel_tags=(), metadata_fields=(), problems=(ReadProblem(file=WHEEL, reason="no such file"),)
    )
    (found,) = told(RULE, case(metadata=absent))
    assert found.message == "no such file"
