from __future__ import annotations

from typing import Any

import pytest

from checker.model.finding import Finding, Level
from checker.report.causes import Cause, Place, causes, files_named, likewise, single
from tests.report import builders as build


def finding(file: str, subject: str, message: str = "", remedy: str = "") -> Finding:
    return build.finding(file=file, subject=subject, message=message or f"needs {subject}", remedy=remedy)


def test_what_reads_the_same_up_to_the_file_is_one_cause_that_names_no_single_file() -> None:
    same = [
        finding(f"pkg/{letter}.so", "/build", "looks in /build", f"patchelf --remove-rpath pkg/{letter}.so") for letter in "ba"
    ]
    (cause,) = causes(same)
    assert (cause.message, cause.remedy) == ("looks in /build", "patchelf --remove-rpath FILE")
    assert cause.files == ("pkg/a.so", "pkg/b.so")
    assert cause.findings == tuple(same)
    assert cause.likewise == ()


def test_one_finding_is_told_word_for_word() -> None:
    alone = finding("pkg/a.so", "libx.so", "pkg/a.so needs libx.so", "mend pkg/a.so")
    assert causes([alone]) == (single(alone),)
    assert single(alone).remedy == "mend pkg/a.so"


def test_the_subject_of_most_files_leads_and_the_others_stand_by_their_files() -> None:
    found = [
        finding("a", "lib1.so"),
        finding("a", "lib2.so"),
        finding("b", "lib2.so"),
        finding("a", "lib3.so"),
        finding("b", "lib3.so"),
        finding("a", "lib4.so"),
    ]
    (cause,) = causes(found)
    assert cause.message == "needs lib2.so"
    assert cause.files == ("a", "b")
    assert cause.likewise == (
        Place(subjects=("lib3.so",), files=("a", "b")),
        Place(subjects=("lib1.so", "lib4.so"), files=("a",)),
    )
    assert list(likewise(cause)) == ["lib3.so", "lib1.so, lib4.so in a"]


def test_a_subject_is_known_at_the_end_of_its_path() -> None:
    found = [finding("a", name, f"needs {name}; the artifact holds it as lib/{name}") for name in ("x.so", "y.so")]
    assert len(causes(found)) == 1


@pytest.mark.parametrize("ending", [".1", "-2", "x", "_", "/more"])
def test_a_name_within_a_longer_one_is_another_name(ending: str) -> None:
    found = [finding(file, "s", f"is beside {file}{ending}") for file in ("lib/a.so", "lib/b.so")]
    assert len(causes(found)) == 2
    found = [finding("f", name, f"is beside {name}{ending}") for name in ("a.so", "b.so")]
    assert len(causes(found)) == 2


def test_a_name_that_is_repeated_without_a_gap_is_another_name() -> None:
    assert len(causes([finding("f", name, f"needs {name}{name}") for name in ("00", "11")])) == 2


def test_a_path_within_a_longer_one_is_another_path() -> None:
    assert len(causes([finding(file, "s", f"is beside other/{file}") for file in ("lib/a.so", "lib/b.so")])) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"rule": "executable-stack"},
        {"level": Level.WARNING},
        {"waived": build.waived()},
        {"message": "needs it badly"},
        {"remedy": "another"},
    ],
)
def test_what_differs_is_told_apart(change: dict[str, Any]) -> None:
    first = finding("a.so", "s", "needs it", "mend it")
    assert (
        len(
            causes(
                [first, build.finding(**{"file": "b.so", "subject": "s", "message": "needs it", "remedy": "mend it", **change})]
            )
        )
        == 2
    )


def test_subjects_of_which_the_text_does_not_speak_are_not_listed() -> None:
    (cause,) = causes([finding("a.so", "one", "is bad"), finding("b.so", "two", "is bad")])
    assert cause.files == ("a.so", "b.so")
    assert list(likewise(cause)) == []


def test_no_text_of_an_artifact_stands_for_another() -> None:
    marks = [
        causes([finding("a.so", "s", text), finding("b.so", "s", "b.so is bad")]) for text in ("\0\2 is bad", "\0\1\2 is bad")
    ]
    assert [len(each) for each in marks] == [2, 2]


def listed(places: int, subjects: int) -> list[str]:
    found = [finding(f"{place:02}", f"s{place:02}{number:02}") for place in range(places) for number in range(subjects)]
    (cause,) = causes(found)
    return list(likewise(cause))


def test_few_places_are_all_told() -> None:
    assert listed(3, 2) == ["s0001", "s0100, s0101 in 01", "s0200, s0201 in 02"]


def test_of_many_places_the_last_are_told_by_subject_alone() -> None:
    rows = listed(14, 1)
    assert len(rows) == 11
    assert rows[-1] == "s1100, s1200, s1300 in other files"


def test_of_very_many_subjects_the_last_are_counted() -> None:
    (row,) = listed(1, 31)
    assert row.endswith("s0019, s0020 and 10 more")


@pytest.mark.parametrize(
    ("number", "named"), [(1, "0"), (2, "0, 1"), (3, "0, 1 and 1 more file"), (2002, "0, 1 and 2,000 more files")]
)
def test_two_files_are_named(number: int, named: str) -> None:
    assert files_named([str(each) for each in range(number)]) == named


def test_every_finding_is_in_exactly_one_cause() -> None:
    found = [finding(f"f{index % 7}", f"s{index % 5}", f"needs s{index % 5} by {index % 3}") for index in range(100)]
    told: tuple[Cause, ...] = causes(found)
    assert sorted(id(each) for cause in told for each in cause.findings) == sorted(map(id, found))
    assert all({each.file for each in cause.findings} >= set(cause.files) for cause in told)
