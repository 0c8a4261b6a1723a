"""The verdict for every root on one exact platform."""

from __future__ import annotations

from collections import Counter

from checker.fates import Binder, Failure, Fate
from checker.model.closure import ProviderKind
from checker.model.resolution import Load, LoadCause, LoadOutcome, Outcome
from checker.refusals import (
    Refusal,
    StaticTls,
    VersionCheck,
    VersionFailure,
    mapping_refusal,
    processor_refusal,
    relocation_refusal,
)
from checker.resolve import Resolver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.closure import Mapped, Process
    from checker.exports import Exports

__all__ = ["Fate", "Judgement", "VersionFailure", "judge", "shared_objects", "worst_counts"]


class Judgement:
    """What came out for one platform.

    Attributes:
        process: in which it was found out.
        resolver: which answered.
        mapped: one mapping a root, in the order of the roots.
        loads: root number → verdict.
        fates: (object, group) → fate → roots, for every group of imports of every object met.
        version_failures: failure → roots.
    """

    __slots__ = ("binder", "fates", "loads", "mapped", "process", "resolver", "version_check", "version_failures")

    def __init__(self, process: Process, resolver: Resolver, mapped: tuple[Mapped, ...]) -> None:
        self.process = process
        self.resolver = resolver
        self.binder = Binder(process, resolver)
        self.version_check = VersionCheck(process)
        self.mapped = mapped
        self.loads: dict[int, Load] = {}
        self.fates: dict[tuple[int, int], dict[Fate, list[int]]] = {}
        self.version_failures: dict[VersionFailure, list[int]] = {}


def judge(
    process: Process, exports: Exports, roots: tuple[int, ...], executables: frozenset[int], *, lazy: bool = False
) -> Judgement:
    """Map all roots, then resolve: what each import could bind to is known only when every library has been met.

    Args:
        process: in which each root is opened by itself, after what the setup preloads.
        exports: of all its objects.
        roots: numbers of the objects to open.
        executables: those of them that are started as programs.
        lazy: open them with RTLD_LAZY; Python says RTLD_NOW.
    """
    mapped = tuple(process.map(root) for root in roots)
    judgement = Judgement(process, Resolver(process, exports, executables), mapped)
    storage = StaticTls(process)
    preloads = {
        one.mapped.root: _judge_one(judgement, one.mapped, storage, is_program=False, lazy=one.lazy)
        for one in process.preloaded
    }
    broken = next((load for load in preloads.values() if load.outcome is not LoadOutcome.LOADS), None)
    for one in mapped:
        is_program = one.root in executables
        # A root that cannot be reached fails as the preload does; one that is there already is not looked at again.
        load = broken or _judge_one(judgement, one, storage.copy(), is_program=is_program, lazy=lazy)
        judgement.loads[one.root] = preloads.get(one.root, load)
    judgement.fates = judgement.binder.collected()
    return judgement


def _judge_one(judgement: Judgement, mapped: Mapped, storage: StaticTls, *, is_program: bool, lazy: bool) -> Load:
    """The first thing that the loader stumbles on: mapping, versions, processor, then relocation (glibc ``dl_open_worker``).

    Everything is looked at nevertheless: people want to hear all at once.
    """
    process = judgement.process
    versions = judgement.version_check.refused(mapped)
    for failure in versions:
        judgement.version_failures.setdefault(failure, []).append(mapped.root)
    refused, failed = _relocate(judgement, mapped, storage, is_program=is_program, lazy=lazy)
    if process.baseline is None:
        return _undecided(process, mapped)
    mapping = mapping_refusal(process, mapped, is_program=is_program)
    if mapping is not None:
        return _refused_load(process, mapping)
    if versions:
        return _version_load(process, versions[0])
    refused = processor_refusal(process, mapped) or refused
    if failed is not None and (refused is None or failed.outcome is not Outcome.UNDECIDED):
        return _symbol_load(process, failed)
    if refused is not None:
        return _refused_load(process, refused)
    return Load(platform=process.platform, outcome=LoadOutcome.LOADS, because=None)


def _relocate(
    judgement: Judgement, mapped: Mapped, storage: StaticTls, *, is_program: bool, lazy: bool
) -> tuple[Refusal | None, Failure | None]:
    """Bind every reference of every new object; the first refusal and the first failure in the order of relocation, if any."""
    process, binder = judgement.process, judgement.binder
    machine = process.facts(mapped.root).identity.machine
    refused: Refusal | None = None
    failed: Failure | None = None
    new = set(mapped.new)
    scope = binder.scope(mapped)
    # Dependencies come first (glibc elf/dl-open.c: from the end of the list; musl reloc_all: any order, all are tried).
    for number in reversed(mapped.order):
        if number not in new or not process.is_own(number):
            continue
        bound = binder.bind(mapped, number, scope)
        if failed is None or failed.outcome is Outcome.UNDECIDED:
            met = binder.first_failure(number, bound, scope, lazy=lazy)
            failed = met if failed is None or (met is not None and met.outcome is not Outcome.UNDECIDED) else failed
        if refused is None:
            refused = relocation_refusal(process, number, machine)
        if refused is None and not is_program:
            refused = storage.place(number, binder.static_tls_targets(number, bound, scope))
    return refused, failed


def _undecided(process: Process, mapped: Mapped) -> Load:
    path = process.facts(mapped.root).path
    cause = LoadCause(kind="undecided", object=path, subject=f"no data for {process.platform}")
    return Load(platform=process.platform, outcome=LoadOutcome.UNDECIDED, because=cause)


def _refused_load(process: Process, refusal: Refusal) -> Load:
    outcome = LoadOutcome.ABORTS if refusal.aborts else LoadOutcome.FAILS
    cause = LoadCause(kind=refusal.kind, object=process.facts(refusal.object).path, subject=refusal.subject)
    return Load(platform=process.platform, outcome=outcome, because=cause)


def _version_load(process: Process, failure: VersionFailure) -> Load:
    outcome = LoadOutcome.ABORTS if failure.provider < 0 else LoadOutcome.FAILS
    subject = f"{failure.version.decode('utf-8', 'backslashreplace')} of {failure.file}"
    cause = LoadCause(kind="version", object=process.facts(failure.object).path, subject=subject)
    return Load(platform=process.platform, outcome=outcome, because=cause)


def _symbol_load(process: Process, failure: Failure) -> Load:
    outcome = LoadOutcome.FAILS
    if failure.outcome is Outcome.UNDECIDED:
        outcome = LoadOutcome.UNDECIDED
    elif failure.aborts:
        outcome = LoadOutcome.ABORTS
    cause = LoadCause(
        kind="undecided" if failure.outcome is Outcome.UNDECIDED else "symbol",
        object=process.facts(failure.object).path,
        subject=failure.symbol.decode("utf-8", "backslashreplace"),
    )
    return Load(platform=process.platform, outcome=outcome, because=cause)


def shared_objects(judgements: Iterable[Judgement]) -> frozenset[int]:
    """Numbers of the objects that roots of several judgements bring in."""
    met = Counter(number for judgement in judgements for number in {number for number, _ in judgement.fates})
    return frozenset(number for number, times in met.items() if times > 1)


def worst_counts(judgements: Sequence[Judgement]) -> Counter[tuple[Outcome, ProviderKind]]:
    """Imports by outcome and provider: each object's import once, at its worst over the roots of judgements on one platform."""
    shared = shared_objects(judgements)
    counts: Counter[tuple[Outcome, ProviderKind]] = Counter()
    several: dict[tuple[int, int], tuple[Outcome, ProviderKind]] = {}
    for judgement in judgements:
        for (number, index), fates in judgement.fates.items():
            bound, outcome, _ = max(fates, key=lambda fate: _GRAVITY[fate[1]])
            told = (outcome, judgement.process.entry(bound).provider if bound >= 0 else ProviderKind.NONE)
            positions = judgement.resolver.groups(number)[index].positions
            if number not in shared:
                counts[told] += len(positions)
                continue
            # Interpreters that differ in what is known of them group imports differently.
            for position in positions:
                before = several.setdefault((number, position), told)
                if _GRAVITY[before[0]] < _GRAVITY[outcome]:
                    several[number, position] = told
    counts.update(several.values())
    return counts


_GRAVITY = {
    Outcome.BOUND: 0,
    Outcome.WEAK_ABSENT: 1,
    Outcome.UNDECIDED: 2,
    Outcome.LIBRARY_MISSING: 3,
    Outcome.VERSION_MISSING: 4,
    Outcome.SYMBOL_MISSING: 5,
}
