"""README.md, CONTRIBUTING.md and CHANGELOG.md are true: what they name exists, and what they show happens."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROSE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(mark: str) -> str:
    """The fenced block under a comment such as ``<!-- check-command -->``."""
    found = re.search(rf"<!-- {re.escape(mark)}[^>]* -->\n```\w+\n(.*?)\n```", README, re.DOTALL)
    assert found is not None, f"README.md has no block {mark}"
    return found[1]


def wheelproof(command: str) -> subprocess.CompletedProcess[str]:
    """Run a ``wheelproof …`` line of the text from the root of the checkout, with the patterns that a shell would expand."""
    _, *words = shlex.split(command)
    arguments = [one for word in words for one in (_expanded(word) if "*" in word else [word])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-m", "checker", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def _expanded(pattern: str) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))


def test_the_first_command_installs_and_checks_the_sample() -> None:
    install, _, check = block("check-command").partition(" && ")
    assert install == "python3 -m pip install ."
    answer = wheelproof(check)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert ": ok " in answer.stdout


def test_the_index_command_downloads_with_pip_and_checks_what_came() -> None:
    download, _, check = block("index-command").partition(" && ")
    assert shlex.split(download)[:4] == ["python3", "-m", "pip", "download"]
    assert check == "wheelproof check fresh/*.whl"


def test_the_capture_command_names_options_that_exist() -> None:
    capture, _, check = block("capture-command").partition(" && ")
    assert shlex.split(capture)[:3] == ["wheelproof", "platform", "capture"]
    told = wheelproof("wheelproof check --help").stdout
    for option in ("--platform", "--provider", "--preload", "--library-path", "--executable"):
        assert option in told, option
    assert "--platform" in check


def test_the_test_command_is_what_ci_runs() -> None:
    assert block("test-command") == "python3 -m pip install nox && python3 -m nox"
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- test-command -->" in ci
    assert "README.md" in ci


def test_the_example_shows_what_is_printed() -> None:
    command, _, shown = block("example:").partition("\n")
    answer = wheelproof(command.removeprefix("$ "))
    assert answer.returncode == 1
    assert shown.split("\n") == answer.stdout.rstrip("\n").split("\n")


def test_the_policy_of_the_text_is_a_valid_one(tmp_path: Path) -> None:
    policy = tmp_path / "wheelproof.toml"
    policy.write_text(block("policy"), encoding="utf-8")
    answer = wheelproof(f"wheelproof policy validate {policy}")
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.parametrize("name", PROSE)
def test_every_path_that_is_named_exists(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:checker|policies|tests|testdata|tools)/[\w./-]*)`", text))
    named |= {target for target in re.findall(r"\]\(([^)#:]+)\)", text) if not target.startswith("http")}
    named |= {f"checker/{found}" for found in re.findall(r"`(\w+\.py)`", text)}
    missing = sorted(path for path in named if not (ROOT / path).exists())
    assert missing == []


@pytest.mark.parametrize("name", PROSE)
def test_every_command_that_is_named_exists(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    commands = re.findall(r"(?:`|^\$ )wheelproof ([a-z]+)\b", text, re.MULTILINE)
    for command in sorted(set(commands)):
        answer = wheelproof(f"wheelproof {command} --help")
        assert answer.returncode == 0, f"wheelproof {command}"


def test_the_shipped_policies_are_those_that_the_text_names() -> None:
    shipped = {path.stem for path in (ROOT / "policies").glob("*.toml")}
    named = re.search(r"a shipped name: ([^)]*)\)", README)
    assert named is not None
    assert set(re.findall(r"`([a-z0-9-]+)`", named[1])) == shipped


def test_every_dependency_has_its_reason() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[\n(.*?)^\]", project, re.DOTALL | re.MULTILINE)
    assert listed is not None
    for dependency in re.findall(r'^    "([\w-]+)', listed[1], re.MULTILINE):
        assert re.search(rf"^\| [^|]*\b{dependency}\b", text, re.MULTILINE), dependency
