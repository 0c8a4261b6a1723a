"""Version needs on libraries of the platform, against what the tags promise."""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.record import record
from checker.rules.architectures import suits
from checker.rules.versions import parsed, tag_ceiling
from checker.rules.wording import shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.rules.versions import Release

_NOT_THE_PLATFORM = frozenset({ProviderKind.MEMBER, ProviderKind.DECLARED})


@record
class PlatformNeed:
    """One version that one object wants of a library of the platform.

    Attributes:
        file: the library.
        version: the version's name.
        index: the version index that the object's symbols use.
        namespace, release: the version taken apart.
    """

    file: str
    version: bytes
    index: int
    namespace: str
    release: Release


class PlatformNeeds:
    """The version needs of one case's objects, sorted out."""

    def __init__(self, case: Case) -> None:
        """Index who supplies which library."""
        self._case = case
        self._suppliers: dict[tuple[str, str], set[ProviderKind]] = {}
        self._files: dict[str, set[ProviderKind]] = {}
        for edge in case.libraries:
            self._suppliers.setdefault((edge.needer, edge.soname), set()).add(edge.provider)
            self._files.setdefault(edge.soname, set()).add(edge.provider)
        self._architectures = tuple(sorted({promise.oldest.architecture for promise in case.promises}))
        self._ceilings: dict[tuple[str, str], Release | None] = {}
        self._beyond: dict[str, frozenset[tuple[str, bytes]]] = {}

    def of(self, facts: ElfFacts) -> Iterator[PlatformNeed]:
        """The object's needs, without those that the load-time check forgives (VER_FLG_WEAK) or that the artifact satisfies."""
        for need in facts.version_needs:
            if not self._is_platforms(facts.path, need.file):
                continue
            for version in need.versions:
                taken_apart = parsed(version.name)
                if taken_apart is not None and not version.weak:
                    namespace, release = taken_apart
                    yield PlatformNeed(
                        file=need.file, version=version.name, index=version.index, namespace=namespace, release=release
                    )

    def is_tagged(self, tag: str) -> bool:
        """The platform tag stands in the wheel's name; one that ``--platform`` asks about may not."""
        return any(own.platform == tag for own in self._case.tags)

    def exceeds_tag(self, facts: ElfFacts, need: PlatformNeed) -> bool:
        """The version is newer than what every glibc tag for the object's architecture promises."""
        ceiling = self.ceiling(facts, need.namespace)
        return ceiling is not None and need.release > ceiling

    def is_beyond_tag(self, facts: ElfFacts, file: str, version: bytes) -> bool:
        """The same for a version by its name."""
        beyond = self._beyond.get(facts.path)
        if beyond is None:
            beyond = self._beyond[facts.path] = frozenset(
                (need.file, need.version) for need in self.of(facts) if self.exceeds_tag(facts, need)
            )
        return (file, version) in beyond

    def ceiling(self, facts: ElfFacts, namespace: str) -> Release | None:
        """The tags' ceiling of a namespace for the object's architecture; ``None`` where there is none."""
        architecture = next((name for name in self._architectures if suits(facts, name)), None)
        if architecture is None:
            return None
        key = (architecture, namespace)
        if key not in self._ceilings:
            self._ceilings[key] = tag_ceiling(self._case, namespace, architecture)
        return self._ceilings[key]

    def _is_platforms(self, path: str, file: str) -> bool:
        suppliers = self._suppliers.get((path, file)) or self._files.get(file) or set()
        return not suppliers & _NOT_THE_PLATFORM


def symbols_by_version(facts: ElfFacts) -> dict[int, list[bytes]]:
    """Version index → the object's undefined symbols that bear it, sorted."""
    found: dict[int, list[bytes]] = {}
    for name, index in sorted(zip(facts.imports.names, facts.imports.version_indices, strict=True)):
        found.setdefault(index, []).append(name)
    return found


def newest_first(needs: list[PlatformNeed]) -> list[PlatformNeed]:
    """The newest version of each namespace, GLIBC before the others, then the rest: a message shows the first few."""
    ordered = sorted(
        needs,
        key=lambda need: (need.namespace != "GLIBC", need.namespace, tuple(-part for part in need.release), need.file),
    )
    newest = {need.namespace: need for need in reversed(ordered)}
    return [*reversed(newest.values()), *(need for need in ordered if need is not newest[need.namespace])]


def wanted(facts: ElfFacts, needs: list[PlatformNeed]) -> tuple[list[str], tuple[str, ...]]:
    """Each version with a few of the symbols that want it, for a message; and every symbol with version and library."""
    shown: list[str] = []
    symbols: list[str] = []
    users = symbols_by_version(facts)
    for need in needs:
        names = users.pop(need.index, [])  # an index stands for one version: that of the first need which claims it
        version = text(need.version)
        shown.append(f"{version} ({shown_symbols([(name, None) for name in names], 2)})" if names else version)
        symbols.extend(f"{text(name)}@{version} of {need.file}" for name in names)
    return shown, tuple(symbols)
