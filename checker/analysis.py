"""Everything that the loaders would say of an artifact, on every platform that it promises, put together for the rules."""

from __future__ import annotations

from checker import platforms
from checker.interposition import interpositions
from checker.judge import Fate, Judgement, worst_counts
from checker.judging import Judging, RangeJudgement, judge_range
from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.platform import PlatformId
from checker.model.record import record, replace
from checker.model.resolution import (
    Interposition,
    Load,
    MissingVersion,
    Outcome,
    Resolution,
    ResolutionCounts,
    RootVerdict,
    Via,
)
from checker.roots import root_kind
from checker.rules.known_libraries import GLIBC_OF_TODAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.exports import Exports
    from checker.model.case import Promise
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts
    from checker.resolve import Group


@record
class Analysis:
    """The part of a :class:`checker.model.case.Case` that comes from resolution.

    Attributes:
        judgements: as they were made, for those who want bindings or closures of them.
        promises: with the platforms on which a verdict was taken.
        roots, libraries, resolutions, missing_versions, counts, interpositions: as in the case.
    """

    judgements: tuple[Judgement, ...]
    promises: tuple[Promise, ...]
    roots: tuple[RootVerdict, ...]
    libraries: tuple[Edge, ...]
    resolutions: tuple[Resolution, ...]
    missing_versions: tuple[MissingVersion, ...]
    counts: ResolutionCounts
    interpositions: tuple[Interposition, ...]


def analyse(
    judging: Judging, promises: Iterable[Promise], *, with_searches: bool = True, newest_in_full: bool = False
) -> Analysis:
    """Judge every root on every promised platform.

    Args:
        judging: the artifact, laid out, and what is known of platforms.
        promises: the platforms to judge on.
        with_searches: tell every place looked at of libraries that were found, too.
        newest_in_full: resolve everything on the newest platform even where no root can feel a change since the oldest.
    """
    ranges = tuple(judge_range(judging, promise, newest_in_full=newest_in_full) for promise in promises)
    judgements = tuple(judgement for one in ranges for judgement in one.judgements)
    return Analysis(
        judgements=judgements,
        promises=tuple(one.promise for one in ranges),
        roots=_merged_roots(judging, ranges, judgements),
        libraries=_merged_libraries(judgements, with_searches=with_searches),
        resolutions=_merged_resolutions(judgements, judging.exports),
        missing_versions=_merged_versions(judgements),
        counts=_counts(judgements),
        interpositions=interpositions(_on_the_first_platform(judgements)),
    )


def _merged_roots(
    judging: Judging, ranges: Iterable[RangeJudgement], judgements: tuple[Judgement, ...]
) -> tuple[RootVerdict, ...]:
    hosts = {root: one.process.host for one in reversed(judgements) for root in one.loads}
    loads: dict[int, list[Load]] = {}
    for one in ranges:
        for root, load in one.loads:
            loads.setdefault(root, []).append(load)
    verdicts = (
        RootVerdict(
            path=judging.installation.objects[root].path,
            host=root_kind(judging.installation.objects[root]),
            loads=tuple(sorted(found, key=lambda load: load.platform)),
            interpreter=host.name if (host := hosts[root]) is not None else None,
        )
        for root, found in loads.items()
    )
    return tuple(sorted(verdicts, key=lambda verdict: verdict.path))


def _merged_libraries(judgements: tuple[Judgement, ...], *, with_searches: bool) -> tuple[Edge, ...]:
    """Each (needer, soname, provider, path, how) once, with the first root by path in whose closure it is so."""
    edges: dict[tuple[int, str, ProviderKind, str | None, str], Edge] = {}
    for judgement in judgements:
        process = judgement.process
        seen: set[tuple[int, str, int, int]] = set()
        for mapped in judgement.mapped:
            for position, (needer, soname, target, how) in enumerate(mapped.edges):
                # Hundreds of roots follow the same needs. Hashing an enum member runs Python code; its identity does not.
                followed = (needer, soname, target, id(how))
                if followed in seen:
                    continue
                seen.add(followed)
                entry = process.entry(target) if target >= 0 else None
                provider = entry.provider if entry is not None else ProviderKind.NONE
                key = (needer, soname, provider, entry.path if entry is not None else None, how.value)
                if key not in edges:
                    used = _is_used(judgement, needer, target)
                    edges[key] = process.edge(mapped, position, with_search=with_searches, used=used)
    return tuple(sorted(edges.values(), key=lambda edge: (edge.needer, edge.soname, edge.path or "", edge.how.value)))


def _is_used(judgement: Judgement, needer: int, target: int) -> bool | None:
    """Some import of the needer has an acceptable definition there, whoever comes first in this or that scope."""
    if target < 0 or not judgement.process.objects.has_known_symbols(target):
        return None
    return any(target in group.candidates for group in judgement.resolver.groups(needer))


Holds = tuple[set[str], "set[PlatformId]"]
"""Member paths of the roots, and the platforms, for which something holds."""


def _merged_resolutions(judgements: tuple[Judgement, ...], exports: Exports) -> tuple[Resolution, ...]:
    """What is worth telling, each once, with the roots and platforms where it is so."""
    found: dict[_Said, dict[int, Holds]] = {}
    for judgement in judgements:
        for (number, index), fates in judgement.fates.items():
            group = judgement.resolver.groups(number)[index]
            for fate, roots in fates.items():
                if _is_notable(judgement, fate):
                    paths = {judgement.process.facts(root).path for root in roots}
                    imports = found.setdefault(_said(judgement, number, group, fate), {})
                    for position in group.positions:
                        holds = imports.setdefault(position, (set(), set()))
                        holds[0].update(paths)
                        holds[1].add(judgement.process.platform)
    merged: dict[Resolution, Holds] = {}
    for said, imports in found.items():
        for resolution, holds in _resolutions(judgements[0].process.facts(said[0]), said, imports):
            known = merged.setdefault(resolution, holds)
            known[0].update(holds[0])
            known[1].update(holds[1])
    complete = (
        replace(
            resolution,
            roots=tuple(sorted(roots)),
            platforms=tuple(sorted(platforms)),
            candidates=_candidates(judgements, exports, resolution, platforms),
        )
        for resolution, (roots, platforms) in merged.items()
    )
    return tuple(sorted(complete, key=_resolution_order))


_Said = tuple[int, Outcome, ProviderKind, "str | None", "Via | None", str]
"""What is the same for all imports of a group: object, outcome, provider and its path, by way of what, and why."""


def _said(judgement: Judgement, number: int, group: Group, fate: Fate) -> _Said:
    bound, outcome, via = fate
    entry = judgement.process.entry(bound) if bound >= 0 and outcome is Outcome.BOUND else None
    provider, path = (entry.provider, entry.path) if entry is not None else (ProviderKind.NONE, None)
    return number, outcome, provider, path, via, _reason(judgement, fate, group)


def _resolution_order(one: Resolution) -> tuple[str, bytes, bytes, str, str]:
    return one.object, one.symbol, one.version or b"", one.outcome.value, one.path or ""


def _is_notable(judgement: Judgement, fate: Fate) -> bool:
    """A failure, something undecided, or a binding that hangs on more than the object's own needs or on a mere declaration."""
    bound, outcome, via = fate
    if outcome is Outcome.WEAK_ABSENT:
        return False
    if outcome is not Outcome.BOUND:
        return True
    if via in {Via.INTERPRETER_DEPENDENCY, Via.SIBLING, Via.PRELOAD}:
        return True
    return judgement.process.entry(bound).provider is ProviderKind.DECLARED


def _resolutions(facts: ElfFacts, said: _Said, imports: dict[int, Holds]) -> Iterator[tuple[Resolution, Holds]]:
    """One for each import (by its position), still without roots and platforms."""
    _, outcome, provider, path, via, reason = said
    files = {version.index: need.file for need in facts.version_needs for version in need.versions}
    for position, holds in imports.items():
        index = facts.imports.version_indices[position]
        resolution = Resolution(
            object=facts.path,
            symbol=facts.imports.names[position],
            version=facts.symbols.version_names.get(index) if index > 1 else None,
            version_file=files.get(index),
            weak=bool(facts.imports.weak[position]),
            uses=Use(facts.imports.uses[position]),
            outcome=outcome,
            provider=provider,
            path=path,
            provider_version=None,
            via=via,
            reason=reason,
            roots=(),
            platforms=(),
            candidates=(),
        )
        yield resolution, holds


def _reason(judgement: Judgement, fate: Fate, group: Group) -> str:
    bound, outcome, _ = fate
    if outcome is Outcome.UNDECIDED and bound >= 0:
        return f"the symbols of {judgement.process.entry(bound).path} are not known"
    if outcome is Outcome.BOUND and bound >= 0 and judgement.process.entry(bound).provider is ProviderKind.DECLARED:
        return "assumed from the policy's provider; its bytes were not given"
    if outcome is Outcome.VERSION_MISSING and group.version_file is not None:
        return "before glibc 2.30 the search ends at the file that the version names"
    return ""


def _candidates(
    judgements: tuple[Judgement, ...], exports: Exports, resolution: Resolution, platforms: set[PlatformId]
) -> tuple[str, ...]:
    """Members and platform libraries that define the name of a failed import: out of its scope, or under other versions."""
    if resolution.outcome not in {Outcome.SYMBOL_MISSING, Outcome.LIBRARY_MISSING, Outcome.VERSION_MISSING}:
        return ()
    process = judgements[0].process
    names = {process.entry(number).path for number in exports.holders(resolution.symbol)}
    # Libraries lose no symbol for good: what the first and the last of the platforms have says enough.
    ends = {min(platforms), max(platforms)}
    baselines = {judgement.process.platform: judgement.process.baseline for judgement in judgements}
    for platform in ends:
        baseline = baselines[platform]
        if baseline is not None:
            names.update(baseline.definers(resolution.symbol))
    if not names and min(platforms).family == "musl":
        names.update(_glibc_definers(resolution.symbol, min(platforms).architecture))
    return tuple(sorted(names - {resolution.object}))


def _glibc_definers(symbol: bytes, architecture: str) -> tuple[str, ...]:
    """The glibc libraries that define a name which musl lacks: it was compiled against the other C library."""
    newest = platforms.newest("glibc", architecture)
    baseline = platforms.baseline(PlatformId(family="glibc", release=newest, architecture=architecture)) if newest else None
    libraries = ((soname, baseline.library(soname)) for soname in GLIBC_OF_TODAY) if baseline is not None else ()
    return tuple(soname for soname, library in libraries if library is not None and library.definitions(symbol))


def _merged_versions(judgements: tuple[Judgement, ...]) -> tuple[MissingVersion, ...]:
    found: dict[tuple[int, str, bytes, ProviderKind, str | None, bool], Holds] = {}
    for judgement in judgements:
        process = judgement.process
        for failure, roots in judgement.version_failures.items():
            aborts = failure.provider < 0
            entry = None if aborts else process.entry(failure.provider)
            provider, path = (entry.provider, entry.path) if entry is not None else (ProviderKind.NONE, None)
            holds = found.setdefault((failure.object, failure.file, failure.version, provider, path, aborts), (set(), set()))
            holds[0].update(process.facts(root).path for root in roots)
            holds[1].add(process.platform)
    objects = {number: judgements[0].process.facts(number) for number, *_ in found}
    users = {number: _users_of_versions(facts) for number, facts in objects.items()}
    complete = (
        MissingVersion(
            object=objects[number].path,
            file=file,
            version=version,
            provider=provider,
            path=path,
            symbols=users[number].get(version, ()),
            aborts=aborts,
            roots=tuple(sorted(roots)),
            platforms=tuple(sorted(platforms)),
        )
        for (number, file, version, provider, path, aborts), (roots, platforms) in found.items()
    )
    return tuple(sorted(complete, key=lambda one: (one.object, one.file, one.version)))


def _users_of_versions(facts: ElfFacts) -> dict[bytes, tuple[bytes, ...]]:
    """Version name → the imports that want it, sorted."""
    found: dict[bytes, list[bytes]] = {}
    names = facts.symbols.version_names
    for symbol, index in zip(facts.imports.names, facts.imports.version_indices, strict=True):
        if index > 1 and index in names:
            found.setdefault(names[index], []).append(symbol)
    return {version: tuple(sorted(symbols)) for version, symbols in found.items()}


def _on_the_first_platform(judgements: tuple[Judgement, ...]) -> list[Judgement]:
    return [one for one in judgements if one.process.platform == judgements[0].process.platform]


def _counts(judgements: tuple[Judgement, ...]) -> ResolutionCounts:
    """On the first platform judged of the first promise: what an artifact's imports come to where it is hardest."""
    total = worst_counts(_on_the_first_platform(judgements))
    kinds = (ProviderKind.MEMBER, ProviderKind.HOST, ProviderKind.PLATFORM, ProviderKind.DECLARED)

    def outcome(wanted: Outcome) -> int:
        return sum(count for (met, _), count in total.items() if met is wanted)

    return ResolutionCounts(
        bound=tuple((kind.value, total[Outcome.BOUND, kind]) for kind in kinds),
        weak_absent=outcome(Outcome.WEAK_ABSENT),
        version_missing=outcome(Outcome.VERSION_MISSING),
        symbol_missing=outcome(Outcome.SYMBOL_MISSING),
        library_missing=outcome(Outcome.LIBRARY_MISSING),
        undecided=outcome(Outcome.UNDECIDED),
    )
