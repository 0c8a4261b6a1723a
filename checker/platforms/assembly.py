"""What one platform provides, library by library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.platforms.catalogue import catalogue
from checker.platforms.library import MeasuredLibrary, UnmeasuredLibrary, nodes_of
from checker.platforms.policies import promise_for
from checker.platforms.table import load

if TYPE_CHECKING:
    from checker.model.platform import PlatformId, PlatformLibrary
    from checker.platforms.catalogue import Architecture
    from checker.platforms.policies import Promise

Release = tuple[int, ...]


class PlatformBaseline:
    """The libraries of one platform; implements ``Baseline``.

    Args:
        platform: the exact platform.
        architecture: what the catalogue tells of its architecture.
        promise: the policy that says which libraries a wheel may rely on.
        is_limited: versions of the libraries beside the C library are limited to the policy's. False for an exact platform, where the
            newest known builds of them are taken.
    """

    def __init__(self, platform: PlatformId, architecture: Architecture, promise: Promise | None, *, is_limited: bool) -> None:
        self.id = platform
        self._architecture = architecture
        self._promise = promise
        self._is_limited = is_limited
        self._libraries: dict[str, PlatformLibrary | None] = {}

    def library(self, soname: str) -> PlatformLibrary | None:
        """The library of that name, or ``None`` where the platform is not known to have it."""
        if soname not in self._libraries:
            self._libraries[soname] = self._open(soname)
        return self._libraries[soname]

    def is_promised(self, soname: str) -> bool:
        """A wheel may rely on that library: the policy lists it, or it is part of the C library."""
        if self._promise is not None and soname in self._promise.libraries:
            return True
        return self._is_own(soname) and self.library(soname) is not None

    def ceiling(self, namespace: str) -> Release | None:
        """The newest version of a namespace that the promise covers; ``None`` where nothing is promised or known."""
        if namespace == "GLIBC":
            return self.id.release if self.id.family == "glibc" else None
        return None if self._promise is None else self._promise.ceiling(self.id.architecture, namespace)

    def own_libraries(self) -> tuple[str, ...]:
        """The sonames of the C library's own parts on this platform, sorted."""
        names = (name for group, name in catalogue().files if group == self.id.family)
        real = (self._architecture.loader if name == "ld.so" else name for name in names)
        return tuple(sorted(name for name in real if self.library(name) is not None))

    def all_libraries(self) -> tuple[str, ...]:
        """Every soname that data is there for on this platform, sorted."""
        others = (name for group, name in catalogue().files if group == "library" and self.library(name) is not None)
        return tuple(sorted({*self.own_libraries(), *others}))

    def _is_own(self, soname: str) -> bool:
        return soname == self._architecture.loader or (self.id.family, soname) in catalogue().files

    def _open(self, soname: str) -> PlatformLibrary | None:
        key = "ld.so" if soname == self._architecture.loader else soname
        files = catalogue().files
        own = files.get((self.id.family, key))
        path = own or (files.get(("library", key)) if self.id.family == "glibc" else None)
        if path is not None:
            table = load(path)
            nodes = nodes_of(table, self.id.architecture.encode())
            # A library of the C library came with the first release that has one of its version nodes.
            if nodes is not None and (own is None or not nodes or any(since <= self.id.release for _, since, _ in nodes)):
                return MeasuredLibrary(
                    soname, table, self.id, self._architecture.first_version, self._covers, self._architecture.loader
                )
        if self._promise is not None and soname in self._promise.libraries and own is None:
            return UnmeasuredLibrary(soname)
        return None

    def _covers(self, version: bytes) -> bool:
        if version.startswith(b"GLIBC_") or not self._is_limited or self._promise is None:
            return True
        return self._promise.covers(self.id.architecture, version)


def open_baseline(platform: PlatformId, promise_tag: str | None) -> PlatformBaseline | None:
    """See :func:`checker.platforms.baseline`."""
    architecture = catalogue().architectures.get((platform.family, platform.architecture))
    if architecture is None or platform.release > newest_known(platform):
        return None
    promised = platform.release if promise_tag is None else _release_of(promise_tag)
    promise = promise_for(platform.family, promised, platform.architecture)
    return PlatformBaseline(platform, architecture, promise, is_limited=promise_tag is not None)


def newest_known(platform: PlatformId) -> Release:
    """The newest release of the platform's C library that data is there for."""
    return catalogue().releases[platform.family][-1]


def _release_of(tag: str) -> Release:
    from checker.platforms.tags import parse_platform

    platform = parse_platform(tag)
    if platform is None:
        raise ValueError(f"{tag!r} promises no Linux platform")
    return platform.release
