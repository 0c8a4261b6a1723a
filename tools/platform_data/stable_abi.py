"""Condenses abi3info's tables: the symbols of CPython's stable ABI, and the version that brought each.

abi3info is generated from CPython's own ``Misc/stable_abi.toml``. Its module is parsed, not run.
"""

from __future__ import annotations

import ast
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "abi3info/_internal.py"
TABLES = {"_FUNCTIONS": "F", "_DATAS": "D"}
"""Name of a table → kind of its symbols."""

FIRST = (3, 2)
"""PEP 384: the version that began it."""


def from_wheel(path: Path) -> dict[str, tuple[str, tuple[int, int]]]:
    """Symbol → kind and version, of all that Linux has.

    Raises:
        ValueError, TypeError: the module is not laid out as expected.
    """
    with zipfile.ZipFile(path) as archive:
        tree = ast.parse(archive.read(MODULE))
    found: dict[str, tuple[str, tuple[int, int]]] = {}
    seen = set()
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in TABLES:
            seen.add(node.target.id)
            if not isinstance(node.value, ast.Dict):
                raise ValueError(f"{MODULE}: {node.target.id} is no dict")
            for value in node.value.values:
                name, version, on_windows_only = _entry(value)
                if not on_windows_only:
                    found[name] = (TABLES[node.target.id], version)
    if seen != set(TABLES):
        raise ValueError(f"{MODULE}: no {' and '.join(sorted(set(TABLES) - seen))}")
    return found


def lines(symbols: dict[str, tuple[str, tuple[int, int]]]) -> list[str]:
    """The lines of the data file."""
    return [
        f"{name} - {kind}" + (f" since={version[0]}.{version[1]}" if version > FIRST else "")
        for name, (kind, version) in sorted(symbols.items())
    ]


def _entry(value: ast.expr) -> tuple[str, tuple[int, int], bool]:
    """``Function(symbol=Symbol(name="…"), added=PyVersion(major=…, minor=…), ifdef=…)`` → name, version, only on Windows."""
    arguments = _arguments(value)
    name = ast.literal_eval(_arguments(arguments["symbol"])["name"])
    version = {word: ast.literal_eval(number) for word, number in _arguments(arguments["added"]).items()}
    return name, (version["major"], version["minor"]), "MS_WINDOWS" in ast.dump(arguments["ifdef"])


def _arguments(call: ast.expr) -> dict[str, ast.expr]:
    if not isinstance(call, ast.Call):
        raise TypeError(f"{MODULE}: line {call.lineno}: no call")
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
