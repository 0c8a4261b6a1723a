"""CPython by version: what every measured build exports, and what only some do."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from measure import Package, measure
from tables import Release, dotted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

BEFORE_THE_MERGE = ("libpthread.so.0", "libdl.so.2", "libutil.so.1")
"""What every build made for a glibc before 2.34 needs, since threads, dlopen and openpty were there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One build: Python version, symbol → kind, and needed libraries of program and libpython, libpython left out."""

    version: Release
    exports: dict[str, str]
    needed: tuple[str, ...]


def from_package(path: Path) -> Build | None:
    """The program, or the libpython, in one Debian package."""
    with Package(path) as package:
        for file in sorted(package.root.rglob("*python3.*")):
            found = re.fullmatch(r"python(3\.\d+)|libpython(3\.\d+)\.so\.1\.0", file.name)
            if found is not None and file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF":
                measured = measure(file)
                version = tuple(map(int, (found[1] or found[2]).split(".")))
                exports = {export.name: export.kind for export in measured.exports}
                return Build(version=version, exports=exports, needed=measured.needed)
    return None


def recorded(path: Path) -> list[Build]:
    """The builds of ``interpreters.txt``."""
    head, _, body = path.read_text("ascii").partition("\n\n")
    exports: dict[str, dict[str, str]] = defaultdict(dict)
    for line in body.splitlines():
        name, kind, versions = line.split(" ")
        for version in versions.split(","):
            exports[version][name] = kind
    lines = (line.split(" ") for line in head.splitlines() if line.startswith("build "))
    return [
        Build(version=tuple(map(int, version.split("."))), exports=exports[version], needed=tuple(needed.split(",")))
        for _, version, _, _, _, needed in lines
    ]


def head(builds: list[Build]) -> list[str]:
    """The libraries that every build of every version needs, on glibc before 2.34 and from then on.

    Versions are not told apart: of some only one distribution's builds are measured, and what all of those need is that
    distribution's choice.
    """
    common = [name for name in builds[0].needed if all(name in build.needed for build in builds)]
    late = " ".join(name for name in common if name not in BEFORE_THE_MERGE)
    versions = sorted({build.version for build in builds})
    return [
        f"python {' '.join(map(dotted, versions))}",
        f"libraries {' '.join(BEFORE_THE_MERGE)} {late} until=2.34",
        f"libraries {late} since=2.34",
    ]


def lines(builds: list[Build]) -> list[str]:
    """One line for each symbol and unbroken run of versions; ``maybe`` where only some builds export it."""
    versions = sorted({build.version for build in builds})
    kinds = {name: kind for build in builds for name, kind in build.exports.items()}
    result = []
    for name in sorted(kinds):
        states = [_state(name, [build for build in builds if build.version == version]) for version in versions]
        result += [f"{name} - {kinds[name]}{tail}" for tail in _spans(states, versions)]
    return result


def _state(name: str, builds: list[Build]) -> str:
    having = sum(name in build.exports for build in builds)
    return "" if having == 0 else "always" if having == len(builds) else "maybe"


def _spans(states: list[str], versions: list[Release]) -> Iterable[str]:
    start = 0
    for position in range(1, len(states) + 1):
        if position < len(states) and states[position] == states[start]:
            continue
        if states[start]:
            words = ["maybe"] if states[start] == "maybe" else []
            words += [f"since={dotted(versions[start])}"] if start else []
            words += [f"until={dotted(versions[position])}"] if position < len(states) else []
            yield "".join(f" {word}" for word in words)
        start = position
