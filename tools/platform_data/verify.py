"""Compares the data with the packages it was made from: ``python tools/platform_data/verify.py --cache DIR``.

For each recorded libc6 and musl package every exported symbol, version, kind of visibility, version node and DT_NEEDED is
compared with what ``checker.platforms`` answers for that release and architecture; for each older build of the other libraries,
that the newest data has all that it exports, and for one that musllinux tags promise, that they have this and no more. Prints
counts, and every difference that ``EXPLAINED`` does not cover; exits 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

import glibc
import libraries
import musl
import sources

from checker import platforms
from checker.model.platform import PlatformId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Export, Measured

    from checker.model.platform import PlatformLibrary
    from checker.platforms.assembly import PlatformBaseline

EXPLAINED: dict[str, str] = {
    **dict.fromkeys(musl.ADDED_BY_DEBIAN, "a patch of Debian's"),
    **dict.fromkeys(musl.DROPPED_BY_DEBIAN, "left out of Debian's 1.2.3"),
    **dict.fromkeys(musl.BACKPORTED, "in Debian's package before the release that brings it"),
    "GLIBC_ABI_GNU_TLS": "Debian's 2.41 has this node of 2.43",
    "GLIBC_ABI_GNU2_TLS": "Debian's 2.41 has this node of 2.43",
    "GLIBC_ABI_DT_X86_64_PLT": "Debian's 2.41 has this node of 2.43",
}
"""Version node or symbol → why data and package differ."""


def differences(library: PlatformLibrary, measured: Measured, names: set[str]) -> Iterator[tuple[str, str]]:
    """(subject, difference) between our library and a package's; ``names`` are further symbols to ask ours for."""
    theirs = {(export.name, export.version): export for export in measured.exports}
    ours = {
        (name, (entry.version or b"").decode()): entry
        for name in {export.name for export in measured.exports} | names
        for entry in library.definitions(name.encode())
    }
    for name, version in theirs.keys() - ours.keys():
        yield version or name, f"{name}@{version} is not in our data"
    for name, version in ours.keys() - theirs.keys():
        yield version or name, f"{name}@{version} is only in our data"
    for key in ours.keys() & theirs.keys():
        if ours[key].hidden != theirs[key].hidden:
            yield key[0], f"{key[0]}@{key[1]} hidden: ours {ours[key].hidden}, theirs {theirs[key].hidden}"
    ours_versions = [version.decode() for version in library.versions[1:]]
    theirs_versions = [version for version in measured.versions[1:] if version in ours_versions or version not in EXPLAINED]
    if ours_versions != theirs_versions:
        yield "versions", f"version nodes: ours {ours_versions}, theirs {theirs_versions}"
    if tuple(library.needed) != measured.needed:
        yield "needed", f"needed: ours {library.needed}, theirs {measured.needed}"


def compare(title: str, library: PlatformLibrary | None, measured: Measured, names: set[str], counts: Counter[str]) -> int:
    """Compares one library, prints what is not explained, and counts."""
    if library is None:
        print(f"{title}: not in our data")
        return 1
    bad = 0
    for subject, text in sorted(differences(library, measured, names)):
        if subject not in EXPLAINED:
            bad += 1
            print(f"{title}: {text}")
    counts[title.partition(" ")[0]] += len(measured.exports)
    return bad


def verify_libc(cache: Path, counts: Counter[str]) -> int:
    """Compare glibc's and musl's packages; return how many differences are not explained."""
    bad = 0
    for source in sources.manifest():
        if source.package not in ("libc6", "musl"):
            continue
        family = "glibc" if source.package == "libc6" else "musl"
        platform = PlatformId(family=family, release=source.upstream, architecture=source.architecture)
        ours = known(platform)
        if family == "musl":
            found = {"libc.so": musl.measure_package(cache / source.file)}
        else:
            found = glibc.measure_package(cache / source.file, source.architecture)
        for name, measured in found.items():
            soname = glibc.LOADERS[source.architecture] if name == "ld.so" else name
            bad += compare(
                f"{source.place}={platform} {soname}", ours.library(soname), measured, all_names(family, name), counts
            )
    return bad


def known(platform: PlatformId) -> PlatformBaseline:
    """The baseline of a platform that data must be there for."""
    found = platforms.baseline(platform)
    if found is None:
        raise SystemExit(f"no data for {platform}")
    return found


def has(library: PlatformLibrary | None, export: Export) -> bool:
    """The library defines that symbol under that version."""
    entries = library.definitions(export.name.encode()) if library is not None else ()
    return any((entry.version or b"").decode() == export.version for entry in entries)


def all_names(family: str, soname: str) -> set[str]:
    """Every symbol in the data of a C library's part."""
    from checker.platforms.catalogue import load_catalogue
    from checker.platforms.table import load

    return {name.decode() for name in load(load_catalogue().files[family, soname]).names()}


def verify_libraries(cache: Path, counts: Counter[str]) -> int:
    """Compare every build of the other libraries: all that it exports is in the newest data; return how much is not."""
    bad = 0
    for source in sources.manifest():
        if source.package not in libraries.PACKAGES:
            continue
        newest = platforms.releases("glibc", source.architecture)[-1]
        ours = known(PlatformId(family="glibc", release=newest, architecture=source.architecture))
        for soname, measured in libraries.measure_package(cache / source.file, source.package).items():
            gone = [f"{e.name}@{e.version}" for e in measured.exports if not has(ours.library(soname), e)]
            counts[f"{source.place} {soname}"] += len(measured.exports)
            if gone:
                bad += len(gone)
                print(f"{source.place} {source.version} {soname}: gone since: {' '.join(gone[:5])} ({len(gone)})")
            if libraries.BESIDE_OLDEST_MUSL.get(source.package) == source.upstream:
                bad += verify_beside_musl(source, soname, measured, counts)
    return bad


def verify_beside_musl(source: sources.Source, soname: str, measured: Measured, counts: Counter[str]) -> int:
    """Compare the build that the oldest musllinux systems have with what their tags promise; return the differences."""
    tag = f"musllinux_1_2_{source.architecture}"
    platform = platforms.parse_platform(tag)
    ours = platforms.baseline(platform, tag) if platform is not None else None
    library = ours.library(soname) if ours is not None else None
    if library is None:
        raise SystemExit(f"no data for {soname} of {tag}")
    # Its own needs are of another C library.
    same = replace(measured, needed=tuple(library.needed))
    return compare(f"{source.place}={tag} {soname}", library, same, all_names("library", soname), counts)


def main() -> None:
    """Verifies all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="folder of downloaded packages")
    cache = parser.parse_args().cache
    counts: Counter[str] = Counter()
    bad = verify_libc(cache, counts) + verify_libraries(cache, counts)
    for title, number in sorted(counts.items()):
        print(f"{number:6} {title}")
    print(f"{sum(counts.values())} symbols compared, {bad} differences not explained")
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
