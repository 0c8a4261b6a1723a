"""The verdict for every root on one exact platform."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checker.loaders import glibc
from checker.model.closure import ProviderKind
from checker.model.resolution import Load, LoadCause, LoadOutcome, Outcome, Via
from checker.resolve import (
    BEHIND_MISSING_LIBRARY,
    MISSING,
    OTHER_VERSION,
    PASSED_VERSION_FILE,
    UNKNOWN_SYMBOLS,
    Group,
    Resolver,
    ScopeFacts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.closure import Mapped, Process
    from checker.exports import Exports

Fate = tuple[int, Outcome, Via | None]
"""The object that binds (or a negative number), the outcome, and what the binding hangs on."""

_OUTCOMES = {
    MISSING: Outcome.SYMBOL_MISSING,
    OTHER_VERSION: Outcome.VERSION_MISSING,
    BEHIND_MISSING_LIBRARY: Outcome.LIBRARY_MISSING,
    PASSED_VERSION_FILE: Outcome.VERSION_MISSING,
    UNKNOWN_SYMBOLS: Outcome.UNDECIDED,
}
_FAILURES = frozenset({Outcome.SYMBOL_MISSING, Outcome.VERSION_MISSING, Outcome.LIBRARY_MISSING})


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFailure:
    """A version need that the load-time check refuses.

    Attributes:
        object: number of the object with the need.
        file: the need's file name.
        version: the version's name.
        provider: number of the object loaded under that name; -1 when there is none, which aborts the process.
    """

    object: int
    file: str
    version: bytes
    provider: int


@dataclass(slots=True, kw_only=True)
class Judgement:
    """What came out for one platform.

    Attributes:
        process: in which it was found out.
        mapped: one mapping a root, in the order of the roots.
        loads: root number → verdict.
        fates: (object, group) → fate → roots, for every group of imports of every object met.
        version_failures: failure → roots.
    """

    process: Process
    resolver: Resolver
    mapped: tuple[Mapped, ...]
    loads: dict[int, Load]
    fates: dict[tuple[int, int], dict[Fate, list[int]]]
    version_failures: dict[VersionFailure, list[int]]


def judge(process: Process, exports: Exports, roots: tuple[int, ...], executables: frozenset[int]) -> Judgement:
    """Map all roots, then resolve: what each import could bind to is known only when every library has been met."""
    mapped = tuple(process.map(root) for root in roots)
    judgement = Judgement(
        process=process, resolver=Resolver(process, exports), mapped=mapped, loads={}, fates={}, version_failures={}
    )
    vias: dict[tuple[int, int], Via] = {}
    for root in mapped:
        versions = tuple(_refused_versions(process, root))
        for failure in versions:
            judgement.version_failures.setdefault(failure, []).append(root.root)
        first_symbol = _resolve_root(judgement, root, vias)
        refusal = None if root.root in executables else _refused_object(process, root)
        judgement.loads[root.root] = _verdict(process, root, refusal, versions, first_symbol)
    return judgement


def _resolve_root(judgement: Judgement, mapped: Mapped, vias: dict[tuple[int, int], Via]) -> tuple[int, Group, Outcome] | None:
    """Bind every group of every member of a root's scope; the first failure in the order of relocation, if any."""
    process, resolver = judgement.process, judgement.resolver
    positions = resolver.scope(mapped)
    scope = scope_facts(process, mapped, positions)
    first: tuple[int, Group, Outcome] | None = None
    # Dependencies are relocated first (glibc elf/dl-open.c: from the end of the list; musl reloc_all: any order, all are tried).
    for number in reversed(mapped.order):
        if not process.is_own(number):
            continue
        for index, group in enumerate(resolver.groups(number)):
            bound = resolver.bind(number, group, positions, scope)
            fate = fate_of(judgement, mapped, number, group, bound, scope, vias)
            judgement.fates.setdefault((number, index), {}).setdefault(fate, []).append(mapped.root)
            if fate[1] in _FAILURES or fate[1] is Outcome.UNDECIDED:
                first = _graver(first, (number, group, fate[1]))
    return first


def _graver(
    first: tuple[int, Group, Outcome] | None, met: tuple[int, Group, Outcome]
) -> tuple[int, Group, Outcome]:
    """A failure outweighs what is undecided; of equals the first stays."""
    if first is None or (first[2] is Outcome.UNDECIDED and met[2] is not Outcome.UNDECIDED):
        return met
    return first


def fate_of(
    judgement: Judgement,
    mapped: Mapped,
    number: int,
    group: Group,
    bound: int,
    scope: ScopeFacts,
    vias: dict[tuple[int, int], Via],
) -> Fate:
    """What a group's lookup comes to: ``bound`` as :meth:`checker.resolve.Resolver.bind` gave it; ``vias`` remembers answers."""
    process = judgement.process
    if bound >= 0:
        via = vias.get((number, bound))
        if via is None:
            via = vias[number, bound] = _via(process, mapped, number, bound)
        return bound, Outcome.BOUND, via
    if bound == UNKNOWN_SYMBOLS and scope.unknown is not None:
        if process.entry(scope.unknown).provider is ProviderKind.DECLARED:
            return scope.unknown, Outcome.BOUND, Via.NEEDED
        return scope.unknown, Outcome.WEAK_ABSENT if group.weak else Outcome.UNDECIDED, None
    # Before 2.30 even a weak reference fails when the scan has passed its version's file (glibc elf/dl-lookup.c, bug 24741).
    if group.weak and bound != PASSED_VERSION_FILE:
        return MISSING, Outcome.WEAK_ABSENT, None
    return bound, _OUTCOMES[bound], None


def _via(process: Process, mapped: Mapped, number: int, provider: int) -> Via:
    """What a binding hangs on beyond the object's own needs."""
    if process.entry(provider).provider is ProviderKind.HOST:
        return Via.INTERPRETER
    if provider == number or provider in process.own_closure(number, mapped.chains[number]):
        return Via.NEEDED
    return Via.INTERPRETER_DEPENDENCY if provider in process.global_scope else Via.SIBLING


def scope_facts(process: Process, mapped: Mapped, positions: dict[int, int]) -> ScopeFacts:
    """What lookups in one root's scope must know besides its order."""
    unknown = next((number for number in mapped.order if not process.has_known_symbols(number)), None)
    file_positions = {
        name: positions[number] for name, number in mapped.requested.items() if number >= 0 and number in positions
    }
    return ScopeFacts(
        lacks_library=any(target < 0 for _, _, target, _ in mapped.edges), unknown=unknown, file_positions=file_positions
    )


def _refused_versions(process: Process, mapped: Mapped) -> Iterator[VersionFailure]:
    """The load-time check of version needs (glibc ``elf/dl-version.c``, ``match_symbol``); musl has none."""
    if process.is_musl:
        return
    for number in mapped.order:
        if not process.is_own(number):
            continue
        for need in process.facts(number).version_needs:
            provider = mapped.requested.get(need.file, -1)
            if provider < 0 and _is_missing(mapped, need.file):
                continue
            defined = process.defined_versions(provider) if provider >= 0 else frozenset()
            if defined is None:
                continue
            for version in need.versions:
                if provider < 0 or (version.name not in defined and not version.weak):
                    yield VersionFailure(object=number, file=need.file, version=version.name, provider=provider)


def _is_missing(mapped: Mapped, soname: str) -> bool:
    """The library was asked for and not found: that ends the load before any version is checked."""
    return any(name == soname and target < 0 for _, name, target, _ in mapped.edges)


def _refused_object(process: Process, mapped: Mapped) -> tuple[int, str] | None:
    """The first object of the closure that the loader will not map at all, and why."""
    if process.is_musl:
        return None
    for number in mapped.order:
        if process.is_own(number):
            reason = glibc.refuses_to_map(process.facts(number), process.release)
            if reason is not None:
                return number, reason
    return None


def _verdict(
    process: Process,
    mapped: Mapped,
    refusal: tuple[int, str] | None,
    versions: tuple[VersionFailure, ...],
    symbol: tuple[int, Group, Outcome] | None,
) -> Load:
    """The first thing that the loader stumbles on: mapping, then versions, then symbols (glibc ``dl_open_worker``)."""
    outcome, because = LoadOutcome.LOADS, None
    missing = next(((needer, soname) for needer, soname, target, _ in mapped.edges if target < 0), None)
    if process.baseline is None:
        outcome = LoadOutcome.UNDECIDED
        because = LoadCause(kind="undecided", object=process.facts(mapped.root).path, subject=f"no data for {process.platform}")
    elif refusal is not None:
        outcome = LoadOutcome.FAILS
        because = LoadCause(kind="property", object=process.facts(refusal[0]).path, subject=refusal[1])
    elif missing is not None:
        outcome = LoadOutcome.FAILS
        because = LoadCause(kind="library", object=process.facts(missing[0]).path, subject=missing[1])
    elif versions:
        failure = versions[0]
        outcome = LoadOutcome.ABORTS if failure.provider < 0 else LoadOutcome.FAILS
        because = LoadCause(
            kind="version",
            object=process.facts(failure.object).path,
            subject=f"{failure.version.decode('utf-8', 'backslashreplace')} of {failure.file}",
        )
    elif symbol is not None:
        number, group, fate = symbol
        facts = process.facts(number)
        outcome = LoadOutcome.UNDECIDED if fate is Outcome.UNDECIDED else LoadOutcome.FAILS
        because = LoadCause(
            kind="undecided" if fate is Outcome.UNDECIDED else "symbol",
            object=facts.path,
            subject=facts.imports.names[group.positions[0]].decode("utf-8", "backslashreplace"),
        )
    return Load(platform=process.platform, outcome=outcome, because=because)


def worst_counts(judgement: Judgement) -> Counter[tuple[Outcome, ProviderKind]]:
    """Imports by outcome and provider: each object's import once, at its worst over the roots."""
    counts: Counter[tuple[Outcome, ProviderKind]] = Counter()
    for (number, index), fates in judgement.fates.items():
        worst = max(fates, key=lambda fate: _GRAVITY[fate[1]])
        provider = judgement.process.entry(worst[0]).provider if worst[0] >= 0 else ProviderKind.NONE
        counts[worst[1], provider] += len(judgement.resolver.groups(number)[index].positions)
    return counts


_GRAVITY = {
    Outcome.BOUND: 0,
    Outcome.WEAK_ABSENT: 1,
    Outcome.UNDECIDED: 2,
    Outcome.LIBRARY_MISSING: 3,
    Outcome.VERSION_MISSING: 4,
    Outcome.SYMBOL_MISSING: 5,
}
