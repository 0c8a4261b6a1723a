"""Platforms and interpreters made of real ELF files: each library is what its own facts say.

This is how tests compare with the loader of the machine they run on, and what a captured platform must answer like.
"""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import Definition, ElfFacts
    from checker.model.platform import PlatformId


@record
class MeasuredLibrary:
    """One library of a platform; see :class:`checker.model.platform.PlatformLibrary`."""

    facts: ElfFacts

    @property
    def soname(self) -> str:
        """DT_SONAME, or the file name of a library without one."""
        return self.facts.soname or self.facts.path.rpartition("/")[2]

    @property
    def needed(self) -> tuple[str, ...]:
        """DT_NEEDED."""
        return self.facts.needed

    @property
    def versions(self) -> tuple[bytes, ...]:
        """The names of its version definitions, base definition included, in file order."""
        return tuple(definition.name for definition in self.facts.version_definitions)

    @property
    def symbols_known(self) -> bool:
        """Always: the file was read."""
        return True

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """The entries of that name which its hash table leads to."""
        return self.facts.symbols.definitions(name)


@record
class MeasuredBaseline:
    """A platform of libraries by name; see :class:`checker.model.platform.Baseline`. It promises what is there."""

    id: PlatformId
    libraries: dict[str, MeasuredLibrary]

    def library(self, soname: str) -> MeasuredLibrary | None:
        """The library found under that name."""
        return self.libraries.get(soname)

    def definers(self, name: bytes) -> tuple[str, ...]:
        """Names of all libraries that define the symbol, sorted."""
        return tuple(sorted(soname for soname, library in self.libraries.items() if library.definitions(name)))

    def is_promised(self, soname: str) -> bool:
        """It is there."""
        return soname in self.libraries

    def ceiling(self, namespace: str) -> tuple[int, ...] | None:
        """The newest version of a namespace that any library defines: ``(2, 36)`` for ``GLIBC``."""
        prefix = namespace.encode() + b"_"
        found = (
            tuple(int(part) for part in version[len(prefix) :].split(b"."))
            for library in self.libraries.values()
            for version in library.versions
            if version.startswith(prefix) and version[len(prefix) :].replace(b".", b"").isdigit()
        )
        return max(found, default=None)


@record
class MeasuredHost:
    """An interpreter of files: the program and, where there is one, its shared library, as one object at the head of the scope.

    Attributes:
        name: such as ``cpython-3.11``.
        libraries: the sonames that it brings, in load order.
        facts: of the files that it consists of, in load order.
        is_measured: it is no stand-in for another interpreter.
    """

    name: str
    libraries: tuple[str, ...]
    facts: tuple[ElfFacts, ...]
    is_measured: bool = True

    # One interpreter is itself: its facts are tables, which have no hash.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """The entries of that name in the first of its files that has any."""
        for facts in self.facts:
            entries = facts.symbols.definitions(name)
            if entries:
                return entries
        return ()
