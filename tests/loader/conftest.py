"""The kit's cases, built once; kept in pytest's cache until a recipe or a tool changes."""

from __future__ import annotations

import hashlib
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.loader import kit, surgery
from tests.loader.kit import CASES, build, laid_out
from tools.fixtures.toolchain import identity, missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.closure import Installation

    Built = Callable[[str], Path]

PROGRAMS = ("gcc", "g++", "ld.bfd", "ld.gold")
CANNOT_BUILD = missing(*PROGRAMS)


@pytest.fixture(scope="session")
def installed(built: Built) -> Callable[[str], Installation]:
    """Name of a case → what it builds, laid out; skips where it cannot be built."""
    return cache(lambda name: laid_out(built(name)))


@pytest.fixture(scope="session")
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Name of a case → the folder of what it builds; skips where it cannot be built."""
    if CANNOT_BUILD:
        pytest.skip(CANNOT_BUILD)
    kept: pytest.Cache | None = getattr(request.config, "cache", None)
    place = kept.mkdir("wheelproof-loader") if kept else tmp_path_factory.mktemp("loader")
    tools = f"{identity(*PROGRAMS)} {Path(kit.__file__).read_text()} {Path(surgery.__file__).read_text()}"

    @cache
    def find(name: str) -> Path:
        case = CASES[name]
        if case.needs_lld and shutil.which("ld.lld") is None:
            pytest.skip("not installed: ld.lld (Debian: lld)")
        recipe = (kit.FOLDER / f"{name}.toml").read_text()
        folder = place / hashlib.sha256(f"{tools} {recipe}".encode()).hexdigest()[:16] / name
        if not folder.with_suffix(".done").exists():
            build(case, folder)
            folder.with_suffix(".done").touch()
        return folder

    return find
