from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import ArtifactKind, Oddity, OddityKind, Tag
from checker.model.record import replace
from checker.rules.wheel.ambiguous_archive import RULE
from tests.rules.builders import case, member, told, wheel

if TYPE_CHECKING:
    from checker.model.case import Case

ANY = (Tag(python="py3", abi="none", platform="any"),)


def asked(*names: str, tags: tuple[Tag, ...] | None = None, odd: tuple[Oddity, ...] = (), kind: str = "wheel") -> Case:
    made = case(members=[member(name) for name in names], metadata=wheel(**({} if tags is None else {"name_tags": tags})))
    return replace(made, inventory=replace(made.inventory, oddities=odd, kind=ArtifactKind(kind)))


def oddity(kind: OddityKind, file: str = "a.py", what: str = "is odd") -> Oddity:
    return Oddity(file=file, kind=kind, what=what)


def test_distinct_names_are_silent() -> None:
    assert told(RULE, asked("pkg/a.py", "pkg/b.py", "pkg/sub/a.py", "pkga/x")) == []


def test_a_name_that_stands_twice_is_told_once() -> None:
    (found,) = told(RULE, asked("a.py", "a.py", "a.py", "b.py"))
    assert (found.file, found.subject) == ("a.py", "duplicate")
    assert found.message == "a.py stands in the archive twice"


def test_several_repeated_names_are_one_finding_of_the_artifact() -> None:
    (found,) = told(RULE, asked("a.py", "a.py", "b.py", "b.py"))
    assert (found.file, dict(found.evidence)["names"]) == ("pkg.whl", ("a.py", "b.py"))


def test_a_file_that_is_a_folder_too_is_told() -> None:
    (found,) = told(RULE, asked("pkg/data", "pkg/data/deep/x"))
    assert (found.file, found.subject) == ("pkg/data", "file and folder")


@pytest.mark.parametrize(
    "names", [("pkg/Utils.py", "pkg/utils.py"), ("caf\u00e9.txt", "cafe\u0301.txt"), ("stra\u00dfe", "STRASSE")]
)
def test_names_that_are_one_file_without_case_are_told_where_the_tags_promise_such_systems(names: tuple[str, str]) -> None:
    (found,) = told(RULE, asked(*names, tags=ANY))
    assert found.subject == "case"
    assert " = ".join(sorted(names)) in found.message
    assert told(RULE, asked(*names)) == []
    assert told(RULE, asked(*names), ignore_case="always")
    assert told(RULE, asked(*names, tags=ANY), ignore_case="never") == []


@pytest.mark.parametrize("kind", [kind for kind in OddityKind if kind is not OddityKind.SPECIAL_FILE])
def test_what_was_met_in_the_archive_is_one_finding_a_kind(kind: OddityKind) -> None:
    (found,) = told(RULE, asked("a.py", odd=(oddity(kind), oddity(kind, "b.py"))))
    assert (found.file, found.subject) == ("pkg.whl", kind.value)
    assert found.message == "a.py is odd (1 further case)"
    (alone,) = told(RULE, asked("a.py", odd=(oddity(kind),)))
    assert alone.file == "a.py"


def test_devices_are_left_to_another_rule() -> None:
    assert told(RULE, asked("a.py", odd=(oddity(OddityKind.SPECIAL_FILE),))) == []


def test_links_and_what_stands_before_the_archive_are_faults_of_wheels_alone() -> None:
    linked = replace(member("lib.so"), link="lib.so.1")
    before = (oddity(OddityKind.PREFIX, "pkg.whl", "has 23 bytes before its first file"),)
    for kind, subjects in (("wheel", {"prefix", "link"}), ("zip", set())):
        made = case(members=[linked], metadata=wheel())
        inventory = replace(made.inventory, oddities=before, kind=ArtifactKind(kind))
        assert {found.subject for found in told(RULE, replace(made, inventory=inventory))} == subjects


def test_a_directory_is_not_asked() -> None:
    assert told(RULE, asked("a", "a", kind="directory")) == []
