"""The libraries beside the C library that PEP 600 tags promise, from the newest package of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glibc import LOADERS, mark_hidden
from measure import Package, measure
from tables import ARCHITECTURES, Release, Row

if TYPE_CHECKING:
    from pathlib import Path

    from measure import Export, Measured

PACKAGES = {
    "libstdc++6": ("libstdc++.so.6",),
    "libgcc-s1": ("libgcc_s.so.1",),
    "libgomp1": ("libgomp.so.1",),
    "libatomic1": ("libatomic.so.1",),
    "zlib1g": ("libz.so.1",),
    "libexpat1": ("libexpat.so.1",),
    "libglib2.0-0t64": ("libglib-2.0.so.0", "libgobject-2.0.so.0", "libgthread-2.0.so.0"),
    "libx11-6": ("libX11.so.6",),
    "libxext6": ("libXext.so.6",),
    "libxrender1": ("libXrender.so.1",),
    "libice6": ("libICE.so.6",),
    "libsm6": ("libSM.so.6",),
    "libgl1": ("libGL.so.1",),
    "libcrypt1": ("libcrypt.so.1",),
}
"""Package → the sonames taken from it."""

BESIDE_MUSL = {"libz.so.1": "zlib1g"}
"""Soname → package of what musllinux tags promise beside musl; their systems are Alpine's, of which no package is here.

zlib's exports are those of its own version script, whatever C library it is built with: 1.2.11 and 1.3.1, built from source
with musl-gcc, export what Debian's builds of the same releases do, name by name and version by version.
"""

BESIDE_OLDEST_MUSL = {"zlib1g": (1, 2, 11)}
"""Package → the release that the systems of the oldest tags have: Alpine 3.12 and 3.13 are of 2020 and January 2021, and zlib
1.2.11 was the newest from January 2017 to March 2022."""


def measure_package(path: Path, package: str) -> dict[str, Measured]:
    """The libraries of one package, by soname."""
    with Package(path) as unpacked:
        found = {soname: unpacked.find(soname) for soname in PACKAGES[package]}
        return {soname: measure(file) for soname, file in found.items() if file is not None}


def rows(library: Measured) -> list[Row]:
    """The symbols of one build of a library."""
    exports: dict[Release, dict[tuple[str, str], Export]] = {
        (0,): {(export.name, export.version): export for export in library.exports}
    }
    plain = [Row(name=export.name, version=export.version, kind=export.kind) for export in library.exports]
    notes: list[str] = []
    return mark_hidden(plain, exports, notes)


def head(libraries: dict[str, Measured]) -> list[str]:
    """The ``needed`` and ``versions`` lines of a data file, from the library on each architecture."""
    lines: dict[str, list[str]] = {}
    for architecture in ARCHITECTURES:
        if architecture in libraries:
            names = ("ld.so" if name == LOADERS[architecture] else name for name in libraries[architecture].needed)
            lines.setdefault(" ".join(("needed", *names)), []).append(architecture)
    result = [f"{line} on={','.join(on)}" for line, on in sorted(lines.items())]
    ordered = (arch for arch in ARCHITECTURES if arch in libraries)
    return result + [" ".join(("versions", arch, *libraries[arch].versions[1:])) for arch in ordered]
