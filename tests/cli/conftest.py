from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checker.cli.main import main
from tests.cli import fake_engine

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
KEPT = ("PATH", "SYSTEMROOT", "TEMP", "TMP")  # what Windows and the loader of Python need; nothing else reaches a command


@dataclass(frozen=True)
class Done:
    """What a command left: paths of the test's folder are written ``<dir>``."""

    code: int
    out: str
    err: str


class Commands:
    """Runs commands in a folder of their own with a scrubbed environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def artifact(self, name: str, text: str) -> str:
        """Write a file; return its name."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def command(self, *words: str, module: str) -> list[str]:
        """The words of a process; without a module they are Python's own."""
        return [sys.executable, *(("-m", module) if module else ()), *words]

    def environment(self, **more: str) -> dict[str, str]:
        """The scrubbed environment."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {**kept, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100", **more}

    def run(self, *words: str, module: str = "tests.cli.fake_engine", **more: str) -> Done:
        """Run to the end; ``more`` are environment variables."""
        done = subprocess.run(
            self.command(*words, module=module),
            cwd=self.folder,
            env=self.environment(**more),
            capture_output=True,
            check=False,
            timeout=60,
        )
        out, err = (self._scrubbed(stream) for stream in (done.stdout, done.stderr))
        return Done(code=done.returncode, out=out, err=err)

    def _scrubbed(self, stream: bytes) -> str:
        return stream.decode("utf-8", "backslashreplace").replace(str(self.folder), "<dir>")


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


@pytest.fixture
def run(commands: Commands) -> Callable[..., Done]:
    """Run ``wheelproof`` with the fake engine."""
    return commands.run


@pytest.fixture
def run_here(commands: Commands, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The same within this process, for tests of many words that need no streams of their own."""
    for name, module in fake_engine.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
        parent, _, child = name.rpartition(".")
        monkeypatch.setattr(import_module(parent), child, module, raising=False)
    monkeypatch.chdir(commands.folder)

    def call(*words: str) -> Done:
        capsys.readouterr()
        code = main(words)
        told = capsys.readouterr()
        return Done(code=code, out=told.out, err=told.err)

    return call


@pytest.fixture
def artifact(commands: Commands) -> Callable[[str, str], str]:
    """Write an artifact that the fake engine understands, and return its name."""
    return commands.artifact
