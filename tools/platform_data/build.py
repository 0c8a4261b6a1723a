"""Generates ``checker/platforms/data``: ``python tools/platform_data/build.py --cache DIR``.

The packages of ``manifest.txt`` are fetched into DIR (or found there), their digests checked, and every data file is written
anew, bit for
bit the same. ``moves.txt`` and ``interpreters.txt``, which come from no package, are the other inputs; the programs that made
them stand beside them.
"""

from __future__ import annotations

import argparse
import hashlib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import abilists
import glibc
import hosts
import libraries
import musl
import promises
import sources
import stable_abi
from tables import ARCHITECTURES, dotted, merge

if TYPE_CHECKING:
    from measure import Measured

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "checker" / "platforms" / "data"
ABILISTS = "ziglang/lib/libc/glibc/abilists"


class Writer:
    """Writes data files and collects the index."""

    def __init__(self, target: Path) -> None:
        """Writes below the folder ``target``."""
        self.target = target
        self.index: list[str] = []

    def write(
        self,
        group: str,
        name: str,
        made_from: list[sources.Source],
        head: list[str],
        lines: list[str],
        *,
        origins: tuple[str, ...] = (),
    ) -> None:
        """Writes one file of a group and enters it in the index; ``origins`` tell of what came from no package."""
        path = f"{group}/{name}.txt"
        comments = [f"# {name}: platform data made by tools/platform_data/build.py, not to be edited.", "# Made from:"]
        comments += [f"#   {s.package} {s.version} {s.place} sha256:{s.sha256}" for s in sorted(made_from)]
        comments += [f"#   {origin}" for origin in origins]
        (self.target / group).mkdir(parents=True, exist_ok=True)
        text = "\n".join([*comments, *head, "", *lines, ""])
        (self.target / path).write_text(text, "ascii", newline="\n")
        self.index.append(f"file {group} {name} {path}")

    def finish(self, made_from: list[sources.Source]) -> None:
        """Writes the index, and the list of packages."""
        self._list("index.txt", sorted(self.index))
        self._list("sources.txt", summaries(made_from))

    def _list(self, name: str, lines: list[str]) -> None:
        text = "\n".join(["# Made by tools/platform_data/build.py, not to be edited.", *lines, ""])
        (self.target / name).write_text(text, "ascii", newline="\n")


def summaries(made_from: list[sources.Source]) -> list[str]:
    """For each package its versions, and 12 digits of the SHA-256 of all its files' digests together."""
    result = []
    for package in sorted({source.package for source in made_from}):
        mine = sorted(source for source in made_from if source.package == package)
        versions = dict.fromkeys(source.version for source in mine)
        digest = hashlib.sha256("".join(source.sha256 for source in mine).encode("ascii")).hexdigest()
        result.append(" ".join((package, *versions, f"sha256:{digest[:12]}")))
    return result


def build_glibc(cache: Path, writer: Writer) -> None:
    """Glibc's own libraries."""
    used = [s for s in sources.manifest() if s.package in ("ziglang", "libc6")]
    wheel = next(s for s in used if s.kind == "wheel")
    with zipfile.ZipFile(cache / wheel.file) as archive:
        inclusions = list(abilists.read(archive.read(ABILISTS)))
    first = glibc.first_versions(inclusions)
    measured: dict[str, dict[tuple[int, ...], dict[str, Measured]]] = {}
    for source in used:
        if source.kind == "deb":
            measured.setdefault(source.architecture, {})[source.upstream] = glibc.measure_package(
                cache / source.file, source.architecture
            )
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


def build_libraries(cache: Path, writer: Writer) -> None:
    """The libraries beside the C library, each from its newest recorded package."""
    recorded = [s for s in sources.manifest() if s.package in libraries.PACKAGES]
    for package, sonames in libraries.PACKAGES.items():
        newest: dict[str, sources.Source] = {}
        for source in sorted((s for s in recorded if s.package == package), key=lambda s: s.upstream):
            newest[source.architecture] = source
        measured = {arch: libraries.measure_package(cache / s.file, package) for arch, s in newest.items()}
        for soname in sonames:
            found = {arch: measured[arch][soname] for arch in ARCHITECTURES if soname in measured.get(arch, {})}
            lines = merge({arch: libraries.rows(library) for arch, library in found.items()}, {})
            writer.write("library", soname, list(newest.values()), libraries.head(found), lines)
            if soname in libraries.BESIDE_MUSL:
                writer.index.append(f"file beside-musl {soname} library/{soname}.txt")


def build_musl(cache: Path, writer: Writer) -> None:
    """Musl's one library, by release."""
    used = [s for s in sources.manifest() if s.package == "musl"]
    measured: dict[str, dict[tuple[int, ...], Measured]] = {}
    for source in used:
        measured.setdefault(source.architecture, {})[source.upstream] = musl.measure_package(cache / source.file)
    head = [f"versions {arch}" for arch in ARCHITECTURES if arch in measured]
    lines = merge({arch: musl.rows(measured[arch]) for arch in ARCHITECTURES if arch in measured}, {})
    writer.write("musl", "libc.so", used, head, lines)
    releases = sorted({release for found in measured.values() for release in found})
    writer.index.append("releases musl " + " ".join(dotted(release) for release in releases))
    for arch in ARCHITECTURES:
        if arch in measured:
            writer.index.append(f"architecture musl {arch} {dotted(min(measured[arch]))} - {musl.LIBC[arch]}")


def build_hosts(cache: Path, writer: Writer) -> None:
    """Interpreters, from Debian's packages and the recorded builds."""
    used = [s for s in sources.manifest() if s.package.startswith(("libpython3.", "python3.", "pypy3"))]
    packaged = {source: hosts.from_package(cache / source.file, source.architecture) for source in used}
    recorded = hosts.recorded(HERE / "interpreters.txt")
    for kind in hosts.KINDS:
        mine = {source: build for source, build in packaged.items() if build is not None and build.kind == kind}
        builds = [*mine.values(), *(build for build in recorded if build.kind == kind)]
        origins = tuple(build.origin for build in builds if build.origin)
        writer.write("host", kind, list(mine), hosts.head(builds), hosts.lines(builds), origins=origins)


def build_stable_abi(cache: Path, writer: Writer) -> None:
    """The stable ABI of CPython."""
    wheel = next(s for s in sources.manifest() if s.package == "abi3info")
    writer.write("host", "stable-abi", [wheel], [], stable_abi.lines(stable_abi.from_wheel(cache / wheel.file)))


def build_promises(cache: Path, writer: Writer) -> None:
    """What the platform tags promise."""
    wheel = next(s for s in sources.manifest() if s.package == "auditwheel")
    oldest = [s for s in sources.manifest() if s.upstream == libraries.BESIDE_OLDEST_MUSL.get(s.package)]
    versions: dict[str, list[str]] = {}
    for source in oldest:
        for library in libraries.measure_package(cache / source.file, source.package).values():
            # The base node is the library's own name.
            for namespace, _, word in (version.partition("_") for version in library.versions[1:]):
                versions.setdefault(namespace, [])
                versions[namespace] += [word] if word not in versions[namespace] else []
    policies = promises.with_musl_versions(promises.from_wheel(cache / wheel.file), versions)
    writer.write("promise", "policies", [wheel, *oldest], promises.lines(policies), [])


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
    build_promises(arguments.cache, writer)
    build_glibc(arguments.cache, writer)
    build_libraries(arguments.cache, writer)
    build_musl(arguments.cache, writer)
    build_hosts(arguments.cache, writer)
    build_stable_abi(arguments.cache, writer)
    writer.finish(list(sources.manifest()))


if __name__ == "__main__":
    main()
