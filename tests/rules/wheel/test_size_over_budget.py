from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import ArtifactKind, FileKind, ReadProblem, Sizes
from checker.model.record import replace
from checker.rules.wheel.size_over_budget import RULE
from tests.rules.builders import ask, case, member, told, wheel

if TYPE_CHECKING:
    from checker.model.case import Case

LIBRARY, TEXT = "pkg.libs/libx-0a1b2c3d.so.1", "pkg/data.txt"


def asked(size: int = 1000, old: Sizes | None = None) -> Case:
    members = (member(LIBRARY, size=2_500_000, kind=FileKind.ELF), member(TEXT, size=400), member("in.zip!/x", size=9))
    made = case(members=members, metadata=wheel())
    return replace(made, inventory=replace(made.inventory, size=size), baseline=old)


def baseline(size: int) -> Sizes:
    return Sizes(name="old.whl", size=size, members=(("pkg.libs/libx-99999999.so.1", 2_000_000), ("pkg/gone", 7)))


def test_without_numbers_nothing_is_asked() -> None:
    assert told(RULE, asked(10**12)) == []


@pytest.mark.parametrize(
    ("budget", "limit", "file", "message"),
    [
        ("artifact", 1000, "pkg.whl", "pkg.whl has 1.0 kB, and the budget is 999 bytes"),
        ("installed", 2_500_400, "pkg.whl", "pkg.whl takes, when installed, 2.5 MB, and the budget is 2.5 MB"),
        ("member", 2_500_000, LIBRARY, f"{LIBRARY} has 2.5 MB, and the budget is 2.5 MB"),
        ("library", 2_500_000, LIBRARY, f"{LIBRARY} has 2.5 MB, and the budget is 2.5 MB"),
    ],
)
def test_a_budget_is_exceeded_by_the_first_byte_beyond_it(budget: str, limit: int, file: str, message: str) -> None:
    assert told(RULE, asked(), **{budget: limit}) == []
    (found,) = told(RULE, asked(), **{budget: limit - 1})
    assert (found.file, found.subject, found.message) == (file, budget, message)


def test_a_library_budget_is_not_asked_of_other_files() -> None:
    assert [found.file for found in told(RULE, asked(), library=1)] == [LIBRARY]
    assert [found.file for found in told(RULE, asked(), member=1)] == [LIBRARY, TEXT]


def test_the_size_of_a_directory_is_that_of_its_files() -> None:
    made = asked(size=0)
    directory = replace(made, inventory=replace(made.inventory, kind=ArtifactKind.DIRECTORY))
    (found,) = told(RULE, directory, artifact=2_500_399)
    assert dict(found.evidence)["bytes"] == 2_500_400


def test_growth_is_told_in_bytes_and_percent_with_the_files_that_grew() -> None:
    made = asked(1500, baseline(1000))
    assert told(RULE, made, growth=500, growth_percent=50.0) == []
    absolute, relative = told(RULE, made, growth=499, growth_percent=49.9)
    assert absolute.message == "has grown by 500 bytes (50.0 %) over old.whl, and the budget is 499 bytes"
    assert relative.message.endswith("and the budget is 49.9 %")
    # A library whose hash changed is the same library, and a new file has grown from nothing.
    assert dict(absolute.evidence)["grown"] == ("pkg.libs/libx.so.1 +500000", f"{TEXT} +400")


def test_what_became_smaller_has_not_grown() -> None:
    assert told(RULE, asked(900, baseline(1000)), growth=0, growth_percent=0.0) == []


def test_growth_without_a_baseline_could_not_be_checked() -> None:
    (answer,) = ask(RULE, asked(), growth_percent=10.0)
    assert isinstance(answer, ReadProblem)
    assert "give --baseline OLD" in answer.reason
