"""``tools/new_rule.py`` starts a rule that is valid in all but what only its author can write."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.survey import title
from tools.new_rule import Refused, faults, registered, start, with_entry, with_level

ROOT = Path(__file__).parent.parent.parent
SUMMARY = "A file has something that it must not have."


def copied(folder: Path, *parts: str) -> Path:
    """A copy of parts of the checkout."""
    for part in parts:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what a started rule's contract and documentation read."""
    return copied(tmp_path, "checker", "docs", "policies", "tests", "testdata/rules", "tools")


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A copy of what the tool changes."""
    return copied(tmp_path, "checker", "policies", "tests/rules/snapshots")


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python program in the copy."""
    return subprocess.run([sys.executable, *arguments], cwd=tree, capture_output=True, text=True, check=False)


def test_only_what_its_author_must_write_is_missing(tree: Path) -> None:
    started = run(tree, "-m", "tools.new_rule", "hardening", "gilded-lily", SUMMARY)
    assert (started.returncode, started.stderr) == (0, "")
    snapshot = tree / "tests" / "rules" / "snapshots" / "gilded-lily.txt"
    assert snapshot.read_text(encoding="utf-8") == title("gilded-lily")
    assert run(tree, "-m", "tools.rule_docs", "--check").returncode == 0
    told = run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/rules/test_contract.py")
    (failed,) = [line for line in told.stdout.splitlines() if line.startswith("FAILED")]
    assert "test_nothing_of_a_rule_is_left_to_write[gilded-lily]" in failed
    for left in (
        "to be written: the documentation in checker/rules/hardening/gilded_lily.py (What, Why it breaks, Causes and fixes, ",
        "the question itself, check() there",
        "tests in tests/rules/hardening/test_gilded_lily.py",
        "level and reason under [rules.gilded-lily] in policies/recommended.toml",
        *(f"testdata/rules/gilded-lily/{kind}-….toml" for kind in ("fires", "silent", "unchecked")),
    ):
        assert left in told.stdout, left


def test_what_it_writes_is_in_order_and_style(parts: Path) -> None:
    changed = start(parts, "hardening", "gilded-lily", SUMMARY, None)
    ids = [rule for rule, _ in registered(parts)]
    assert ids[ids.index("gilded-lily") - 1] == [rule for rule, family in registered(ROOT) if family == "hardening"][-1]
    policy = (parts / "policies" / "recommended.toml").read_text(encoding="utf-8")
    assert policy.index("[rules.gilded-lily]") < policy.index("# ---- Wheel")
    ruff = shutil.which("ruff") or str(Path(sys.executable).with_name("ruff"))
    if not Path(ruff).exists():
        pytest.skip("ruff is not installed here; nox -s lint has it")
    sources = [str(path) for path in changed if path.suffix == ".py"]
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [ruff, *command, "-q", "--no-cache", *sources], cwd=parts, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, "")


def test_it_stands_where_it_is_told(parts: Path) -> None:
    start(parts, "libraries", "gilded-lily", SUMMARY, "missing-library")
    assert [rule for rule, _ in registered(parts)][:2] == ["missing-library", "gilded-lily"]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("Bad-Name", "other characters"),
        ("rule_7", "other characters"),
        ("no-rpath", "must not be"),
        ("check-rpath", "what the rule does"),
        ("rpath-error", "every rule could end in"),
        ("-rpath", "dash too many"),
        ("a--b", "dash too many"),
    ],
)
def test_bad_ids_are_refused(rule: str, why: str) -> None:
    assert any(why in fault for fault in faults(rule))
    with pytest.raises(Refused, match=why):
        start(ROOT, "hardening", rule, SUMMARY, None)


def test_everything_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(Refused) as caught:
        start(ROOT, "gardening", "missing-library", "lacks a full stop", "no-such-rule")
    told = str(caught.value).splitlines()
    assert [line.partition(";")[0] for line in told] == [
        "there is no family gardening",
        "there is a rule missing-library already",
        "the summary must be one sentence that starts with a capital and ends with a full stop, in one line",
        "there is no rule no-such-rule to stand after",
    ]


def test_an_entry_stands_behind_the_rule_before() -> None:
    registry = (
        'RULES = (\n    _named("wheel", "a"),\n    _named("zoo", "b", when=has_run_paths),\n    _named("zoo", "b-c"),\n)\n'
    )
    assert with_entry(registry, "zoo", "x", "b") == registry.replace("paths),\n", 'paths),\n    _named("zoo", "x"),\n')


def test_a_level_stands_behind_the_rule_before() -> None:
    policy = '[rules.a]\nlevel = "error"   # why\nvia = "x"\n\n[rules.b]\nlevel = "note"\n'
    assert with_level(policy, "c", "a") == (
        '[rules.a]\nlevel = "error"   # why\nvia = "x"\n\n[rules.c]\nlevel = "off"\n\n[rules.b]\nlevel = "note"\n'
    )
    with pytest.raises(Refused, match="no table for z"):
        with_level(policy, "c", "z")
