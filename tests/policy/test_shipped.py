"""Each shipped policy passes its good wheels in silence, and fails each bad one by the rule that the file's name says.

``testdata/policies/<policy>/good-<what>.toml`` and ``bad-<rule>.toml`` are artifacts in the form of a rule's cases.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from checker.model.finding import Level
from checker.policy.builtin import shipped_names
from checker.policy.load import load_policy
from checker.rules.registry import RULES, specs
from tests.cases.form import CaseForm
from tests.cases.survey import Answers, audited_case

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parents[2] / "testdata" / "policies"
CASES = sorted(FOLDER.glob("*/*.toml"))
ELSEWHERE = {"recommended"}
"""Held to the cases of every rule, and to the wheels of ``testdata/defects``."""


def answers(path: Path, folder: Path) -> dict[str, Answers]:
    """What the policy says of a wheel, by rule."""
    form = CaseForm.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    return audited_case(form, folder, Path(path.parent.name))


@pytest.mark.parametrize(
    "path", [path for path in CASES if path.stem.startswith("good-")], ids=lambda path: "/".join(path.parts[-2:])
)
def test_a_good_wheel_passes_without_a_warning(path: Path, tmp_path: Path) -> None:
    found = answers(path, tmp_path)
    assert {rule for rule, said in found.items() if said.unchecked} == set()
    told = [(each.rule, each.message) for said in found.values() for each in said.findings if each.level.rank > Level.NOTE.rank]
    assert told == []


@pytest.mark.parametrize(
    "path", [path for path in CASES if path.stem.startswith("bad-")], ids=lambda path: "/".join(path.parts[-2:])
)
def test_a_bad_wheel_fails_by_its_rule_alone(path: Path, tmp_path: Path) -> None:
    found = answers(path, tmp_path)
    assert {rule for rule, said in found.items() if said.unchecked} == set()
    errors = {each.rule for said in found.values() for each in said.findings if each.level is Level.ERROR}
    assert errors == {path.stem.removeprefix("bad-")}


def test_every_policy_has_good_and_bad_wheels_and_no_case_is_an_orphan() -> None:
    kinds = {(path.parent.name, path.stem.partition("-")[0]) for path in CASES}
    wanted = {(name, kind) for name in shipped_names() if name not in ELSEWHERE for kind in ("good", "bad")}
    assert kinds == wanted
    rules = {path.stem.removeprefix("bad-") for path in CASES if path.stem.startswith("bad-")}
    assert rules <= {rule.id for rule in RULES}


def test_strict_lets_no_rule_be_silent() -> None:
    policy = load_policy(["strict"], specs())
    quiet = [setting.rule for setting in policy.settings if setting.level.rank < Level.WARNING.rank]
    assert quiet == [], 'say level = "warning" in policies/strict.toml'
    recommended = {setting.rule: setting.level for setting in load_policy(["recommended"], specs()).settings}
    for setting in policy.settings:
        assert setting.level.rank >= recommended[setting.rule].rank, setting.rule
        assert setting.level.rank <= max(recommended[setting.rule].rank, Level.WARNING.rank), setting.rule
