"""The objects of a process, by number.

A wheel with hundreds of extension modules on one big library asks the same questions hundreds of times, so everything after the
facts speaks of numbers: the objects whose bytes were read come first, then whatever else the platform, the interpreter or a
declared distribution brings.
"""

from __future__ import annotations

from checker.model.closure import ProviderKind, ScopeEntry
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.installation import Installation
    from checker.model.elf import ElfFacts
    from checker.model.platform import PlatformLibrary


@record
class Outsider:
    """An object that does not come from the installation.

    Attributes:
        provider: HOST, PLATFORM or DECLARED.
        path: host name, soname, or ``requirement:soname``.
        library: the platform's library; ``None`` for the other kinds.
    """

    provider: ProviderKind
    path: str
    library: PlatformLibrary | None


class Objects:
    """Numbers for the objects of an installation and for the outsiders that join them."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self._outsiders: list[Outsider] = []
        self._numbers: dict[tuple[ProviderKind, str], int] = {}
        self._members = len(installation.objects)
        self._places = [""] * self._members
        for place, number in installation.places.items():
            self._places[number] = place

    @property
    def count(self) -> int:
        """How many numbers are given."""
        return self._members + len(self._outsiders)

    def number(self, provider: ProviderKind, path: str, library: PlatformLibrary | None = None) -> int:
        """The number of an outsider, a new one where it was not met before."""
        known = self._numbers.get((provider, path))
        if known is None:
            known = self._numbers[provider, path] = self._members + len(self._outsiders)
            self._outsiders.append(Outsider(provider=provider, path=path, library=library))
        return known

    def is_member(self, number: int) -> bool:
        """The object's bytes were read: it is the artifact's, or another distribution's that was given."""
        return number < self._members

    def is_own(self, number: int) -> bool:
        """The object comes from the artifact itself."""
        return number < self.installation.own

    def facts(self, number: int) -> ElfFacts:
        """Facts of a member."""
        return self.installation.objects[number]

    def place(self, number: int) -> str:
        """Installed path of a member."""
        return self._places[number]

    def library(self, number: int) -> PlatformLibrary | None:
        """The platform's library of that number; ``None`` for a member, the interpreter or a declared library."""
        return None if number < self._members else self._outsiders[number - self._members].library

    def soname(self, number: int) -> str | None:
        """DT_SONAME, where it is known."""
        if number < self._members:
            return self.installation.objects[number].soname
        library = self._outsiders[number - self._members].library
        return library.soname if library is not None else None

    def entry(self, number: int) -> ScopeEntry:
        """Provider and path of any object."""
        if number < self.installation.own:
            return ScopeEntry(provider=ProviderKind.MEMBER, path=self.facts(number).path)
        if number < self._members:
            owner = self.installation.owners[number - self.installation.own]
            return ScopeEntry(provider=ProviderKind.DECLARED, path=f"{owner}:{self.facts(number).path}")
        outsider = self._outsiders[number - self._members]
        return ScopeEntry(provider=outsider.provider, path=outsider.path)

    def has_versions(self, number: int) -> bool:
        """The object has DT_VERNEED or DT_VERDEF, so that its symbols' versions count.

        A platform's library that needs another one has the versions of the C library among its needs.
        """
        if number < self._members:
            facts = self.facts(number)
            return bool(facts.version_needs or facts.version_definitions)
        library = self._outsiders[number - self._members].library
        return library is not None and bool(library.versions or library.needed)

    def has_known_symbols(self, number: int) -> bool:
        """The object's exports can be asked for; not so for a declared library or one known by name only."""
        if number < self._members:
            return True
        outsider = self._outsiders[number - self._members]
        return outsider.provider is ProviderKind.HOST or (outsider.library is not None and outsider.library.symbols_known)

    def platform_libraries(self) -> Iterable[tuple[int, PlatformLibrary]]:
        """Every library of the platform that has a number."""
        for position, outsider in enumerate(self._outsiders):
            if outsider.library is not None:
                yield self._members + position, outsider.library
