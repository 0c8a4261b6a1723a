"""The oldest platform tag that would be true of an artifact, and what keeps it from being older."""

from __future__ import annotations

from checker import platforms
from checker.model.case import Because, ComputedPlatform
from checker.model.closure import ProviderKind
from checker.model.record import record
from checker.rules.architectures import isa_level, suits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.model.case import Promise
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts
    from checker.model.platform import PlatformId
    from checker.platforms.tagging import TagChoice

_OURS = frozenset({ProviderKind.MEMBER, ProviderKind.DECLARED})


@record
class _Needs:
    """What objects need of a platform: version nodes, sonames, and (soname, symbol) pairs that some policy denies."""

    versions: frozenset[str]
    sonames: frozenset[str]
    symbols: frozenset[tuple[str, str]]


def computed_platform(
    objects: Sequence[ElfFacts], promises: Sequence[Promise], libraries: Sequence[Edge]
) -> ComputedPlatform | None:
    """What the files' own version needs and needed libraries come to, for the first promise.

    Args:
        objects: every ELF object.
        promises: what the artifact claims; the first one's C library and architecture are asked about.
        libraries: who supplies which needed library.

    Returns:
        ``None`` without a promise or without a file of the promised architecture. The oldest tag of all is true of programs
        that need nothing.
    """
    if not promises:
        return None
    oldest = promises[0].oldest
    bundled = {(edge.needer, edge.soname) for edge in libraries if edge.provider in _OURS}
    denied = platforms.denied_anywhere(oldest.family, oldest.architecture)
    needs = {facts.path: _needs(facts, bundled, denied) for facts in objects if facts.needed}
    if not needs and not any(facts.identity.architecture == oldest.architecture and facts.segments for facts in objects):
        return None
    everything = _Needs(
        versions=frozenset(version for each in needs.values() for version in each.versions),
        sonames=frozenset(soname for each in needs.values() for soname in each.sonames),
        symbols=frozenset(pair for each in needs.values() for pair in each.symbols),
    )
    choice = _tag_for(oldest, everything)
    # Hundreds of files need the same.
    tags = {each: _tag_for(oldest, each).tag for each in set(needs.values())}
    by_file = tuple((path, tags[each]) for path, each in sorted(needs.items()))
    levels = [(facts.path, isa_level(facts)) for facts in objects if suits(facts, oldest.architecture)]
    rows = {Because(file=path, soname="", symbol="", version=f"x86-64-v{level}") for path, level in levels if level > 1}
    # No tag promises such a processor, whatever versions it would come to.
    platform = choice.tag if not rows else None
    if platform == choice.tag:
        rows |= {row for facts in objects if facts.needed for row in _reasons(facts, bundled, choice, needs[facts.path])}
    because = tuple(sorted(rows, key=lambda row: (row.file, row.soname, row.version, row.symbol)))
    return ComputedPlatform(platform=platform, by_file=by_file, because=because)


def _tag_for(platform: PlatformId, needs: _Needs) -> TagChoice:
    # musl's symbols have no versions: nothing in a file shows that it runs on an older musl than it was judged on.
    oldest = platform.release if platform.family == "musl" else ()
    family, architecture = platform.family, platform.architecture
    return platforms.tag_for(family, architecture, needs.versions, needs.sonames, needs.symbols, oldest=oldest)


def _needs(facts: ElfFacts, bundled: set[tuple[str, str]], denied: frozenset[tuple[str, str]]) -> _Needs:
    versions = frozenset(
        version.name.decode("utf-8", "backslashreplace")
        for need in facts.version_needs
        if (facts.path, need.file) not in bundled
        for version in need.versions
    )
    sonames = frozenset(soname for soname in facts.needed if (facts.path, soname) not in bundled)
    wanted = {symbol.encode("ascii"): symbol for soname, symbol in denied if soname in sonames}
    symbols: frozenset[tuple[str, str]] = frozenset()
    if not wanted.keys().isdisjoint(facts.imports.names):
        columns = zip(facts.imports.names, facts.imports.weak, strict=True)
        strong = {wanted[name] for name, weak in columns if name in wanted and not weak}
        symbols = frozenset((soname, symbol) for soname, symbol in denied if soname in sonames and symbol in strong)
    return _Needs(versions=versions, sonames=sonames, symbols=symbols)


def _reasons(facts: ElfFacts, bundled: set[tuple[str, str]], choice: TagChoice, needs: _Needs) -> Iterable[Because]:
    """What of an object's needs the next older tag does not cover, symbol by symbol."""
    refused = {
        version.index: (need.file, name)
        for need in facts.version_needs
        if (facts.path, need.file) not in bundled
        for version in need.versions
        if (name := version.name.decode("utf-8", "backslashreplace")) in choice.versions
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
        if soname in choice.sonames and (facts.path, soname) not in bundled:
            yield Because(file=facts.path, soname=soname, symbol="", version="")
    for library, denied in choice.symbols:
        if (library, denied) in needs.symbols:
            yield Because(file=facts.path, soname=library, symbol=denied, version="")
