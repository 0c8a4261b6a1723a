"""The Markdown of this repository: its fenced blocks, the marks above them, and how a line of them is run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "docs" / "rules"
DOCUMENTS = tuple(
    sorted(
        path.relative_to(ROOT).as_posix()
        for pattern in ("*.md", "docs/**/*.md", "testdata/**/*.md")
        for path in ROOT.glob(pattern)
        if GENERATED not in path.parents
    )
)
CUT = "…"

_FENCE = re.compile(r"(?:^<!-- (?P<mark>[^>]*?) -->\n)?^```(?P<language>[\w-]+)\n(?P<text>.*?)\n```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a document, such as ``console`` under ``<!-- shown: 1 -->``."""

    document: str
    line: int
    mark: str
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The lines that a reader would type."""
        if self.language == "console":
            return [line.removeprefix("$ ") for line in self.text.split("\n") if line.startswith("$ ")]
        return self.text.split("\n") if self.language == "sh" else []


def read(document: str) -> str:
    """The text of a document, named by its path from the root."""
    return (ROOT / document).read_text(encoding="utf-8")


def blocks(document: str) -> list[Block]:
    """Every fenced block with a language."""
    text = read(document)
    return [
        Block(
            document=document,
            line=text.count("\n", 0, found.start("language")) + 1,
            mark=found["mark"] or "",
            language=found["language"],
            text=found["text"],
        )
        for found in _FENCE.finditer(text)
    ]


def every_block() -> list[Block]:
    """Those of all documents."""
    return [block for document in DOCUMENTS for block in blocks(document)]


def wheelproof(command: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a ``wheelproof …`` line from a folder, with the patterns that a shell would expand."""
    program, *words = shlex.split(command)
    assert program == "wheelproof", command
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "200", "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "checker", *expanded(words, folder)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def expanded(words: list[str], folder: Path) -> list[str]:
    """Words with each pattern replaced by what it fits, or left as it is."""
    found = [
        (sorted(path.relative_to(folder).as_posix() for path in folder.glob(word)) if "*" in word else []) for word in words
    ]
    return [one for word, paths in zip(words, found, strict=True) for one in (paths or [word])]


def is_shown(shown: str, printed: str) -> bool:
    """Whether an example is what is printed: ``…`` on a line of its own stands for any lines, within a line for anything."""
    parts: list[list[re.Pattern[str]]] = [[]]
    for row in shown.split("\n"):
        if row == CUT:
            parts.append([])
        else:
            parts[-1].append(re.compile(".*".join(map(re.escape, row.split(CUT)))))
    lines = printed.rstrip("\n").split("\n")
    start, end = 0, len(lines)
    if not _fits(parts[0], lines, 0) or (len(parts) == 1 and len(parts[0]) != end):
        return False
    start = len(parts[0])
    for part in parts[1:-1]:
        places = [place for place in range(start, end) if _fits(part, lines, place)]
        if not places:
            return False
        start = places[0] + len(part)
    return len(parts) == 1 or (start <= end - len(parts[-1]) and _fits(parts[-1], lines, end - len(parts[-1])))


def _fits(rows: list[re.Pattern[str]], lines: list[str], start: int) -> bool:
    told = lines[start : start + len(rows)]
    return len(told) == len(rows) and all(row.fullmatch(line) for row, line in zip(rows, told, strict=True))
