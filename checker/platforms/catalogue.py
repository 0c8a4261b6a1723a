"""The catalogue of platform data: which architectures, releases, libraries and hosts there are, and what they were made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from checker.platforms.table import DATA

Release = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The content of ``data/index.txt``.

    Attributes:
        releases: family → every release, oldest first.
        architectures: (family, architecture) → what is known of it.
        files: (group, soname or host) → path below ``data/``; groups are ``glibc``, ``musl``, ``library`` and ``host``.
        sources: name → package version and digest prefix.
    """

    releases: dict[str, tuple[Release, ...]]
    architectures: dict[tuple[str, str], Architecture]
    files: dict[tuple[str, str], str]
    sources: tuple[tuple[str, str], ...]


@lru_cache(maxsize=None)
def catalogue() -> Catalogue:
    """Reads the catalogue; each line is a word and its values."""
    releases: dict[str, tuple[Release, ...]] = {}
    architectures: dict[tuple[str, str], Architecture] = {}
    files: dict[tuple[str, str], str] = {}
    sources: list[tuple[str, str]] = []
    for line in (DATA / "index.txt").read_text("ascii").splitlines():
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
        elif word == "source":
            sources.append((values[0], " ".join(values[1:])))
    return Catalogue(releases=releases, architectures=architectures, files=files, sources=tuple(sources))


def _number(text: str) -> Release:
    return tuple(map(int, text.split(".")))
