"""One rule = one file = one id = one documentation = one test file."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checker.model.record import defaults, field_names
from checker.rules.registry import RULES, specs
from tests.cases.form import FOLDER, KINDS
from tests.cases.survey import case_files
from tools.new_rule import UNWRITTEN, faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.rule import Rule

ROOT = Path(__file__).parent.parent.parent
FAMILIES = ROOT / "checker" / "rules"
TESTS = ROOT / "tests" / "rules"
HEADINGS = ("## What", "## Why it breaks", "## Causes and fixes", "## References")
ALWAYS_ANSWERS = {
    "absolute-run-path": "a run path stands in the file",
    "ambiguous-archive": "records of the archive agree or not; what cannot be read is the engine's to tell",
    "bad-wheel-name": "the names are there",
    "clashing-runtimes": "exports stand in the files; what hides its own meets nobody",
    "could-be-stable-abi": "a suggestion; without data there is none to make",
    "dead-run-path": "a run path stands in the file, and the layout is the standard's",
    "dt-relr-without-marker": "the entry and the marker stand in the file",
    "duplicate-bundled-library": "build ids and sonames stand in the files",
    "elf-in-pure-wheel": "headers stand in the file, and tags in its name",
    "escaping-run-path": "a run path stands in the file, and the layout is the standard's",
    "executable-stack": "program headers stand in the file",
    "forbidden-bundled-library": "the members are there or not",
    "forbidden-needed-library": "needed names stand in the file",
    "generic-library-at-install-root": "the members are there or not",
    "hidden-runtime-copy": "the texts are there or not; what cannot be read again is the engine's to tell",
    "inherited-run-path": "it tells what was found in one way, and not what was not found",
    "initial-exec-tls": "flags and segments stand in the file",
    "interposed-symbol": "it tells what takes another's place, and what is not known takes none",
    "isa-level-too-high": "the note stands in the file or makes no demand",
    "lazy-binding": "relocations and flags stand in the file",
    "leaked-runtime-symbols": "exports stand in the file",
    "libc-mismatch": "needed names and the interpreter's stand in the file",
    "load-failure": "where the loader's answer is not known, the engine says so for every root",
    "missing-branch-protection": "the note stands in the file or the feature is off",
    "missing-dlopen-target": "it tells what names were seen; that there are no others nobody can say",
    "missing-init-function": "exports stand in the file",
    "missing-relro": "program headers and relocations stand in the file",
    "non-pie-executable": "the type stands in the header",
    "orphan-bundled-library": "a hint; where something may open any library there is none to give",
    "platform-tag-too-new": "a suggestion; without data there is none to make",
    "platform-tag-without-code": "what members are, their first bytes tell",
    "preload-only-library": "it tells what was found in one way, and not what was not found",
    "private-platform-symbol": "imports and their versions stand in the file",
    "required-bundled-library": "the members are there or not",
    "small-page-alignment": "program headers stand in the file",
    "soname-mismatch": "sonames and needed names stand in the files",
    "symbol-version-missing": "what no library was seen for is undecided, which unresolved-symbol tells",
    "symbol-version-too-new": "version needs stand in the file, and ceilings in the policy",
    "text-relocations": "the tag stands in the file",
    "truncated-elf-data": "a file that lacks what is loaded is not read, which the engine tells",
    "undeclared-dependency": "it tells what was bound in one way, and not what was not bound",
    "unexpected-export": "exports stand in the file",
    "unique-symbol-export": "exports stand in the file",
    "unreachable-bundled-library": "the members are there or not",
    "unsafe-member-path": "the paths are there",
    "unused-needed-library": "a hint; without the library's symbols there is none to give",
    "wheel-duplicate-header": "the headers are there or not",
    "writable-executable-segment": "program headers stand in the file",
    "wrong-extension-suffix": "file names and tags are there",
}
"""Rules whose ``check`` yields no ReadProblem, each with the reason. A file that cannot be read is the engine's to tell."""


def module_of(rule_id: str) -> str:
    return rule_id.replace("-", "_")


def test_the_registry_holds_every_rule_file_and_nothing_else() -> None:
    files = {(path.parent.name, path.stem) for path in FAMILIES.glob("*/*.py") if path.stem != "__init__"}
    assert {(rule.family, module_of(rule.id)) for rule in RULES} == files


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_s_file_says_what_the_registry_says(rule: Rule) -> None:
    own = import_module(f"checker.rules.{rule.family}.{module_of(rule.id)}").RULE
    assert (own.id, own.family, own.doc, own.check) == (rule.id, rule.family, rule.doc, rule.check)


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


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_parameter_has_a_default_and_is_documented(rule: Rule) -> None:
    assert set(field_names(rule.parameters)) == set(defaults(rule.parameters))
    for name in field_names(rule.parameters):
        assert f"{name}:" in (rule.parameters.__doc__ or "")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_id_names_a_defect_in_plain_words(rule: Rule) -> None:
    assert faults(rule.id) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_nothing_of_a_rule_is_left_to_write(rule: Rule) -> None:
    left = [*_unwritten_parts(rule), *_unwritten_cases(rule)]
    assert not left, "to be written: " + "; ".join(left)


def _unwritten_parts(rule: Rule) -> Iterator[str]:
    """What the rule's file, its test file and its line in the policy do not yet say."""
    source = FAMILIES / rule.family / f"{module_of(rule.id)}.py"
    sections = re.split(r"^## .*$", rule.doc, flags=re.MULTILINE)[1:]
    empty = [heading.removeprefix("## ") for heading, text in zip(HEADINGS, sections, strict=True) if not text.strip()]
    if empty:
        yield f"the documentation in {source.relative_to(ROOT).as_posix()} ({', '.join(empty)})"
    if UNWRITTEN in source.read_text(encoding="utf-8"):
        yield "the question itself, check() there"
    tests = TESTS / rule.family / f"test_{module_of(rule.id)}.py"
    if "\ndef test_" not in tests.read_text(encoding="utf-8"):
        yield f"tests in {tests.relative_to(ROOT).as_posix()}"
    policy = (ROOT / "policies" / "recommended.toml").read_text(encoding="utf-8")
    if not re.search(rf"^\[rules\.{rule.id}\]\nlevel = \S+ +# \S", policy, re.MULTILINE):
        yield f"level and reason under [rules.{rule.id}] in policies/recommended.toml"


def _unwritten_cases(rule: Rule) -> Iterator[str]:
    """Kinds of cases that the rule has none of."""
    found = {path.stem.partition("-")[0] for path in case_files() if path.parent.name == rule.id}
    for kind in KINDS:
        if kind not in found and not (kind == "unchecked" and rule.id in ALWAYS_ANSWERS):
            yield f"testdata/rules/{rule.id}/{kind}-….toml (testdata/README.md tells how)"


def test_no_folder_of_cases_is_an_orphan() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {rule.id for rule in RULES}
    assert {path.suffix for path in FOLDER.glob("*/*")} == {".toml"}


def test_only_rules_that_always_answer_are_let_off() -> None:
    unable = {rule.id for rule in RULES if "ReadProblem" in rule.check.__annotations__["return"]}
    assert ALWAYS_ANSWERS.keys() == {rule.id for rule in RULES} - unable


def test_reasons_stand_in_the_order_of_the_alphabet() -> None:
    assert list(ALWAYS_ANSWERS) == sorted(ALWAYS_ANSWERS)
