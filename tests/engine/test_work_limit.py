"""Artifacts in which many roots need many libraries: the work is bounded, and what lies beyond the bound never passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.archive import Limits
from checker.engine import Options, audit
from checker.model.report import Verdict
from checker.model.resolution import LoadOutcome
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.engine.artifacts import library, wheel

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.policy import Policy

MODULES = tuple(f"pkg/m{number}.cpython-311-x86_64-linux-gnu.so" for number in range(4))


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return load_policy(["recommended"], specs(), directory=str(tmp_path_factory.mktemp("empty")))


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Four modules on one library: each maps three objects and follows four needs."""
    members = {
        module: library(defines=(f"PyInit_m{number}",), needed=("libx.so", "libc.so.6"), runpath="$ORIGIN", uses=("x",))
        for number, module in enumerate(MODULES)
    }
    members["pkg/libx.so"] = library(defines=("x",), soname="libx.so", needed=("libc.so.6",))
    return str(wheel(tmp_path, members))


def outcomes(path: str, policy: Policy, **options: object) -> tuple[Verdict, dict[str, set[LoadOutcome]]]:
    report = audit(path, policy, Options(**options))  # type: ignore[arg-type]
    return report.verdict, {root.path: {load.outcome for load in root.loads} for root in report.case.roots}


def test_without_the_limit_all_roots_are_judged(path: str, policy: Policy) -> None:
    assert outcomes(path, policy) == (Verdict.PASS, {module: {LoadOutcome.LOADS} for module in MODULES})


def test_roots_beyond_the_limit_are_undecided_and_the_artifact_does_not_pass(path: str, policy: Policy) -> None:
    report = audit(path, policy, Options(limits=Limits(mapped=7)))
    assert report.verdict is Verdict.UNCHECKED
    oldest = {root.path: root.loads[0].outcome for root in report.case.roots}
    assert oldest == {MODULES[0]: LoadOutcome.LOADS, **dict.fromkeys(MODULES[1:], LoadOutcome.UNDECIDED)}
    reasons = {problem.reason for problem in report.unchecked if problem.file == MODULES[-1]}
    assert (
        "whether it loads on glibc-2.17-x86_64 is not known: the limit mapped=7 was reached; --limit mapped=N raises it"
        in reasons
    )


def test_the_limit_holds_over_all_platforms(path: str, policy: Policy) -> None:
    report = audit(path, policy, Options(limits=Limits(mapped=7)))
    newest = {root.path: root.loads[-1].outcome for root in report.case.roots}
    assert newest == dict.fromkeys(MODULES, LoadOutcome.UNDECIDED)


def test_programs_and_chosen_roots_are_bounded_too(tmp_path: Path, path: str, policy: Policy) -> None:
    verdict, found = outcomes(path, policy, limits=Limits(mapped=1), roots=MODULES[:2])
    assert verdict is Verdict.UNCHECKED
    assert LoadOutcome.UNDECIDED in found[MODULES[1]]
    program = library(interpreter="/lib64/ld-linux-x86-64.so.2", needed=("libc.so.6",))
    tools = wheel(tmp_path, {"pkg/a": program, "pkg/b": program})
    verdict, found = outcomes(str(tools), policy, limits=Limits(mapped=1))
    assert verdict is Verdict.UNCHECKED
    assert LoadOutcome.UNDECIDED in found["pkg/b"]


@pytest.mark.parametrize("kind", ["module", "program"])
def test_needs_times_run_paths_end_at_the_limit_and_nothing_is_called_missing(
    tmp_path: Path, policy: Policy, kind: str
) -> None:
    """20 needs in 20 directories, on several platforms: a file of a few kilobytes can ask for millions of looks."""
    needed = tuple(f"lib{number}.so" for number in range(20))
    runpath = ":".join(f"$ORIGIN/a{number}" for number in range(20))
    interpreter = "/lib64/ld-linux-x86-64.so.2" if kind == "program" else None
    member = "pkg/tool" if kind == "program" else MODULES[0]
    needer = library(defines=("PyInit_m0",), needed=needed, runpath=runpath, interpreter=interpreter)
    made = str(wheel(tmp_path, {member: needer}))

    within = audit(made, policy)
    assert within.verdict is Verdict.FAIL
    assert {finding.rule for finding in within.findings} >= {"missing-library"}

    report = audit(made, policy, Options(limits=Limits(looked=100)))
    assert report.verdict is Verdict.UNCHECKED
    assert "missing-library" not in {finding.rule for finding in report.findings}
    assert any("the limit looked=100 was reached; --limit looked=N raises it" in each.reason for each in report.unchecked)


def test_a_look_more_than_is_needed_changes_nothing(path: str, policy: Policy) -> None:
    assert outcomes(path, policy, limits=Limits(looked=1_000)) == outcomes(path, policy)
