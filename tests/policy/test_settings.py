"""What holds for one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.finding import Level
from checker.policy.load import load_policy
from checker.policy.settings import setting_for, variants
from tests.policy.samples import SPECS

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.policy import Policy

RULE = "size-over-budget"


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    """Limited to shared objects, with two overrides that overlap."""
    path = tmp_path / "p.toml"
    path.write_text(
        """
        [rules.size-over-budget]
        bytes = 1
        files = ["**/*.so", "bin/*"]
        [[override]]
        files = ["bin/*", "lib/*"]
        rules.size-over-budget.level = "note"
        [[override]]
        files = ["lib/a*"]
        rules.size-over-budget.bytes = 2
        rules.missing-library.level = "warning"
        """,
        encoding="utf-8",
    )
    return load_policy([str(path)], SPECS)


@pytest.mark.parametrize(
    ("file", "level", "limit"),
    [
        ("x/b.so", Level.ERROR, 1),
        ("bin/tool", Level.NOTE, 1),
        ("lib/b.so", Level.NOTE, 1),
        ("lib/a.so", Level.ERROR, 2),
        ("lib/a.txt", Level.OFF, 2),
        ("x/b.txt", Level.OFF, 1),
    ],
)
def test_the_last_override_that_matches_wins_within_the_files_of_the_rule(
    policy: Policy, file: str, level: Level, limit: int
) -> None:
    found = setting_for(policy, RULE, file)
    assert (found.level, found.parameters.bytes) == (level, limit)


def test_variants_are_the_base_and_each_different_override(policy: Policy) -> None:
    assert [(each.level, each.parameters.bytes) for each in variants(policy, RULE)] == [
        (Level.ERROR, 1),
        (Level.NOTE, 1),
        (Level.ERROR, 2),
    ]
    assert [each.level for each in variants(policy, "missing-library")] == [Level.OFF, Level.WARNING]


def test_an_unknown_rule_is_a_key_error(policy: Policy) -> None:
    with pytest.raises(KeyError):
        setting_for(policy, "none", "a")
