"""What ``--help`` and completion say: short lines, and examples that are understood."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from checker.cli.app import app, parse
from checker.cli.main import _parse

if TYPE_CHECKING:
    from tests.cli.conftest import Commands

COMMANDS = (
    (),
    ("check",),
    ("gate",),
    ("show",),
    ("explain",),
    ("rules",),
    ("policy",),
    ("policy", "show"),
    ("policy", "validate"),
    ("policy", "schema"),
    ("policy", "init"),
    ("policy", "test"),
    ("platform",),
    ("platform", "capture"),
    ("platform", "list"),
    ("platform", "show"),
)
WITH_EXAMPLES = (
    (),
    ("check",),
    ("gate",),
    ("show",),
    ("explain",),
    ("rules",),
    ("policy",),
    ("platform",),
    ("platform", "capture"),
)


def shown(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    """The help of a command, on a wide terminal."""
    assert parse([*command, "--help"]) == 0
    return capsys.readouterr().out


def test_every_command_is_looked_at() -> None:
    listed: set[tuple[str, ...]] = {
        (one.callback.__name__ if one.name is None else one.name,) for one in app.registered_commands if one.callback
    }
    for group in app.registered_groups:
        assert group.typer_instance is not None
        listed |= {(str(group.name), str(one.name)) for one in group.typer_instance.registered_commands}
        listed.add((str(group.name),))
    assert listed | {()} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_is_no_wider_than_100_columns(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = shown(command, capsys)
    assert [line for line in text.splitlines() if len(line) > 100] == []
    assert "..." not in text.partition("Commands:")[2], "a summary is cut"


@pytest.mark.parametrize("command", WITH_EXAMPLES, ids=" ".join)
def test_examples_of_the_help_are_understood(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    examples = [line.strip() for line in shown(command, capsys).splitlines() if line.startswith("    wheelproof ")]
    assert examples
    for example in examples:
        _, *words = shlex.split(example)
        if words != ["--install-completion"]:
            assert not isinstance(_parse(words), int), f"{example}: {capsys.readouterr().err}"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_one_that_the_shell_understands(commands: Commands, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = commands.run(module="checker", _WHEELPROOF_COMPLETE=f"source_{shell}").out
    assert "wheelproof" in script
    done = subprocess.run([program, "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("wheelproof ga", "gate"), ("wheelproof check --pl", "--platform"), ("wheelproof check --fail-on n", "note")],
)
def test_commands_options_and_levels_are_completed(commands: Commands, typed: str, offered: str) -> None:
    words = str(len(typed.split()) - 1)
    done = commands.run(module="checker", _WHEELPROOF_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=words)
    assert done.out.split() == [offered]
