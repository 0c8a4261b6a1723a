"""Generates ``checker/platforms/data``: ``python tools/platform_data/build.py --cache DIR``.

The packages of ``manifest.txt`` are fetched into DIR (or found there), their digests checked, and every data file is written anew, bit for
bit the same. ``moves.txt`` is the only other input.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import abilists
import glibc
import sources
from measure import Measured, Package, measure
from tables import ARCHITECTURES, dotted, merge

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "checker" / "platforms" / "data"
ABILISTS = "ziglang/lib/libc/glibc/abilists"


class Writer:
    """Writes data files and collects the index."""

    def __init__(self, target: Path) -> None:
        """Writes below the folder ``target``."""
        self.target = target
        self.index: list[str] = []

    def write(self, group: str, name: str, made_from: list[sources.Source], head: list[str], lines: list[str]) -> None:
        """Writes one file of a group and enters it in the index."""
        path = f"{group}/{name}.txt"
        comments = [f"# {name}: platform data made by tools/platform_data/build.py, not to be edited.", "# Made from:"]
        comments += [f"#   {s.package} {s.version} {s.place} sha256:{s.sha256}" for s in sorted(made_from)]
        (self.target / group).mkdir(parents=True, exist_ok=True)
        text = "\n".join([*comments, *head, "", *lines, ""])
        (self.target / path).write_text(text, "ascii", newline="\n")
        self.index.append(f"file {group} {name} {path}")

    def finish(self, made_from: list[sources.Source]) -> None:
        """Writes the index."""
        told = [f"source {s.package}/{s.place} {s.version} {s.sha256[:12]}" for s in sorted(made_from)]
        text = "\n".join(["# Made by tools/platform_data/build.py, not to be edited.", *sorted(self.index), *told, ""])
        (self.target / "index.txt").write_text(text, "ascii", newline="\n")


def build_glibc(cache: Path, writer: Writer) -> None:
    """glibc's own libraries."""
    used = [s for s in sources.manifest() if s.package in ("ziglang", "libc6")]
    wheel = next(s for s in used if s.kind == "wheel")
    with zipfile.ZipFile(cache / wheel.file) as archive:
        inclusions = list(abilists.read(archive.read(ABILISTS)))
    first = glibc.first_versions(inclusions)
    measured: dict[str, dict[tuple[int, ...], dict[str, Measured]]] = {}
    for source in used:
        if source.kind == "deb":
            measured.setdefault(source.architecture, {})[source.upstream] = glibc.measure_package(cache / source.file, source.architecture)
    built = {arch: glibc.merge_architecture(arch, inclusions, departures(), measured.get(arch, {})) for arch in ARCHITECTURES}
    glibc.share_dates(built)
    for short, soname in glibc.LIBRARIES.items():
        libraries = {arch: built[arch][short] for arch in ARCHITECTURES if built[arch][short].exists}
        head = glibc.head(soname, libraries)
        writer.write("glibc", soname, used, head, merge({arch: lib.rows for arch, lib in libraries.items()}, first))
    newest = max(version[:2] for inclusion in inclusions for version in inclusion.versions)
    writer.index.append("releases glibc " + " ".join(f"2.{minor}" for minor in range(glibc.FIRST_KNOWN[1], newest[1] + 1)))
    for arch in ARCHITECTURES:
        release = max(first[arch][:2], glibc.FIRST_KNOWN)
        writer.index.append(f"architecture glibc {arch} {dotted(release)} {dotted(first[arch])} {glibc.LOADERS[arch]}")


def departures() -> dict[tuple[str, str], tuple[int, ...]]:
    """``moves.txt``: (short library name, symbol) → the first release in which it is gone."""
    lines = (line.split() for line in (HERE / "moves.txt").read_text("ascii").splitlines() if not line.startswith("#"))
    return {(library.removeprefix("lib"), name): tuple(map(int, release.split("."))) for library, name, release in lines}


def main() -> None:
    """Fetches, measures, writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="folder of downloaded packages")
    parser.add_argument("--target", type=Path, default=DATA, help="folder to write (default: the package's own data)")
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    sources.fetch(arguments.cache.resolve())
    writer = Writer(arguments.target)
    build_glibc(arguments.cache, writer)
    writer.finish(list(sources.manifest()))


if __name__ == "__main__":
    main()
