"""What each platform tag promises: auditwheel's policy files, condensed into platform data.

Reading auditwheel's own JSON would cost about 5 ms at every start, most of it for architectures and policies that nobody
asked for.
"""

from __future__ import annotations

from functools import cache

from checker.model.record import record
from checker.platforms.table import read

Release = tuple[int, ...]

FAMILIES = {"manylinux": "glibc", "musllinux": "musl"}


@record
class Promise:
    """One policy on one architecture: what every system with that tag has.

    Attributes:
        tag: without architecture, such as ``manylinux_2_17``.
        aliases: such as ``manylinux2014``.
        release: ``(2, 17)``.
        architecture: as in platform tags.
        libraries: sonames that a wheel may rely on, those of the C library included.
        versions: namespace → the version numbers or words that it covers: ``{"GLIBCXX": {"3.4", …}, "CXXABI": {"1.3", "TM_1",
            …}}``.
        private: soname → symbols that some build of that library exports and others do not.
    """

    tag: str
    aliases: tuple[str, ...]
    release: Release
    architecture: str
    libraries: frozenset[str]
    versions: dict[str, frozenset[str]]
    private: dict[str, frozenset[str]]

    def ceiling(self, namespace: str) -> Release | None:
        """The newest numbered version of a namespace; ``None`` where the policy does not know it."""
        return _newest(self.versions.get(namespace, frozenset()))

    def covers(self, version: bytes) -> bool:
        """The promise covers a version node such as ``GLIBCXX_3.4.19``. What the policy does not name is not limited."""
        namespace, _, word = version.decode("ascii", "replace").partition("_")
        known = self.versions.get(namespace)
        return known is None or word in known


@cache
def _newest(words: frozenset[str]) -> Release | None:
    """The highest of a namespace's words that are numbers."""
    numbers = [tuple(map(int, word.split("."))) for word in words if word.replace(".", "").isdigit()]
    return max(numbers, default=None)


@cache
def promises(family: str, architecture: str) -> tuple[Promise, ...]:
    """The policies of a C library (``"glibc"``, ``"musl"``) that know an architecture, oldest first."""
    found: list[Promise] = []
    for block in _blocks():
        names = block[0].split(" ")[1:]
        if FAMILIES[names[0].partition("_")[0]] != family:
            continue
        promise = _promise(names, block[1:], architecture, found[-1] if found else None)
        if promise is not None:
            found.append(promise)
    return tuple(found)


def promise_for(family: str, release: Release, architecture: str) -> Promise | None:
    """The newest policy that is not newer than ``release``: a tag between two policies promises what the older one does."""
    fitting = [promise for promise in promises(family, architecture) if promise.release <= release]
    return fitting[-1] if fitting else None


def _promise(names: list[str], lines: list[str], architecture: str, older: Promise | None) -> Promise | None:
    """One policy; a ``versions`` line has only what it adds to the next older one."""
    libraries: frozenset[str] = frozenset()
    versions = dict(older.versions) if older is not None else {}
    private: dict[str, frozenset[str]] = {}
    for line in lines:
        word, *values = line.split(" ")
        if word == "architectures" and architecture not in values:
            return None
        if word == "libraries":
            libraries = frozenset(values)
        elif word == "private":
            private[values[0]] = frozenset(values[1:])
        elif word == "versions" and values[0] == architecture:
            versions[values[1]] = versions.get(values[1], frozenset()).union(values[2:])
    return Promise(
        tag=names[0],
        aliases=tuple(names[1:]),
        release=tuple(map(int, names[0].split("_")[1:])),
        architecture=architecture,
        libraries=libraries,
        versions=versions,
        private=private,
    )


@cache
def _blocks() -> tuple[list[str], ...]:
    """The lines of each policy, oldest first within a C library; the first line of each has its name and aliases."""
    blocks: list[list[str]] = []
    for line in read("promise/policies.txt").decode("ascii").splitlines():
        if line.startswith("policy "):
            blocks.append([])
        if line and not line.startswith("#"):
            blocks[-1].append(line)
    return tuple(blocks)
