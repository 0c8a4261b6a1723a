"""Start-up time is a feature: what a plain command imports, and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.elfwriter import Elf, Symbol, write

if TYPE_CHECKING:
    from tests.cli.conftest import Commands

SLOW = {
    "_hashlib",
    "argparse",
    "auditwheel",
    "checker.capturing",
    "checker.platforms.capture",
    "checker.platforms.captured",
    "concurrent.futures",
    "dataclasses",
    "elftools",
    "email",
    "hashlib",
    "importlib.metadata",
    "inspect",
    "isal",
    "packaging",
    "pathlib",
    "pydantic",
    "rich",
    "tomli",
    "tomllib",
    "typer",
    "zipfile",
}


def imported(commands: Commands, *words: str) -> set[str]:
    """The modules that a command imports, after those that the interpreter has anyway."""
    done = commands.run("-X", "importtime", *words, module="")
    assert "internal error" not in done.err
    names = [row.rpartition("|")[2].strip() for row in done.err.splitlines() if row.startswith("import time:")]
    assert "site" in names
    return set(names[names.index("site") + 1 :])


def test_the_version_needs_next_to_nothing(commands: Commands) -> None:
    names = imported(commands, "-c", "from checker.cli.main import main; main(['--version'])")
    # From 3.13 on, python -c itself remembers the lines of its code.
    assert names - {"linecache"} <= {"__future__", "checker", "checker.cli", "checker.cli.main"}


@pytest.mark.parametrize("form", [(), ("--format", "json"), ("--policy", "recommended", "-v")])
def test_a_check_imports_nothing_slow(commands: Commands, form: tuple[str, ...]) -> None:
    elf = Elf(soname="libx.so.1", needed=("libc.so.6",), symbols=(Symbol(name="strlen"),))
    (commands.folder / "libx.so.1").write_bytes(write(elf))
    names = imported(commands, "-m", "checker", "check", "libx.so.1", *form)
    assert {"checker.engine", "checker.report.terminal"} <= names
    assert not {name for name in names if {name, name.partition(".")[0]} & SLOW}
