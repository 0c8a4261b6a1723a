"""Recipes are run with the very tools that they are for; without those (``nox -s recipes`` has them) they are skipped."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOOD = min((ROOT / "testdata" / "sample").glob("*.whl"))
BAD = min((ROOT / "testdata" / "defects" / "new-glibc-under-old-tag").glob("*-1.0-*.whl"))


def recipe(mark: str) -> str:
    """The fenced block of README.md under that comment."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- {re.escape(mark)} -->\n```\w+\n(.*?)\n```", text, re.DOTALL)
    assert found is not None, f"README.md has no block {mark}"
    return found[1]


def tool(name: str) -> str:
    """The program of that name beside this Python, or on the path; the test is skipped where it is not."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed; nox -s recipes installs it")
    return found


@pytest.fixture
def dist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty ``dist`` in the current directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "dist"
    folder.mkdir()
    return folder
