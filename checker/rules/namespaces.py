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
    from checker.model.platform import Baseline

UnknownVersion = tuple["Promise", str, bytes]
"""A promise, a library that it covers, and a version of it that the promise does not know."""


class Namespaces:
    """The version needs of one case's objects on promised libraries, against the names that the promise knows."""

    def __init__(self, case: Case) -> None:
        """Index who supplies which library."""
        self._case = case
        self._providers: dict[tuple[str, str], set[ProviderKind]] = {}
        for edge in case.libraries:
            self._providers.setdefault((edge.needer, edge.soname), set()).add(edge.provider)

    def unknown_to(self, facts: ElfFacts) -> Iterator[UnknownVersion]:
        """The object's strong needs in a namespace that the first promise for its architecture knows nothing of.

        A bundled or declared library's versions are its own affair; a library that no platform promises is
        ``library-outside-platform``'s, and a newer version of a known namespace ``platform-tag-too-old``'s. musl's loader
        never looks at version needs (``ldso/dynlink.c``).
        """
        promise = next((each for each in self._case.promises if suits(facts, each.oldest.architecture)), None)
        if promise is None or promise.baseline is None or promise.oldest.family == "musl":
            return
        for need in facts.version_needs:
            if self._providers.get((facts.path, need.file)) != {ProviderKind.PLATFORM}:
                continue
            if not promise.baseline.is_promised(need.file):
                continue
            for version in need.versions:
                if not version.weak and version.name != PRIVATE and not _is_known(promise.baseline, need.file, version.name):
                    yield promise, need.file, version.name


def namespace(version: bytes) -> str:
    """``GLIBCXX_3.4.19`` → ``GLIBCXX``; the whole name where it has no number."""
    return version.partition(b"_")[0].decode("ascii", "backslashreplace")


def _is_known(baseline: Baseline, soname: str, version: bytes) -> bool:
    """The namespace has a ceiling, or the library has versions of that name.

    Of a library that has no versions at all the loader asks none: "no version information available" is a warning
    (glibc ``elf/dl-version.c``, ``match_symbol``).
    """
    name = namespace(version)
    if baseline.ceiling(name) is not None:
        return True
    library = baseline.library(soname)
    if library is None or not library.symbols_known:
        return False
    return not library.versions or any(namespace(known) == name for known in library.versions)
