"""CONTRIBUTING.md, "Layers": a file imports only from rows above its own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "checker"

# Row by first part of the path below ``checker``; the rows of the architecture.
ROWS = {
    "__init__": 0,
    "model": 0,
    "archive": 1,
    "elf": 1,
    "platforms": 1,
    "policy": 1,
    "loaders": 1,
    "rules": 1,
    "report": 1,
    "setup": 2,
    "installation": 2,
    "objects": 2,
    "search": 2,
    "closure": 2,
    "exports": 2,
    "resolve": 2,
    "refusals": 2,
    "fates": 2,
    "judge": 2,
    "roots": 2,
    "interposition": 2,
    "analysis": 2,
    "asking": 2,
    "starter": 2,
    "startup": 2,
    "signatures": 2,
    "startertext": 2,
    "bindings": 2,
    "lookups": 2,
    "promises": 2,
    "capturing": 2,
    "judging": 2,
    "computed": 2,
    "releases": 2,
    "waive": 2,
    "engine": 3,
    "api": 4,
    "cli": 4,
    "__main__": 5,
}
FILES = sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    """First parts below ``checker`` of everything that a file imports, imports within functions and for types included."""
    parts: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "checker" else [module]
        for name in names:
            head, _, rest = name.partition(".")
            if head == "checker":
                first = rest.partition(".")[0]
                parts.add("__init__" if first in {"", "__version__"} else first)
    return parts


def test_every_file_has_a_row() -> None:
    assert {part_of(path) for path in FILES} <= ROWS.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_from_its_own_part_and_rows_above(path: Path) -> None:
    own = part_of(path)
    # The package hands on its Python interface, and imports it only when that is asked for.
    handed_on = {"api"} if own == "__init__" else set()
    for part in imported_parts(path) - {own} - handed_on:
        above = ROWS[part] < ROWS[own]
        # Modules of the resolver's row are one part that is cut into files.
        beside = ROWS[part] == ROWS[own] == 2
        assert above or beside, f"{path} imports checker.{part}"
