"""Our facts against pyelftools and readelf, over real files of this machine and the fixtures of every architecture."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checker.model.elf import Binding, View
from tests.elf.oracle import as_readelf, by_pyelftools, by_readelf, by_us

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

FIXTURES = Path(__file__).parents[2] / "testdata" / "elf"
LARGEST = 1 << 19  # pyelftools takes seconds for a file of ten times that
MOST = 60
readelf = shutil.which("readelf")


def is_elf(path: Path) -> bool:
    """Of a readable, not too large file."""
    with path.open("rb") as file:
        return path.stat().st_size <= LARGEST and file.read(4) == b"\x7fELF"


def files() -> list[Path]:
    """The fixtures, and an even selection of this machine's libraries, programs and extension modules."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    places = [Path("/usr/lib") / multiarch, Path("/usr/bin"), Path(sysconfig.get_config_var("DESTSHARED") or "/none")]
    found = {path.resolve() for place in places if place.is_dir() for path in place.iterdir() if path.is_file()}
    elf = sorted(path for path in found if is_elf(path))
    return [*sorted(FIXTURES.glob("*.so")), *elf[:: max(len(elf) // MOST, 1)]]


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_pyelftools_reads_the_same(path: Path, read: Read) -> None:
    data = path.read_bytes()
    facts = read(data)
    expected = by_pyelftools(data)
    if expected is None:
        assert facts.view is View.SECTIONS
        return
    ours = by_us(facts)
    count = len(ours.symbols)
    assert ours.symbols == expected.symbols[:count]
    # Only section headers tell of undefined symbols after all that are hashed and all that relocations use.
    assert all(undefined for _, _, undefined, _ in expected.symbols[count:])
    assert ours.versions == (None if expected.versions is None else expected.versions[:count])
    for field in ("needed", "soname", "rpath", "runpath", "needs", "definitions", "used", "build_id"):
        assert getattr(ours, field) == getattr(expected, field), field


@pytest.mark.skipif(readelf is None, reason="readelf (Debian: binutils) is not here")
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_readelf_prints_the_same(path: Path, read: Read) -> None:
    assert readelf is not None
    facts = read(path.read_bytes())
    if facts.view is View.SECTIONS:
        return
    ours, expected = as_readelf(facts), by_readelf(readelf, path)
    assert ours.pop("symbols") == expected.pop("symbols")[: facts.symbols.count]
    expected["uses"] = {
        s: use for s, use in expected["uses"].items() if facts.symbols.definition(s).binding != Binding.STB_LOCAL
    }
    assert ours == expected
