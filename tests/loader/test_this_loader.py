"""The loader of the machine that runs the tests, as far as it can be asked."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools import compare_with_loader
from tools.compare_with_loader import NOT_BOUND, Difference, compare, differences
from tools.fixtures.toolchain import missing
from tools.this_machine import INTERPRETER

if TYPE_CHECKING:
    from tools.this_machine import Lookup

SAMPLES = sorted((Path(__file__).parents[2] / "testdata" / "sample").glob("*.whl"))


def _cannot_ask() -> str:
    lacking = missing("gcc")
    if lacking:
        return lacking
    return "" if platform.libc_ver()[0] == "glibc" else "the loader here is not glibc's"


@pytest.mark.skipif(bool(_cannot_ask()), reason=_cannot_ask() or "nothing is missing")
@pytest.mark.parametrize("wheel", SAMPLES, ids=lambda path: path.name.partition("-")[0])
def test_the_checker_binds_each_symbol_of_the_sample_as_this_loader_does(wheel: Path) -> None:
    result = compare(wheel)

    assert result.verdicts == []
    assert result.differences == []
    assert result.loaded == result.roots == 1
    assert result.lookups > 1


@pytest.mark.skipif(bool(_cannot_ask()), reason=_cannot_ask() or "nothing is missing")
def test_a_wrong_answer_of_the_checker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = compare_with_loader.Answers.of
    monkeypatch.setattr(
        compare_with_loader.Answers, "of", lambda self, root, name: dict.fromkeys(answers(self, root, name), "libwrong.so.1")
    )

    result = compare(SAMPLES[0])

    assert len(result.differences) == result.lookups
    assert {one.ours for one in result.differences} == {"libwrong.so.1"}
    assert INTERPRETER in {one.loaders for one in result.differences}


def test_a_binding_that_only_one_of_both_knows_is_a_difference() -> None:
    loaders: dict[Lookup, str] = {(b"both", None): "libc.so.6"}
    ours: dict[Lookup, str] = {**loaders, (b"mine", None): "libc.so.6"}

    assert list(differences("r.so", "o.so", ours, loaders, complete=True)) == [
        Difference("r.so", "o.so", "mine", "libc.so.6", NOT_BOUND)
    ]
    assert list(differences("r.so", "o.so", loaders, ours, complete=True)) == [
        Difference("r.so", "o.so", "mine", NOT_BOUND, "libc.so.6")
    ]


def test_what_the_loader_came_not_to_is_no_difference() -> None:
    ours: dict[Lookup, str] = {(b"first", b"V"): "libc.so.6", (b"later", None): "libc.so.6"}
    loaders: dict[Lookup, str] = {(b"first", b"V"): "libm.so.6"}

    assert list(differences("r.so", "o.so", ours, loaders, complete=False)) == [
        Difference("r.so", "o.so", "first@V", "libc.so.6", "libm.so.6")
    ]
