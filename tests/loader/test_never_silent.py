"""A root that some judged loader refuses is never passed over: an error or a "could not check" concerns it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.engine import Options, audit
from checker.model.finding import Level
from checker.model.record import replace
from checker.model.report import Verdict
from checker.model.resolution import LoadOutcome
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.loader.kit import CASES, LAYOUT, Case, setup_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport
    from checker.setup import Setup

REFUSED = {LoadOutcome.FAILS, LoadOutcome.ABORTS}


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return load_policy(["recommended"], specs(), directory=str(tmp_path_factory.mktemp("empty")))


def written(case: Case, folder: Path) -> Setup:
    """The case's set-up with folders as a user writes them; one in which nothing lies is no folder of an artifact."""
    setup = setup_of(case)
    names = [each.removeprefix(LAYOUT.site_packages + "/") for each in setup.library_path]
    return replace(setup, library_path=tuple(name for name in names if any(folder.glob(f"{name}/*"))))


def silences(report: ArtifactReport) -> list[str]:
    """Refused roots with which nothing is concerned."""
    loud = {finding.file for finding in report.findings if finding.level is Level.ERROR}
    loud |= {problem.file for problem in report.unchecked}
    return [
        f"{root.path} on {load.platform}: {load.because}"
        for root in report.case.roots
        for load in root.loads
        if load.outcome in REFUSED and loud.isdisjoint({root.path, load.because.object if load.because else ""})
    ]


@pytest.mark.parametrize("tag", ["manylinux_2_17_x86_64", "musllinux_1_1_x86_64"])
@pytest.mark.parametrize("name", CASES)
def test_a_root_that_is_refused_somewhere_has_an_error_or_is_unchecked(
    name: str, tag: str, built: Callable[[str], Path], policy: Policy
) -> None:
    folder = built(name)
    report = audit(str(folder), policy, Options(platform=tag, python="cp311", setup=written(CASES[name], folder)))
    assert silences(report) == []
    if any(load.outcome in REFUSED for root in report.case.roots for load in root.loads):
        assert report.verdict is not Verdict.PASS
