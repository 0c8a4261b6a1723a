from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerSymSection
from elftools.elf.sections import SymbolTableSection

import checker.platforms
from checker import platforms
from checker.platforms.catalogue import load_catalogue
from checker.platforms.table import KINDS, load, parse_row

DATA = Path(checker.platforms.__file__).with_name("data")
TOOLS = Path(checker.platforms.__file__).parents[2] / "tools" / "platform_data"


def test_the_catalogue_and_the_folder_name_the_same_files() -> None:
    listed = set(load_catalogue().files.values())
    assert listed == {str(path.relative_to(DATA)) for path in DATA.glob("*/*.txt")}


def test_all_data_together_stays_below_two_megabytes() -> None:
    assert sum(path.stat().st_size for path in DATA.rglob("*.txt")) < 2_000_000


def test_every_line_is_sorted_and_can_be_read() -> None:
    for path in load_catalogue().files.values():
        table = load(path)
        names = [line.split(b" ")[0] for line in table.lines()]
        assert names == sorted(names), path
        for line in table.lines():
            row = parse_row(line)
            assert row.kind in KINDS, (path, line)
            assert row.until is None or row.since < row.until, (path, line)


def test_every_file_names_its_sources_with_digests() -> None:
    for path in load_catalogue().files.values():
        head = (DATA / path).read_text("ascii").partition("\n\n")[0]
        assert any(line.startswith("#   ") and "sha256:" in line for line in head.splitlines()), path


def test_data_versions_tell_every_package() -> None:
    told = dict(platforms.data_versions())
    assert {"auditwheel", "libc6", "libstdc++6", "musl", "ziglang"} <= told.keys()
    assert all("sha256:" in text for text in told.values())


@pytest.fixture(scope="module")
def own_libc() -> Path:
    """This machine's libc.so.6, if it came from a package that the data was made from."""
    manifest = TOOLS / "manifest.txt"
    library = Path("/lib/x86_64-linux-gnu/libc.so.6")
    if not manifest.exists() or not library.exists():
        pytest.skip("no manifest beside the package, or no Debian on x86_64")
    recorded = {line.split(" ")[2] for line in manifest.read_text("ascii").splitlines() if line.startswith("deb libc6 ")}
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libc6:amd64"], capture_output=True, text=True, check=False)
    if asked.stdout not in recorded:
        pytest.skip(f"libc6 {asked.stdout!r} is none of the recorded packages")
    return library


def test_this_machine_s_libc_exports_what_the_data_says(own_libc: Path) -> None:
    from elftools.elf.elffile import ELFFile

    version = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", "libc6:amd64"], capture_output=True, text=True, check=True
    )
    asked = platforms.parse_platform(f"glibc-{version.stdout.partition('-')[0]}-x86_64")
    assert asked is not None
    on = platforms.baseline(asked)
    assert on is not None
    ours = on.library("libc.so.6")
    assert ours is not None
    with own_libc.open("rb") as stream:
        elf = ELFFile(stream)
        definitions = elf.get_section_by_name(".gnu.version_d")
        versym = elf.get_section_by_name(".gnu.version")
        symbols = elf.get_section_by_name(".dynsym")
        assert isinstance(definitions, GNUVerDefSection)
        assert isinstance(versym, GNUVerSymSection)
        assert isinstance(symbols, SymbolTableSection)
        nodes = {entry["vd_ndx"]: next(iter(names)).name for entry, names in definitions.iter_versions()}
        theirs = set()
        for number, symbol in enumerate(symbols.iter_symbols()):
            index = versym.get_symbol(number)["ndx"]
            if symbol["st_shndx"] not in ("SHN_UNDEF", "SHN_ABS") and isinstance(index, int):
                theirs.add((symbol.name, nodes[index & 0x7FFF], bool(index & 0x8000)))
    names = {name for name, _, _ in theirs} | {name.decode() for name in load("glibc/libc.so.6.txt").names()}
    mine = {
        (name, (entry.version or b"").decode(), entry.hidden) for name in names for entry in ours.definitions(name.encode())
    }
    assert mine == theirs
    assert list(ours.versions) == [name.encode() for name in nodes.values()]


def test_recorded_digests_are_whole_and_name_each_file_once() -> None:
    if not TOOLS.exists():
        pytest.skip("the tools are not part of an installed package")
    rows = [line.split(" ") for line in (TOOLS / "manifest.txt").read_text("ascii").splitlines() if not line.startswith("#")]
    assert all(len(row) == 6 and len(row[5]) == len(hashlib.sha256().hexdigest()) for row in rows)
    assert len({row[4] for row in rows}) == len(rows)
