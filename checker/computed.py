"""The oldest platform tag that would be true of an artifact, and what keeps it from being older."""

from __future__ import annotations

from checker import platforms
from checker.model.case import Because, ComputedPlatform
from checker.model.closure import ProviderKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.model.case import Promise
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts

_OURS = frozenset({ProviderKind.MEMBER, ProviderKind.DECLARED})


def computed_platform(
    objects: Sequence[ElfFacts], promises: Sequence[Promise], libraries: Sequence[Edge]
) -> ComputedPlatform | None:
    """What the files' own version needs and needed libraries come to, for the first promise.

    Args:
        objects: every ELF object.
        promises: what the artifact claims; the first one's C library and architecture are asked about.
        libraries: who supplies which needed library.

    Returns:
        ``None`` without a promise or without an object that needs anything of a platform.
    """
    if not promises:
        return None
    oldest = promises[0].oldest
    bundled = {(edge.needer, edge.soname) for edge in libraries if edge.provider in _OURS}
    needs = {facts.path: _needs(facts, bundled) for facts in objects if facts.needed}
    if not needs:
        return None
    versions = {version for found, _ in needs.values() for version in found}
    sonames = {soname for _, found in needs.values() for soname in found}
    choice = platforms.tag_for(oldest.family, oldest.architecture, versions, sonames)
    by_file = tuple(
        (path, platforms.tag_for(oldest.family, oldest.architecture, *found).tag) for path, found in sorted(needs.items())
    )
    because = tuple(
        sorted(
            {row for facts in objects for row in _reasons(facts, bundled, choice.versions, choice.sonames)},
            key=lambda row: (row.file, row.soname, row.version, row.symbol),
        )
    )
    return ComputedPlatform(platform=choice.tag, by_file=by_file, because=because)


def _needs(facts: ElfFacts, bundled: set[tuple[str, str]]) -> tuple[frozenset[str], frozenset[str]]:
    """The versions and the libraries that an object needs of a platform."""
    versions = frozenset(
        version.name.decode("utf-8", "backslashreplace")
        for need in facts.version_needs
        if (facts.path, need.file) not in bundled
        for version in need.versions
    )
    return versions, frozenset(soname for soname in facts.needed if (facts.path, soname) not in bundled)


def _reasons(
    facts: ElfFacts, bundled: set[tuple[str, str]], versions: Sequence[str], sonames: Sequence[str]
) -> Iterable[Because]:
    """What of an object's needs the next older tag does not cover, symbol by symbol."""
    refused = {
        version.index: (need.file, name)
        for need in facts.version_needs
        if (facts.path, need.file) not in bundled
        for version in need.versions
        if (name := version.name.decode("utf-8", "backslashreplace")) in versions
    }
    users: dict[int, list[bytes]] = {index: [] for index in refused}
    if refused:
        for symbol, index in zip(facts.imports.names, facts.imports.version_indices, strict=True):
            if index in users:
                users[index].append(symbol)
    for index, (soname, version) in refused.items():
        for symbol in users[index] or [b""]:
            told = symbol.decode("utf-8", "backslashreplace")
            yield Because(file=facts.path, soname=soname, symbol=told, version=version)
    for soname in facts.needed:
        if soname in sonames and (facts.path, soname) not in bundled:
            yield Because(file=facts.path, soname=soname, symbol="", version="")
