"""The Markdown of this repository is true: what it names exists, and what README.md shows happens."""

from __future__ import annotations

import re
import shlex
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.documents import DOCUMENTS, ROOT, Block, every_block, read, wheelproof

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = ("check", "gate", "show", "explain", "rules", "policy init", "policy test", "platform capture", "")
OTHERS = {"--cache"}
"""Of the programs in ``tools``."""
README = read("README.md")
POLICIES = [
    pytest.param(block, id=str(block))
    for block in every_block()
    if block.mark == "policy" and block.document != "docs/policies.md"  # that one extends a file of its own
]


def block(mark: str) -> str:
    """The fenced block under a comment such as ``<!-- check-command -->``."""
    found = re.search(rf"<!-- {re.escape(mark)}[^>]* -->\n```\w+\n(.*?)\n```", README, re.DOTALL)
    assert found is not None, f"README.md has no block {mark}"
    return found[1]


@cache
def told(command: str) -> str:
    """The help of a command; nothing where there is none."""
    answer = wheelproof(f"wheelproof {command} --help")
    return answer.stdout if answer.returncode == 0 else ""


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
    options = told("check")
    for option in ("--platform", "--provider", "--preload", "--library-path", "--executable"):
        assert option in options, option
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


@pytest.mark.parametrize("block", POLICIES)
def test_the_policies_of_the_text_are_valid_ones(block: Block, tmp_path: Path) -> None:
    policy = tmp_path / "wheelproof.toml"
    policy.write_text(block.text, encoding="utf-8")
    answer = wheelproof(f"wheelproof policy validate {policy.as_posix()}")
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_path_that_is_named_exists(name: str) -> None:
    text = read(name)
    named = set(re.findall(r"`((?:checker|docs|policies|tests|testdata|tools)/[\w./-]*)`", text))
    if name == "CONTRIBUTING.md":
        named |= {f"checker/{found}" for found in re.findall(r"`(\w+\.py)`", text)}
    linked = {target for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", text) if not target.startswith("http")}
    missing = [path for path in sorted(named) if not (ROOT / path).exists()]
    missing += [path for path in sorted(linked) if not (ROOT / name).parent.joinpath(path).exists()]
    assert missing == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_heading_that_is_linked_exists(name: str) -> None:
    for path, anchor in re.findall(r"\]\((?!http)([^)#]*)#([^)]+)\)", read(name)):
        text = (ROOT / name).parent.joinpath(path).read_text(encoding="utf-8") if path else read(name)
        headings = [
            re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
            for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        ]
        assert anchor in headings, f"{path}#{anchor}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_command_that_is_named_exists(name: str) -> None:
    commands = re.findall(r"(?:`|^\$ )wheelproof ([a-z]+)\b", read(name), re.MULTILINE)
    for command in sorted(set(commands)):
        assert told(command), f"wheelproof {command}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_option_that_is_named_exists(name: str) -> None:
    shown = "".join(told(command) for command in COMMANDS)
    known = set(re.findall(r"--[a-z][\w-]+", shown))
    for code in re.findall(r"`wheelproof ([^`]+)`|`(--[^`]+)`", read(name)):
        own = "".join(code).partition(" -- ")[0]
        unknown = {option for option in re.findall(r"(?<![\w-])--[a-z][\w-]+", own) if option not in known | OTHERS}
        assert unknown == set(), own


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_picture_has_words_for_those_who_do_not_see_it(name: str) -> None:
    assert re.findall(r"!\[.{0,30}\]\(", read(name)) == []


def test_every_dependency_has_its_reason() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[\n(.*?)^\]", project, re.DOTALL | re.MULTILINE)
    assert listed is not None
    for dependency in re.findall(r'^    "([\w-]+)', listed[1], re.MULTILINE):
        assert re.search(rf"^\| [^|]*\b{dependency}\b", text, re.MULTILINE), dependency
