"""The catalogue of platform data: its architectures, releases, libraries and hosts, and what they were made from."""

from __future__ import annotations

from functools import cache

from checker.model.record import record
from checker.platforms.table import read

Release = tuple[int, ...]


@record
class Architecture:
    """One architecture of one C library.

    Attributes:
        name: as in platform tags.
        first_release: the first release of the C library that knows it, or the first that data is there for.
        first_version: number of its oldest GLIBC version, such as ``(2, 2, 5)``; ``()`` for musl.
        loader: soname of its loader.
    """

    name: str
    first_release: Release
    first_version: Release
    loader: str


@record
class Catalogue:
    """The content of ``data/index.txt``.

    Attributes:
        releases: family → every release, oldest first.
        architectures: (family, architecture) → what is known of it.
        files: (group, soname or host) → path below ``data/``; groups are ``glibc``, ``musl``, ``host``, and for
            what stands beside a C library ``library`` (glibc) and ``beside-musl``.
    """

    releases: dict[str, tuple[Release, ...]]
    architectures: dict[tuple[str, str], Architecture]
    files: dict[tuple[str, str], str]


@cache
def load_catalogue() -> Catalogue:
    """Reads the catalogue; each line is a word and its values."""
    releases: dict[str, tuple[Release, ...]] = {}
    architectures: dict[tuple[str, str], Architecture] = {}
    files: dict[tuple[str, str], str] = {}
    for line in read("index.txt").decode("ascii").splitlines():
        word, *values = line.split(" ")
        if word == "releases":
            releases[values[0]] = tuple(_number(value) for value in values[1:])
        elif word == "architecture":
            family, name, first, version, loader = values
            architectures[family, name] = Architecture(
                name=name,
                first_release=_number(first),
                first_version=_number(version) if version != "-" else (),
                loader=loader,
            )
        elif word == "file":
            files[values[0], values[1]] = values[2]
    return Catalogue(releases=releases, architectures=architectures, files=files)


def sources() -> tuple[tuple[str, str], ...]:
    """What the data was made from: (package, its versions and a digest over its files), sorted."""
    lines = read("sources.txt").decode("ascii").splitlines()
    return tuple((name, told) for name, _, told in (line.partition(" ") for line in lines if not line.startswith("#")))


def _number(text: str) -> Release:
    return tuple(map(int, text.split(".")))
