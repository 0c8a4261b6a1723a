"""What stands on a real terminal: colour, wrapped lines, a progress bar on long work."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from checker.cli.progress import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Commands

    Write = Callable[[str, str], str]

_STYLES = re.compile(r"\x1b\[[0-9;]*m")
_COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*3[0-7]m")


def on_terminal(commands: Commands, *words: str, **environment: str) -> str:
    """Everything that a command writes to a terminal of 60 columns."""
    pty = pytest.importorskip("pty", reason="asks for a pseudo-terminal")
    leader, follower = pty.openpty()
    with subprocess.Popen(
        commands.command(*words, module="tests.cli.fake_engine"),
        cwd=commands.folder,
        env=commands.environment(**{"COLUMNS": "60", "TERM": "xterm-256color", **environment}),
        stdout=follower,
        stderr=follower,
        stdin=subprocess.DEVNULL,
    ) as process:
        os.close(follower)
        told = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # Linux tells the end of a terminal by EIO
                part = b""
            if not part:
                break
            told += part
        process.wait(60)
    os.close(leader)
    return told.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_lines_that_fit(commands: Commands, artifact: Write) -> None:
    told = on_terminal(commands, "check", artifact("a.whl", "error"))
    assert _COLOUR.search(told)
    rows = _STYLES.sub("", told).split("\n")
    assert max(map(len, rows)) <= 60
    message = next(index for index, row in enumerate(rows) if row.startswith("    error "))
    assert rows[message + 1].startswith(" " * 15 + "neither in the wheel")


def test_no_color_is_respected(commands: Commands, artifact: Write) -> None:
    assert not _COLOUR.search(on_terminal(commands, "check", artifact("a.whl", "error"), NO_COLOR="1"))


def test_a_terminal_that_can_do_nothing_gets_plain_text(commands: Commands, artifact: Write) -> None:
    told = on_terminal(commands, "check", artifact("a.whl", "error"), TERM="dumb")
    assert "\x1b" not in told


def test_markup_in_names_is_text(commands: Commands, artifact: Write) -> None:
    told = on_terminal(commands, "check", artifact("[bold]a[red].whl", "error"))
    assert "[bold]a[red].whl: " in _STYLES.sub("", told)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """So it says."""
        return True


def watched(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, seconds: float, *, wanted: bool = True) -> str:
    """What a bar writes that is told of progress once, ``seconds`` after the start."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    with ProgressBar(wanted=wanted) as bar:
        now[0] += seconds
        if bar.callback is not None:
            bar.callback("dist/\x1b[31m[bold]a.whl", 1, 4)
    return stream.getvalue()


def test_long_work_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    told = watched(monkeypatch, Terminal(), 5)
    assert r"dist/\x1b[31m[bold]a.whl" in _STYLES.sub("", told)
    assert "25%" in told


def test_short_work_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, Terminal(), 0.5) == ""


def test_a_stream_that_is_no_terminal_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, io.StringIO(), 5) == ""


def test_a_quiet_run_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, Terminal(), 5, wanted=False) == ""
