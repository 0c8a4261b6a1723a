"""What holds for one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.finding import Level
from checker.model.policy import Place
from checker.policy.load import load_policy
from checker.policy.settings import level_in_force, setting_for, variants
from tests.policy.samples import SPECS

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.policy import Policy

RULE = "size-over-budget"


def place(file: str, architecture: str = "", tags: tuple[str, ...] = ()) -> Place:
    """A file under one promise."""
    return Place(file=file, architecture=architecture, tags=tags)


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
    found = setting_for(policy, RULE, place(file))
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
        setting_for(policy, "none", place("a"))


MANYLINUX = ("cp311-cp311-manylinux2014_x86_64", "cp311-cp311-manylinux_2_17_x86_64")
MUSLLINUX = ("cp311-cp311-musllinux_1_2_x86_64",)


@pytest.mark.parametrize(
    ("limits", "at", "holds"),
    [
        ('architectures = ["aarch64", "x86_64"]', place("a", "x86_64"), True),
        ('architectures = ["aarch64"]', place("a", "x86_64"), False),
        ('architectures = ["aarch64"]', place("a"), False),
        ('tags = ["*-musllinux_*"]', place("a", "", MUSLLINUX), True),
        ('tags = ["*-musllinux_*"]', place("a", "", MANYLINUX), False),
        ('tags = ["*-manylinux_2_17_*"]', place("a", "", MANYLINUX), True),
        ('tags = ["cp310-*", "cp311-*"]', place("a", "", MANYLINUX), True),
        ('tags = ["*"]', place("a"), False),
        ('files = ["*.so"]\narchitectures = ["x86_64"]\ntags = ["cp311-*"]', place("a.so", "x86_64", MUSLLINUX), True),
        ('files = ["*.so"]\narchitectures = ["x86_64"]\ntags = ["cp311-*"]', place("a.py", "x86_64", MUSLLINUX), False),
        ('files = ["*.so"]\narchitectures = ["x86_64"]\ntags = ["cp311-*"]', place("a.so", "i686", MUSLLINUX), False),
        ('files = ["*.so"]\narchitectures = ["x86_64"]\ntags = ["cp39-*"]', place("a.so", "x86_64", MUSLLINUX), False),
    ],
)
def test_an_override_holds_where_all_that_it_names_does(limits: str, at: Place, *, holds: bool, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f'rules.missing-library.level = "note"\n[[override]]\n{limits}\nrules.missing-library.level = "error"')
    policy = load_policy([str(path)], SPECS)
    assert setting_for(policy, "missing-library", at).level is (Level.ERROR if holds else Level.NOTE)


@pytest.mark.parametrize(
    ("base", "musl", "tags", "expected"),
    [
        ("error", "off", (MUSLLINUX,), Level.OFF),
        ("error", "off", (MANYLINUX, MUSLLINUX), Level.ERROR),
        ("off", "warning", (MANYLINUX, MUSLLINUX), Level.WARNING),
        ("note", "error", (MANYLINUX,), Level.NOTE),
        ("note", "error", (MANYLINUX, MUSLLINUX), Level.ERROR),
    ],
)
def test_of_several_tags_the_gravest_setting_counts(
    base: str, musl: str, tags: tuple[tuple[str, ...], ...], expected: Level, tmp_path: Path
) -> None:
    path = tmp_path / "p.toml"
    path.write_text(
        f'rules.missing-library.level = "{base}"\n[[override]]\ntags = ["*-musllinux_*"]\n'
        f'rules.missing-library.level = "{musl}"'
    )
    policy = load_policy([str(path)], SPECS)
    asked = variants(policy, "missing-library")[0]
    assert level_in_force(policy, asked, [place("a", "", names) for names in tags]) is expected


def test_parameters_of_another_place_count_for_nothing(policy: Policy) -> None:
    base, _, other = variants(policy, RULE)
    assert level_in_force(policy, base, [place("lib/a.so")]) is Level.OFF
    assert level_in_force(policy, other, [place("lib/a.so")]) is Level.ERROR
