"""The policy ``data-only``: what it lets pass, and what it refuses beyond ``recommended``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.engine import audit
from checker.model.report import Verdict
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.engine.artifacts import TAG, library, wheel

if TYPE_CHECKING:
    from pathlib import Path

PURE = "py3-none-any"
CODE = {"demo/__init__.py": b"answer = 1\n", "demo/data/table.csv": b"1,2\n" * 1000}
NATIVE = library(defines=("f",), soname="libdata.so", needed=("libc.so.6",))


def refused(folder: Path, members: dict[str, bytes], tag: str, *policies: str) -> set[str]:
    """The rules that refuse the wheel."""
    report = audit(str(wheel(folder, members, tag=tag)), load_policy(policies, specs(), directory="/"))
    assert report.unchecked == ()
    found = {finding.rule for finding in report.findings if finding.level.value == "error"}
    assert (report.verdict is Verdict.PASS) == (not found)
    return found


def test_code_and_data_pass(tmp_path: Path) -> None:
    assert refused(tmp_path, CODE, PURE, "recommended", "data-only") == set()


@pytest.mark.parametrize(
    ("member", "rule"),
    [
        ("demo/libdata.so", "elf-in-pure-wheel"),
        ("demo-1.0.data/scripts/tool", "elf-in-pure-wheel"),
        ("demo/aux.py", "unsafe-member-path"),
        ("demo/data/Table.csv", "ambiguous-archive"),
    ],
)
def test_what_one_platform_may_hold_a_wheel_for_all_may_not(tmp_path: Path, member: str, rule: str) -> None:
    members = CODE | {member: NATIVE if rule == "elf-in-pure-wheel" else b"text"}
    assert refused(tmp_path, members, TAG, "recommended") == set()
    assert refused(tmp_path, members, TAG, "recommended", "data-only") == {rule}


def test_it_has_budgets_of_the_file_and_of_the_installation() -> None:
    settings = {setting.rule: setting for setting in load_policy(["data-only"], specs(), directory="/").settings}
    budgets = settings["size-over-budget"].parameters
    assert (budgets.artifact, budgets.installed) == (100 << 20, 250_000_000)
