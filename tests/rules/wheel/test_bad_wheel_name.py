from __future__ import annotations

import pytest

from checker.model.artifact import ArtifactKind, ReadProblem
from checker.model.record import replace
from checker.rules.wheel.bad_wheel_name import RULE
from tests.rules.builders import case, told, wheel

FOLDER, METADATA = "pkg-1.0.dist-info", "pkg-1.0.dist-info/METADATA"


def test_a_good_wheel_and_what_is_no_wheel_are_silent() -> None:
    made = case(metadata=wheel())
    assert told(RULE, made) == []
    assert told(RULE, replace(made, inventory=replace(made.inventory, wheel=None, kind=ArtifactKind.ZIP))) == []


def test_a_name_that_is_none_and_a_folder_of_another_name_fire() -> None:
    problems = (ReadProblem(file="pkg.whl", reason="this is no name"), ReadProblem(file=FOLDER, reason="it should be another"))
    found = told(RULE, case(metadata=wheel(name_problems=problems, distribution="", version="")))
    assert [(each.file, each.subject, each.message) for each in found] == [
        ("pkg.whl", "file name", "this is no name"),
        (FOLDER, "dist-info", "it should be another"),
    ]


@pytest.mark.parametrize(
    ("fields", "subject"),
    [
        ((("Name", "other"), ("Version", "1.0")), "Name"),
        ((("Name", "pkg"), ("Version", "1.1")), "Version"),
        ((("Name", "pkg"), ("Version", "no version")), "Version"),
        ((("Name", "pkg"),), "Version"),
        ((("Version", "1.0"),), "Name"),
    ],
)
def test_another_or_no_name_or_version_in_metadata_fires(fields: tuple[tuple[str, str], ...], subject: str) -> None:
    (found,) = told(RULE, case(metadata=wheel(metadata_fields=fields)))
    assert (found.file, found.subject) == (METADATA, subject)


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        ("My_Pkg", "1.0.0+cu121.a", ("my.pkg", "1.0+cu121-a")),
        ("a.b", "1.0_1", ("A_B", "1.0-1")),
        ("x", "1.0RC1", ("x", "1.0rc1")),
    ],
)
def test_names_and_versions_are_compared_by_their_standards(name: str, version: str, said: tuple[str, str]) -> None:
    fields = (("name", said[0]), ("version", said[1]))
    assert told(RULE, case(metadata=wheel(distribution=name, version=version, metadata_fields=fields))) == []


def test_a_build_number_is_compared_where_both_have_one() -> None:
    fields = (("Wheel-Version", "1.0"), ("Build", "2"))
    assert told(RULE, case(metadata=wheel(build="2", wheel_fields=fields))) == []
    assert told(RULE, case(metadata=wheel(build="2"))) == []
    (found,) = told(RULE, case(metadata=wheel(build="3", wheel_fields=fields)))
    assert (found.subject, found.message) == ("Build", "WHEEL says Build '2', and the file name says 3")
    (found,) = told(RULE, case(metadata=wheel(wheel_fields=fields)))
    assert found.message.endswith("the file name has none")


def test_an_absent_metadata_file_is_told_elsewhere() -> None:
    assert told(RULE, case(metadata=wheel(metadata_fields=()))) == []
