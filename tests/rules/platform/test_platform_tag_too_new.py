from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import Tag
from checker.model.platform import PlatformId
from checker.model.record import replace
from checker.rules.platform.platform_tag_too_new import RULE
from tests.rules.builders import MODULE, case, computed, elf, promise, told, wheel

if TYPE_CHECKING:
    from checker.model.case import Case


def test_an_older_true_tag_is_told_once_for_the_wheel() -> None:
    (found,) = told(RULE, wide("manylinux_2_28", "manylinux_2_5"))
    assert (found.file, found.subject) == ("pkg.whl", "manylinux_2_5_x86_64")
    assert "is tagged manylinux_2_28_x86_64" in found.message


def test_systems_that_no_maintained_python_runs_on_are_not_missed() -> None:
    assert told(RULE, wide("manylinux_2_17", "manylinux_2_5")) == []
    assert told(RULE, wide("manylinux_2_12", "manylinux_2_5")) == []
    assert told(RULE, wide("manylinux_2_17", "manylinux_2_5"), oldest="manylinux_2_5") != []
    assert told(RULE, wide("manylinux_2_28", "manylinux_2_5"), oldest="manylinux_2_28") == []


def wide(tag: str, true: str) -> Case:
    tags = (Tag(python="cp311", abi="cp311", platform=f"{tag}_x86_64"),)
    oldest = PlatformId(family="glibc", release=tuple(int(part) for part in tag.split("_")[1:]), architecture="x86_64")
    promised = replace(promise(f"{tag}_x86_64"), oldest=oldest, judged=(oldest,))
    return case(elf(), metadata=wheel(name_tags=tags), promises=(promised,), computed=computed(MODULE, f"{true}_x86_64"))


@pytest.mark.parametrize("tag", ["manylinux_2_17_x86_64", "manylinux_2_28_x86_64", "musllinux_1_1_x86_64", None])
def test_the_same_or_a_newer_tag_or_none_is_silent(tag: str | None) -> None:
    assert told(RULE, case(elf(), computed=computed(MODULE, tag))) == []


def test_what_promises_no_manylinux_is_silent() -> None:
    for name in ("linux_x86_64", "glibc-2.17-x86_64", "musllinux_1_2_x86_64"):
        asked = case(elf(), promises=(promise(name),), computed=computed(MODULE, "manylinux_2_5_x86_64"))
        assert told(RULE, asked) == []
    assert told(RULE, case(elf(), promises=(), computed=None)) == []


def test_a_platform_asked_for_in_place_of_the_tags_says_nothing_about_them() -> None:
    asked = case(elf(), promises=(promise("manylinux_2_28_x86_64"),), computed=computed(MODULE, "manylinux_2_5_x86_64"))
    assert told(RULE, asked) == []


def test_nor_does_one_of_the_newer_tags_of_a_wheel_that_bears_an_older_one() -> None:
    tags = tuple(Tag(python="cp311", abi="cp311", platform=f"manylinux_2_{minor}_x86_64") for minor in (5, 17))
    asked = case(elf(), metadata=wheel(name_tags=tags), computed=computed(MODULE, "manylinux_2_5_x86_64"))
    assert told(RULE, asked) == []
