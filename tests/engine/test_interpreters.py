"""Wheels whose modules are for several interpreters: each is judged in the one that imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from checker.engine import Options, audit
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.engine.artifacts import library, wheel

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport

OLD, NEW = "pkg/x.cpython-38-x86_64-linux-gnu.so", "pkg/x.cpython-312-x86_64-linux-gnu.so"
PLAIN, SHARED = "pkg/y.so", "pkg/libshared.so"
REMOVED, ADDED = "_PyObject_FastCallDict", "PyObject_CallNoArgs"
"""A function that CPython 3.8 exports and 3.12 does not, and the other way round."""


def module(uses: str, name: str = "x", **more: Any) -> bytes:  # noqa: ANN401 - as library
    return library(uses=(uses,), defines=(f"PyInit_{name}",), needed=("libshared.so", "libc.so.6"), runpath="$ORIGIN", **more)


def shared(uses: str = "Py_IncRef") -> bytes:
    return library(uses=(uses,), soname="libshared.so", needed=("libc.so.6",))


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return load_policy(["recommended"], specs(), directory=str(tmp_path_factory.mktemp("empty")))


def missing(report: ArtifactReport) -> set[str]:
    return {finding.file for finding in report.findings if finding.rule == "missing-interpreter-symbol"}


def interpreters(report: ArtifactReport) -> dict[str, str | None]:
    return {root.path: root.interpreter for root in report.case.roots}


TAG = "py3-none-manylinux_2_17_x86_64"


def test_each_module_is_judged_in_the_interpreter_of_its_file_name(tmp_path: Path, policy: Policy) -> None:
    report = audit(str(wheel(tmp_path, {OLD: module(REMOVED), NEW: module(ADDED), SHARED: shared()}, tag=TAG)), policy)
    assert interpreters(report) == {OLD: "cpython-3.8", NEW: "cpython-3.12"}
    assert missing(report) == set()
    assert {load.outcome.value for root in report.case.roots for load in root.loads} == {"loads"}


def test_what_that_interpreter_lacks_is_told(tmp_path: Path, policy: Policy) -> None:
    report = audit(str(wheel(tmp_path, {OLD: module(ADDED), NEW: module(REMOVED), SHARED: shared()}, tag=TAG)), policy)
    assert missing(report) == {OLD, NEW}


def test_a_library_that_several_load_is_held_to_each_of_them(tmp_path: Path, policy: Policy) -> None:
    members = {OLD: module(REMOVED), NEW: module(ADDED), SHARED: shared(ADDED)}
    report = audit(str(wheel(tmp_path, members, tag=TAG)), policy, Options(bindings=True))
    assert missing(report) == {SHARED}
    (finding,) = (finding for finding in report.findings if finding.rule == "missing-interpreter-symbol")
    assert "cpython-3.8 does not have" in finding.message
    rows = [(row.root, row.path) for row in report.bindings or () if row.symbol == ADDED.encode() and row.object == SHARED]
    assert rows == [(NEW, "cpython-3.12"), (OLD, None)]
    # Each import once, at its worst: two of the modules, one of the library.
    assert (dict(report.case.counts.bound)["host"], report.case.counts.symbol_missing) == (2, 1)


def test_where_all_agree_a_shared_library_has_one_row(tmp_path: Path, policy: Policy) -> None:
    library_ = library(defines=("f",), uses=("g",), soname="libshared.so")
    report = audit(
        str(wheel(tmp_path, {OLD: module(REMOVED), NEW: module(ADDED), SHARED: library_}, tag=TAG)),
        policy,
        Options(bindings=True),
    )
    assert [(row.root, row.outcome.value) for row in report.bindings or () if row.object == SHARED] == [
        (None, "symbol_missing")
    ]


def test_a_name_for_all_is_judged_in_the_oldest_that_the_tag_promises(tmp_path: Path, policy: Policy) -> None:
    members = {PLAIN: module(ADDED, "y"), NEW: module(ADDED), SHARED: shared()}
    report = audit(str(wheel(tmp_path, members, tag=TAG)), policy)
    assert interpreters(report) == {PLAIN: "cpython-3.8", NEW: "cpython-3.12"}
    assert missing(report) == {PLAIN}


def test_an_interpreter_that_is_asked_for_opens_all(tmp_path: Path, policy: Policy) -> None:
    members = {OLD: module(REMOVED), NEW: module(ADDED), SHARED: shared()}
    report = audit(str(wheel(tmp_path, members, tag=TAG)), policy, Options(python="cp312"))
    assert set(interpreters(report).values()) == {"cpython-3.12"}
    assert missing(report) == {OLD}


def test_modules_outside_wheels_tell_by_their_names_too(tmp_path: Path, policy: Policy) -> None:
    (tmp_path / "pkg").mkdir()
    for path, data in {NEW: module(ADDED), SHARED: shared()}.items():
        (tmp_path / path).write_bytes(data)
    report = audit(str(tmp_path), policy)
    assert interpreters(report) == {NEW: "cpython-3.12"}
    assert missing(report) == set()
