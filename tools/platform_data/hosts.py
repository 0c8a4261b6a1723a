"""Interpreters by version: what every measured build exports, what only some do, and the file names they import."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import glibc
from measure import Package, measure
from tables import Release, dotted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CPYTHON, FREE_THREADED, PYPY = KINDS = ("cpython", "cpython-t", "pypy")
"""Names of the data files. Versions of PyPy are those of Python and of its own ABI: ``(3, 11, 7, 3)`` for pypy311-pp73."""

BEFORE_THE_MERGE = ("libpthread.so.0", "libdl.so.2", "libutil.so.1")
"""What every build made for a glibc before 2.34 needs, since threads, dlopen and openpty were there."""

_PROGRAM = re.compile(r"python(3\.\d+)(t?)|libpython(3\.\d+)(t?)\.so\.1\.0|libpypy3[\d.]*-c\.so")
_SUFFIX = re.compile(rb"\.(?:abi3t?|(?:cpython-\d+t?|pypy\d+-pp\d+)(?:-[a-z0-9_]+)*)\.so(?=\0)")
"""Without ``.abi3-x86_64-linux-gnu.so``, which Debian's patch stable-abi-multiarch.diff adds: elsewhere it is not imported."""
_PYPY_SUFFIX = re.compile(r"\.pypy(\d)(\d+)-pp(\d)(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One build.

    Attributes:
        kind: of :data:`KINDS`.
        version: see there.
        architecture: as in platform tags.
        exports: symbol → kind.
        needed: libraries of program and shared library, the interpreter's own left out.
        suffixes: of the extension modules that it imports, sorted; plain ``.so``, which all import last, left out.
        origin: what a build that no package holds was read from, with digests; empty for the others.
    """

    kind: str = CPYTHON
    version: Release
    architecture: str = "x86_64"
    exports: dict[str, str]
    needed: tuple[str, ...]
    suffixes: tuple[str, ...] = ()
    origin: str = ""


def is_interpreter(path: Path) -> bool:
    """The file is an interpreter's program or shared library, not a link or a script of that name."""
    return (
        _PROGRAM.fullmatch(path.name) is not None
        and path.is_file()
        and not path.is_symlink()
        and path.read_bytes()[:4] == b"\x7fELF"
    )


def suffixes(file: Path) -> tuple[str, ...]:
    """The suffixes with an ABI's name that an interpreter's file holds (CPython's ``Python/dynload_shlib.c``), sorted."""
    return tuple(sorted({found.decode("ascii") for found in _SUFFIX.findall(file.read_bytes())}))


def from_package(path: Path, architecture: str) -> Build | None:
    """The program, or the shared library, in one Debian package."""
    with Package(path) as package:
        for file in sorted(path for path in package.root.rglob("*py*3*") if is_interpreter(path)):
            measured, names = measure(file), suffixes(file)
            return Build(
                kind=PYPY if "pypy" in file.name else CPYTHON,
                version=_version(file.name, names),
                architecture=architecture,
                exports={export.name: export.kind for export in measured.exports},
                needed=measured.needed,
                suffixes=names,
            )
    return None


def _version(name: str, names: tuple[str, ...]) -> Release:
    found = _PROGRAM.fullmatch(name)
    text = (found[1] or found[3]) if found is not None else None
    if text is not None:
        return tuple(map(int, text.split(".")))
    (own,) = filter(None, map(_PYPY_SUFFIX.match, names))
    return tuple(map(int, own.groups()))


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
        Build(
            kind=FREE_THREADED if version.endswith("t") else CPYTHON,
            version=tuple(map(int, version.rstrip("t").split("."))),
            architecture=architecture,
            exports=exports[version],
            needed=tuple(needed.split(",")),
            suffixes=tuple(names.split(",")),
            origin=f"python {build} {architecture} {digests.replace(':', ' sha256:').replace(',', ' ')}",
        )
        for _, version, build, architecture, digests, needed, names in lines
    ]


def head(builds: list[Build]) -> list[str]:
    """The versions, the parts of glibc that every build needs, before its 2.34 and from then on, and the suffixes.

    Versions are not told apart, and libraries beside the C library are left out: of some versions only one distribution's
    builds are measured, and what all of those need is that distribution's choice.
    """
    parts = set(glibc.LIBRARIES.values())
    common = [name for name in builds[0].needed if name in parts and all(name in build.needed for build in builds)]
    late = " ".join(name for name in common if name not in BEFORE_THE_MERGE)
    versions = sorted({build.version for build in builds})
    return [
        f"python {' '.join(map(dotted, versions))}",
        f"libraries {' '.join(BEFORE_THE_MERGE)} {late} until=2.34",
        f"libraries {late} since=2.34",
        *_suffix_lines(builds),
    ]


def _suffix_lines(builds: list[Build]) -> Iterable[str]:
    """For each version and architecture the suffixes that all its builds import."""
    found: dict[tuple[Release, str], list[set[str]]] = defaultdict(list)
    for build in builds:
        if build.suffixes:
            found[build.version, build.architecture].append(set(build.suffixes))
    for (version, architecture), each in sorted(found.items()):
        yield f"suffixes {dotted(version)} {architecture} {' '.join(sorted(set.intersection(*each)))}"


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
