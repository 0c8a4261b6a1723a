"""One rule = one file = one id = one documentation = one test file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checker.model.record import defaults, field_names
from checker.rules.registry import RULES, specs

if TYPE_CHECKING:
    from checker.model.rule import Rule

ROOT = Path(__file__).parent.parent.parent
FAMILIES = ROOT / "checker" / "rules"
TESTS = ROOT / "tests" / "rules"
HEADINGS = ("## What", "## Why it breaks", "## Causes and fixes", "## References")
DISALLOWED = (
    r"^no-",
    r"\d",
    r"^(?!.*[a-z]$)",
    r"^(check|test|find|detect)-",
    r"-(error|warning|rule|check)$",
    r"[^a-z-]",
    r"--",
)


def module_of(rule_id: str) -> str:
    return rule_id.replace("-", "_")


def test_the_registry_holds_every_rule_file_and_nothing_else() -> None:
    files = {(path.parent.name, path.stem) for path in FAMILIES.glob("*/*.py") if path.stem != "__init__"}
    assert {(rule.family, module_of(rule.id)) for rule in RULES} == files


def test_ids_are_unique_and_specs_keep_their_order() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert [spec.id for spec in specs()] == ids


def test_every_rule_has_its_test_file_and_no_test_file_is_an_orphan() -> None:
    expected = {(rule.family, f"test_{module_of(rule.id)}") for rule in RULES}
    assert {(path.parent.name, path.stem) for path in TESTS.glob("*/test_*.py")} == expected


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_documentation_has_a_summary_and_the_fixed_headings_in_order(rule: Rule) -> None:
    lines = rule.doc.splitlines()
    assert lines[0].endswith(".")
    assert tuple(line for line in lines if line.startswith("#")) == HEADINGS
    for above, below in zip(HEADINGS, (*HEADINGS[1:], None), strict=True):
        section = rule.doc.partition(above)[2].partition(below)[0] if below else rule.doc.partition(above)[2]
        assert section.strip(), f"{above} is empty"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_parameter_has_a_default_and_is_documented(rule: Rule) -> None:
    assert set(field_names(rule.parameters)) == set(defaults(rule.parameters))
    for name in field_names(rule.parameters):
        assert f"{name}:" in (rule.parameters.__doc__ or "")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_id_names_a_defect_in_plain_words(rule: Rule) -> None:
    assert not [pattern for pattern in DISALLOWED if re.search(pattern, rule.id)]
