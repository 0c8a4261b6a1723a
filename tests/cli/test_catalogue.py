"""``wheelproof rules`` and ``wheelproof policy``, with the real rules and policies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema

from checker.rules.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Done

    Run = Callable[..., Done]
    Write = Callable[[str, str], str]

REAL = "checker"


def test_every_rule_is_listed_with_its_level(run: Run) -> None:
    done = run("rules", module=REAL)
    assert (done.code, done.err) == (0, "")
    rows = [row.split()[:2] for row in done.out.splitlines() if row.startswith("  ")]
    assert [row[0] for row in rows] == [rule.id for rule in RULES]
    assert {row[1] for row in rows} <= {"error", "warning", "note", "off"}


def test_a_rule_is_told_in_full(run: Run) -> None:
    done = run("rules", "missing-library", module=REAL)
    assert done.code == 0
    for heading in ("What", "Why it breaks", "Causes and fixes", "References"):
        assert f"\n{heading}\n" in done.out


def test_a_misspelt_rule_is_wrong_usage_with_the_nearest(run: Run) -> None:
    done = run("rules", "mising-library", module=REAL)
    assert (done.code, done.out) == (2, "")
    assert done.err == 'wheelproof: there is no rule "mising-library"; did you mean "missing-library"?\n'


def test_the_policy_schema_is_a_schema(run: Run) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(run("policy", "schema", module=REAL).out))


def test_a_policy_is_shown_as_a_policy(run: Run, artifact: Write) -> None:
    done = run("policy", "show", module=REAL)
    assert (done.code, done.err) == (0, "")
    artifact("again.toml", done.out)
    assert run("policy", "show", "./again.toml", module=REAL).out.splitlines()[0] == done.out.splitlines()[0]


def test_a_good_policy_validates(run: Run) -> None:
    assert run("policy", "validate", "recommended", module=REAL).out == "recommended: ok\n"


def test_every_mistake_in_a_policy_is_told_at_once(run: Run, artifact: Write) -> None:
    name = artifact("bad.toml", 'schema = 1\nname = "x"\ncolour = "red"\n[rules.mising-library]\nlevel = "loud"\n')
    for command in (
        ("policy", "validate", f"./{name}"),
        ("policy", "show", f"./{name}"),
        ("check", name, "--policy", f"./{name}"),
    ):
        done = run(*command, module=REAL)
        assert (done.code, done.out) == (2, "")
        assert [row.split(":")[2] for row in done.err.splitlines()] == ["3", "4"]
        assert all(row.startswith("wheelproof: bad.toml:") for row in done.err.splitlines())
