"""The founding matrix, built and measured once; kept in pytest's cache until a source or a tool changes."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from tools.fixtures import founding
from tools.fixtures.founding import Measured
from tools.fixtures.recipes import TESTDATA
from tools.fixtures.toolchain import identity, missing

CANNOT_BUILD = missing(*founding.PROGRAMS)


@pytest.fixture(scope="session")
def measured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measured]:
    """Every variant by name; skips where the matrix cannot be built."""
    if CANNOT_BUILD:
        pytest.skip(CANNOT_BUILD)
    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    place = cache.mkdir("wheelproof-founding") if cache else tmp_path_factory.mktemp("founding")
    folder = place / _state()
    kept = folder / "measured.json"
    if not kept.exists():
        every = founding.build_all(folder)
        kept.write_text(json.dumps([{**asdict(m), "wheel": m.wheel.name} for m in every]))
    return {row["name"]: _measured(row, folder) for row in json.loads(kept.read_text())}


def _measured(row: dict[str, str], folder: Path) -> Measured:
    return Measured(
        name=row["name"],
        wheel=folder / row["wheel"],
        root=row["root"],
        error=row["error"],
        runtimes=tuple(row["runtimes"]),
        undefined=tuple(row["undefined"]),
    )


def _state() -> str:
    """A name that changes with the sources, the tools, the C library and the measuring interpreter."""
    state = hashlib.sha256(f"{identity(*founding.PROGRAMS)} {platform.libc_ver()} {sys.version}".encode())
    sources = sorted([*founding.FOLDER.iterdir(), TESTDATA / "stable_abi.h", *Path(founding.__file__).parent.glob("*.py")])
    for path in sources:
        state.update(path.name.encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]
