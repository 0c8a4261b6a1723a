"""What a promised platform and a host interpreter supply."""

from __future__ import annotations

from checker.model.record import ordered_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # structural types say nothing at run time, and typing is slow to import

if TYPE_CHECKING:
    from checker.model.elf import Definition


@ordered_record
class PlatformId:
    """One exact platform: ``glibc-2.36-x86_64``.

    Attributes:
        family: ``"glibc"`` or ``"musl"``.
        release: such as ``(2, 36)`` or ``(1, 2, 5)``.
        architecture: as in platform tags: x86_64, i686, aarch64, armv7l, ppc64le, s390x, riscv64, loongarch64 …
    """

    family: str
    release: tuple[int, ...]
    architecture: str

    def __str__(self) -> str:
        return f"{self.family}-{'.'.join(map(str, self.release))}-{self.architecture}"


def is_path(text: str) -> bool:
    """What was asked for as a platform or interpreter is the path of a platform file, and no name of a known one."""
    return "/" in text or "\\" in text or text.endswith(".platform")


class PlatformLibrary(Protocol):
    """One library of a platform, as a lookup meets it."""

    @property
    def soname(self) -> str:
        """Its DT_SONAME, which is also its file name on the platform."""

    @property
    def needed(self) -> tuple[str, ...]:
        """Its own DT_NEEDED."""

    @property
    def versions(self) -> tuple[bytes, ...]:
        """The names of its version definitions, base definition first, in file order."""

    @property
    def symbols_known(self) -> bool:
        """False where only the library's presence is known, not its symbols: lookups in it are undecided, never a miss."""

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """Its exported entries under that name; empty when it exports none."""


class Baseline(Protocol):
    """One platform: what each library supplies, and which libraries the promise covers."""

    @property
    def id(self) -> PlatformId:
        """The exact platform."""

    def library(self, soname: str) -> PlatformLibrary | None:
        """The library of that name, or ``None`` where the platform is not known to have it."""

    def definers(self, name: bytes) -> tuple[str, ...]:
        """Sonames of all its libraries that define the name, sorted; slow, for messages only."""

    def is_promised(self, soname: str) -> bool:
        """A wheel may rely on that library being there (PEP 600 and auditwheel's list), or it is part of the C library."""

    def ceiling(self, namespace: str) -> tuple[int, ...] | None:
        """The newest version of a namespace (GLIBC, GLIBCXX, CXXABI, GCC …) that the promise covers, such as ``(2, 17)``."""


class Host(Protocol):
    """The interpreter that loads an extension module."""

    @property
    def name(self) -> str:
        """Such as ``cpython-3.11``."""

    @property
    def is_measured(self) -> bool:
        """False for a stand-in: what *this* interpreter exports is not known, only what a near relative does."""

    @property
    def libraries(self) -> tuple[str, ...]:
        """Sonames that every measured build of it brings into the global scope, in load order."""

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """What the interpreter itself exports under that name."""


def host_order(name: str) -> tuple[tuple[str, int], ...]:
    """Sort key of a host's name: ``cpython-3.9`` before ``cpython-3.10``."""
    words = "".join(each if each.isdigit() else f" {each} " for each in name).split()
    return tuple(("", int(word)) if word.isdecimal() else (word, 0) for word in words)


class StableAbi(Protocol):
    """The symbols that abi3 wheels may use (PEP 384)."""

    def since(self, name: bytes) -> tuple[int, ...] | None:
        """The version of CPython that brought the symbol into the stable ABI; ``None`` for one that is not in it."""
