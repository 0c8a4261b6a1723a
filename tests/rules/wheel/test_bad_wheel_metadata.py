from __future__ import annotations

import pytest

from checker.model.artifact import ReadProblem, Tag
from checker.rules.wheel.bad_wheel_metadata import RULE
from tests.rules.builders import case, told, wheel

WHEEL, METADATA = "pkg-1.0.dist-info/WHEEL", "pkg-1.0.dist-info/METADATA"
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
        ({"metadata_fields": (("Name", "other"), ("Version", "1.0"))}, "Name"),
        ({"metadata_fields": (("Name", "pkg"), ("Version", "1.1"))}, "Version"),
        ({"metadata_fields": (("Name", "pkg"),)}, "Version"),
        ({"metadata_fields": (("Name", "pkg"), ("Name", "pkg"), ("Version", "1.0"))}, "Name"),
        ({"metadata_fields": (("Name", "pkg"), ("Version", "no version"))}, "Version"),
    ],
)
def test_absent_unknown_and_contradicting_fields_fire(changes: dict[str, object], subject: str) -> None:
    (found,) = told(RULE, case(metadata=wheel(**changes)))
    assert found.subject == subject


def test_names_and_versions_are_compared_by_their_standards() -> None:
    spelt = wheel(
        distribution="My_Pkg", version="1.0.0+cu121.a", metadata_fields=(("name", "my.pkg"), ("version", "1.0+cu121-a"))
    )
    assert told(RULE, case(metadata=spelt)) == []


def test_absent_files_are_told_by_their_faults_alone() -> None:
    absent = wheel(
        wheel_fields=(), wheel_tags=(), metadata_fields=(), problems=(ReadProblem(file=WHEEL, reason="no such file"),)
    )
    (found,) = told(RULE, case(metadata=absent))
    assert found.message == "no such file"
