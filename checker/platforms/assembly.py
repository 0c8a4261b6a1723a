"""What one platform provides, library by library."""

from __future__ import annotations

from functools import cached_property

from checker.model.platform import PlatformId
from checker.platforms.catalogue import load_catalogue
from checker.platforms.library import TableLibrary, UnmeasuredLibrary, nodes_of
from checker.platforms.policies import promise_for
from checker.platforms.table import load
from checker.platforms.tags import parse_platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.platform import PlatformLibrary
    from checker.platforms.catalogue import Architecture
    from checker.platforms.policies import Promise

Release = tuple[int, ...]

_BESIDE = {"glibc": "library", "musl": "beside-musl"}
"""C library → the group of files for the libraries beside it."""


class PlatformBaseline:
    """The libraries of one platform; implements ``Baseline``.

    Args:
        platform: the exact platform.
        architecture: what the catalogue tells of its architecture.
        promise: the policy that says which libraries a wheel may rely on.
        is_limited: versions of the libraries beside the C library are limited to the policy's. False for an exact platform,
            where the newest known builds of them are taken.
    """

    def __init__(self, platform: PlatformId, architecture: Architecture, promise: Promise | None, *, is_limited: bool) -> None:
        self.id = platform
        self._architecture = architecture
        self._promise = promise
        self._is_limited = is_limited
        self._libraries: dict[str, PlatformLibrary | None] = {}

    def library(self, soname: str) -> PlatformLibrary | None:
        """The library of that name, or ``None`` where the platform is not known to have it."""
        soname = "libc.so" if self._key(soname) == "libc.so" else soname
        if soname not in self._libraries:
            self._libraries[soname] = self._open(soname)
        return self._libraries[soname]

    def is_promised(self, soname: str) -> bool:
        """A wheel may rely on that library: the policy lists it, or it is part of the C library."""
        if self._promise is not None and self._key(soname) in self._promise.libraries:
            return True
        return self.is_part_of_libc(soname) and self.library(soname) is not None

    def is_part_of_libc(self, soname: str) -> bool:
        """It comes with the C library, so that the platform's release says what it has; of others the promise says that."""
        return (self.id.family, self._key(soname)) in load_catalogue().files

    def ceiling(self, namespace: str) -> Release | None:
        """The newest version of a namespace that the promise covers; ``None`` where it limits nothing."""
        if namespace == "GLIBC":
            return self.id.release if self.id.family == "glibc" else None
        return self._promise.ceiling(namespace) if self._promise is not None and self._is_limited else None

    def definers(self, name: bytes) -> tuple[str, ...]:
        """Sonames of all libraries of the platform that define the name, sorted; slow, for messages only."""
        return tuple(soname for soname, library in self._measured.items() if library.definitions(name))

    def sonames(self) -> tuple[str, ...]:
        """Every library of the platform that data is there for, sorted."""
        return tuple(self._measured)

    @cached_property
    def _measured(self) -> dict[str, TableLibrary]:
        groups = (self.id.family, _BESIDE[self.id.family])
        names = (name for group, name in load_catalogue().files if group in groups)
        real = (self._architecture.loader if name == "ld.so" else name for name in names)
        return {name: library for name in sorted(real) if isinstance(library := self.library(name), TableLibrary)}

    def symbol_count(self, soname: str) -> int:
        """How many entries a library of :meth:`sonames` exports; slow, for people only."""
        found = self.library(soname)
        return found.symbol_count() if isinstance(found, TableLibrary) else 0

    def _key(self, soname: str) -> str:
        """The name of a library in the data: the loader's differs by architecture, and so does musl's, which is its loader."""
        if soname != self._architecture.loader:
            return soname
        return "libc.so" if self.id.family == "musl" else "ld.so"

    def _open(self, soname: str) -> PlatformLibrary | None:
        key = self._key(soname)
        files = load_catalogue().files
        own = files.get((self.id.family, key))
        path = own or files.get((_BESIDE[self.id.family], key))
        if path is not None:
            table = load(path)
            nodes = nodes_of(table, self.id.architecture.encode())
            # A library of the C library came with the first release that has one of its version nodes.
            if nodes is not None and (own is None or not nodes or any(since <= self.id.release for _, since, _ in nodes)):
                return TableLibrary(
                    soname,
                    table,
                    platform=self.id,
                    first_version=self._architecture.first_version,
                    covers=self._covers,
                    loader=self._architecture.loader,
                )
        if self._promise is not None and soname in self._promise.libraries and own is None:
            return UnmeasuredLibrary(soname)
        return None

    def _covers(self, version: bytes) -> bool:
        if version.startswith(b"GLIBC_") or not self._is_limited or self._promise is None:
            return True
        return self._promise.covers(version)


def open_baseline(platform: PlatformId, promise_tag: str | None) -> PlatformBaseline | None:
    """See :func:`checker.platforms.baseline`."""
    known = load_catalogue().architectures.get((platform.family, platform.architecture))
    if known is None or platform.release > load_catalogue().releases[platform.family][-1]:
        return None
    if platform.release < known.first_release:
        if platform.family == "glibc" and known.first_version < known.first_release:
            return None
        platform = PlatformId(family=platform.family, release=known.first_release, architecture=platform.architecture)
    promised = parse_platform(promise_tag) if promise_tag is not None else None
    # The name of one exact release is no promise about the libraries beside the C library.
    is_limited = promised is not None and promise_tag != str(promised)
    release = promised.release if promised is not None else platform.release
    promise = promise_for(platform.family, max(release, known.first_release), platform.architecture)
    return PlatformBaseline(platform, known, promise, is_limited=is_limited)
