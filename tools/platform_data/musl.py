"""musl by release: one library, no symbol versions."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from measure import Package, measure
from tables import Release, Row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from measure import Measured

LIBC = {
    "x86_64": "libc.musl-x86_64.so.1",
    "i686": "libc.musl-x86.so.1",
    "aarch64": "libc.musl-aarch64.so.1",
    "armv7l": "libc.musl-armv7.so.1",
    "ppc64le": "libc.musl-ppc64le.so.1",
    "s390x": "libc.musl-s390x.so.1",
    "riscv64": "libc.musl-riscv64.so.1",
    "loongarch64": "libc.musl-loongarch64.so.1",
}
"""The name that Alpine gives to libc.so, by which wheels need it."""

LFS64_GONE: Release = (1, 2, 4)
"""The release that dropped ``open64`` and its like from the dynamic symbols (musl's WHATSNEW); 1.2.5 is the next measured."""

ADDED_BY_DEBIAN = {"fts_children", "fts_close", "fts_open", "fts_read", "fts_set"}
"""What Debian's packages export and musl's own builds of the same release do not."""

DROPPED_BY_DEBIAN = {"crypt", "crypt_r", "encrypt", "setkey"}
"""What every musl exports, and Debian's 1.2.3 does not."""

BACKPORTED: dict[str, Release] = {"renameat2": (1, 2, 6)}
"""Symbol → the release that brings it; Debian's 1.2.5 has it already."""


def measure_package(path: Path) -> Measured:
    """The libc.so of one musl package."""
    with Package(path) as package:
        file = package.find("libc.so")
        if file is None:
            raise SystemExit(f"{path.name} holds no libc.so")
        return measure(file)


def rows(measured: Mapping[Release, Measured]) -> list[Row]:
    """The symbols of one architecture by release, as musl's own builds have them."""
    by_name: dict[str, dict[Release, str]] = defaultdict(dict)
    for release in sorted(measured):
        for export in measured[release].exports:
            if export.name not in ADDED_BY_DEBIAN and release >= BACKPORTED.get(export.name, release):
                by_name[export.name][release] = export.kind
    for name in DROPPED_BY_DEBIAN & by_name.keys():
        by_name[name] = dict.fromkeys(measured, "F")
    return [row for name, kinds in sorted(by_name.items()) for row in _spans(name, kinds, sorted(measured))]


def _spans(name: str, kinds: Mapping[Release, str], releases: list[Release]) -> list[Row]:
    """One row for each unbroken run of releases that have the symbol."""
    found: list[Row] = []
    start: Release | None = None
    for release in [*releases, None]:
        if release in kinds:
            start = start or release
        elif start is not None:
            until = LFS64_GONE if release is not None and "64" in name and release > LFS64_GONE > start else release
            kind = kinds[max(r for r in kinds if r >= start and (until is None or r < until))]
            found.append(Row(name=name, version="", kind=kind, since=start if start != releases[0] else None, until=until))
            start = None
    return found
