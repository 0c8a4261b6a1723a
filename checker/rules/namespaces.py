"""Version names of a platform's libraries that no promise says anything of."""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.rules.architectures import suits
from checker.rules.versions import PRIVATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case, Promise
    from checker.model.elf import ElfFacts
    from checker.model.platform import Baseline, PlatformLibrary

UnknownVersion = tuple["Promise", str, bytes]
"""A promise, a library that it covers, and a version of it that the promise does not know."""


class Namespaces:
    """The version needs of one case's objects on promised libraries, against the names that the promise knows."""

    def __init__(self, case: Case) -> None:
        """Index who supplies which library."""
        self._case = case
        self._providers: dict[tuple[str, str], set[ProviderKind]] = {}
        self._unknown: dict[str, frozenset[tuple[str, bytes]]] = {}
        for edge in case.libraries:
            self._providers.setdefault((edge.needer, edge.soname), set()).add(edge.provider)

    def is_unknown_to(self, facts: ElfFacts, file: str, version: bytes) -> bool:
        """Whether :meth:`unknown_to` tells of that version of that library."""
        unknown = self._unknown.get(facts.path)
        if unknown is None:
            unknown = self._unknown[facts.path] = frozenset(one[1:] for one in self.unknown_to(facts))
        return (file, version) in unknown

    def unknown_to(self, facts: ElfFacts) -> Iterator[UnknownVersion]:
        """The object's strong needs in a namespace that the first promise for its architecture is known not to have.

        A bundled or declared library's versions are its own affair; a library that no platform promises is
        ``library-outside-platform``'s, and a newer version of a known namespace ``platform-tag-too-old``'s. musl's loader
        never looks at version needs (``ldso/dynlink.c``).
        """
        for promise, baseline, soname, version in self._asked(facts):
            library = baseline.library(soname)
            if library is not None and library.symbols_known and not _has(library, version):
                yield promise, soname, version

    def unmeasured_for(self, facts: ElfFacts) -> Iterator[UnknownVersion]:
        """The same, where the library is known by name only: it may have them."""
        for promise, baseline, soname, version in self._asked(facts):
            library = baseline.library(soname)
            if library is None or not library.symbols_known:
                yield promise, soname, version

    def _asked(self, facts: ElfFacts) -> Iterator[tuple[Promise, Baseline, str, bytes]]:
        """The needs on promised libraries in a namespace of which the promise itself says nothing."""
        promise = next((each for each in self._case.promises if suits(facts, each.oldest.architecture)), None)
        if promise is None or promise.baseline is None or promise.oldest.family == "musl":
            return
        for need in facts.version_needs:
            if self._providers.get((facts.path, need.file)) != {ProviderKind.PLATFORM}:
                continue
            if not promise.baseline.is_promised(need.file):
                continue
            for version in need.versions:
                is_asked = not version.weak and version.name != PRIVATE
                if is_asked and promise.baseline.ceiling(namespace(version.name)) is None:
                    yield promise, promise.baseline, need.file, version.name


def namespace(version: bytes) -> str:
    """``GLIBCXX_3.4.19`` → ``GLIBCXX``; the whole name where it has no number."""
    return version.partition(b"_")[0].decode("ascii", "backslashreplace")


def _has(library: PlatformLibrary, version: bytes) -> bool:
    """The library has versions of that namespace.

    Of a library that has no versions at all the loader asks none: "no version information available" is a warning
    (glibc ``elf/dl-version.c``, ``match_symbol``).
    """
    return not library.versions or any(namespace(known) == namespace(version) for known in library.versions)
