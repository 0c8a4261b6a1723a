"""What each object's references come to in each root's scope, with equal scopes answered once."""

from __future__ import annotations

from checker.loaders import glibc, musl
from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.record import record
from checker.model.resolution import Outcome, Via
from checker.refusals import reaches_static_tls
from checker.resolve import (
    ABORTED,
    BEHIND_MISSING_LIBRARY,
    MISSING,
    OTHER_VERSION,
    PASSED_VERSION_FILE,
    UNKNOWN_SYMBOLS,
    Scope,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.closure import Mapped, Process
    from checker.model.elf import ElfFacts
    from checker.resolve import Group, Resolver

Fate = tuple[int, Outcome, "Via | None"]
"""The object that binds (or a negative number), the outcome, and what the binding hangs on."""

_OUTCOMES = {
    MISSING: Outcome.SYMBOL_MISSING,
    OTHER_VERSION: Outcome.VERSION_MISSING,
    BEHIND_MISSING_LIBRARY: Outcome.LIBRARY_MISSING,
    PASSED_VERSION_FILE: Outcome.VERSION_MISSING,
    ABORTED: Outcome.VERSION_MISSING,
    UNKNOWN_SYMBOLS: Outcome.UNDECIDED,
}
_UNFORGIVEN = frozenset({PASSED_VERSION_FILE, ABORTED})
"""What even a weak reference does not survive: the early end of a scan before glibc 2.30 (bug 24741), and an abort."""
_UNSATISFIED = frozenset({Outcome.SYMBOL_MISSING, Outcome.VERSION_MISSING, Outcome.LIBRARY_MISSING, Outcome.UNDECIDED})


@record
class Failure:
    """A reference that is not satisfied.

    Attributes:
        object: number of the object that refers.
        symbol: its name.
        outcome: one of the failures, or UNDECIDED.
        aborts: the process dies of it.
    """

    object: int
    symbol: bytes
    outcome: Outcome
    aborts: bool


class Bound:
    """What an object's groups of imports come to in one kind of scope.

    Attributes:
        fates: one for each group.
        failed: positions of the groups that are not satisfied.
        roots: in whose scopes it is so.
    """

    __slots__ = ("failed", "fates", "roots")

    def __init__(self, fates: tuple[Fate, ...]) -> None:
        self.fates = fates
        self.failed = tuple(index for index, fate in enumerate(fates) if fate[1] in _UNSATISFIED)
        self.roots: list[int] = []


class Binder:
    """Binds references in one process, and remembers who owns which UNIQUE name."""

    def __init__(self, process: Process, resolver: Resolver, *, all_references: bool = False) -> None:
        """Bind imports; with ``all_references`` also what objects refer to and define themselves."""
        self._process = process
        self._resolver = resolver
        self.groups = resolver.all_groups if all_references else resolver.groups
        self._bound: dict[tuple[object, ...], Bound] = {}
        self._bound_alone: list[tuple[int, Bound]] = []
        self._relevant: dict[int, tuple[frozenset[int], tuple[str, ...]]] = {}
        self._vias: dict[tuple[int, int, int], Via] = {}
        self._owners: dict[bytes, int] = {}
        """STB_GNU_UNIQUE name → the object first bound; glibc keeps one such table for all (``do_lookup_unique``)."""
        self._preloads = {one.mapped.root for one in process.preloaded}

    def scope(self, mapped: Mapped) -> RootScope:
        """The scope of a root, as its objects' lookups meet it."""
        is_preload = mapped.root in self._preloads
        return RootScope(self._process, mapped, self._owners if is_preload else dict(self._owners))

    def bind(self, mapped: Mapped, number: int, scope: RootScope) -> Bound:
        """The fates of an object's imports in one scope."""
        if self._resolver.tracks_unique or scope.crash is not None:
            bound = Bound(tuple(self._fates(mapped, number, scope)))
            self._bound_alone.append((number, bound))
        else:
            key = self._signature(mapped, number, scope)
            known = self._bound.get(key)
            if known is None:
                known = self._bound[key] = Bound(tuple(self._fates(mapped, number, scope)))
            bound = known
        bound.roots.append(mapped.root)
        return bound

    def _signature(self, mapped: Mapped, number: int, scope: RootScope) -> tuple[object, ...]:
        """All that an object's fates depend on: the order of the objects that matter to it, and where its scope has gaps."""
        known = self._relevant.get(number)
        if known is None:
            known = self._relevant[number] = self._relevance(number)
        objects, files = known
        positions = scope.positions
        loaded = tuple(scope.files.get(file, -1) for file in files)
        # Where the scan ends at a file, its place in the order matters too.
        relevant = objects.union(loaded) if loaded else objects
        order = sorted(relevant & positions.keys(), key=positions.__getitem__)
        return (number, mapped.chains[number], scope.lacks_library, scope.unknown, loaded, *order)

    def _relevance(self, number: int) -> tuple[frozenset[int], tuple[str, ...]]:
        objects = {number}
        files: dict[str, None] = {}
        for group in self.groups(number):
            objects.update(group.candidates, group.other_version)
            if group.version_file is not None:
                files[group.version_file] = None
        return frozenset(objects), tuple(files)

    def _fates(self, mapped: Mapped, number: int, scope: RootScope) -> Iterator[Fate]:
        for group in self.groups(number):
            yield self.fate(mapped, number, group, scope)

    def fate(self, mapped: Mapped, number: int, group: Group, scope: RootScope) -> Fate:
        """What one group's lookup comes to."""
        bound = self._resolver.bind(number, group, scope)
        if bound >= 0:
            if group.unique is not None and bound in group.unique_in:
                # A definition that is not UNIQUE itself binds without a look at the table (``do_lookup_x``).
                bound = scope.owners.setdefault(group.unique, bound)
            return bound, Outcome.BOUND, self._via(mapped, number, bound)
        if bound == UNKNOWN_SYMBOLS and group.interpreter:
            return self._process.global_scope[0], Outcome.WEAK_ABSENT if group.weak else Outcome.UNDECIDED, None
        if bound == UNKNOWN_SYMBOLS and scope.unknown is not None:
            if self._process.entry(scope.unknown).provider is ProviderKind.DECLARED:
                return scope.unknown, Outcome.BOUND, Via.NEEDED
            return scope.unknown, Outcome.WEAK_ABSENT if group.weak else Outcome.UNDECIDED, None
        if group.weak and bound not in _UNFORGIVEN:
            return MISSING, Outcome.WEAK_ABSENT, None
        return bound, _OUTCOMES[bound], None

    def _via(self, mapped: Mapped, number: int, provider: int) -> Via:
        """What a binding hangs on beyond the object's own needs."""
        chain = mapped.chains[number]
        known = self._vias.get((number, provider, chain))
        if known is None:
            process = self._process
            if process.entry(provider).provider is ProviderKind.HOST or provider == process.program:
                known = Via.INTERPRETER
            elif provider == number or process.own_closure(number, chain) >> provider & 1:
                known = Via.NEEDED
            elif provider in process.before_root:
                known = Via.PRELOAD
            else:
                known = Via.INTERPRETER_DEPENDENCY if provider in process.global_scope else Via.SIBLING
            self._vias[number, provider, chain] = known
        return known

    def collected(self) -> dict[tuple[int, int], dict[Fate, list[int]]]:
        """(object, group) → fate → roots, of everything that was bound."""
        fates: dict[tuple[int, int], dict[Fate, list[int]]] = {}
        shared = [(key[0], bound) for key, bound in self._bound.items() if isinstance(key[0], int)]
        for number, bound in (*shared, *self._bound_alone):
            for index, fate in enumerate(bound.fates):
                fates.setdefault((number, index), {}).setdefault(fate, []).extend(bound.roots)
        return fates

    # What is not told of groups of imports

    def first_failure(self, number: int, bound: Bound, scope: RootScope, *, lazy: bool) -> Failure | None:
        """The first reference of an object that ends the load; what is undecided only if nothing else does."""
        facts = self._process.facts(number)
        undecided: Failure | None = None
        for failure in self._failures(facts, number, bound, scope, lazy=lazy and not facts.bind_now):
            if failure.outcome is not Outcome.UNDECIDED:
                return failure
            undecided = undecided or failure
        return undecided

    def _failures(self, facts: ElfFacts, number: int, bound: Bound, scope: RootScope, *, lazy: bool) -> Iterator[Failure]:
        groups = self._resolver.groups(number)
        for index in bound.failed:
            met, outcome, _ = bound.fates[index]
            for position in groups[index].positions:
                if not (lazy and self._may_wait(met, facts, facts.imports.symbols[position], facts.imports.uses[position])):
                    yield Failure(object=number, symbol=facts.imports.names[position], outcome=outcome, aborts=met == ABORTED)
                    break
        for group in self._resolver.doubtful_self_groups(number):
            met, outcome, _ = self.fate(scope.mapped, number, group, scope)
            for position in group.positions if outcome in _UNSATISFIED else ():
                if not (lazy and self._may_wait(met, facts, facts.self_references[position], facts.self_uses[position])):
                    name = facts.symbols.name(facts.self_references[position])
                    yield Failure(object=number, symbol=name, outcome=outcome, aborts=met == ABORTED)
                    break

    def _may_wait(self, met: int, facts: ElfFacts, symbol: int, uses: int) -> bool:
        if self._process.is_musl:
            # musl looks everything up at once, and crashes in the lookup.
            return met != ABORTED and musl.may_wait(uses)
        return glibc.may_wait(uses, self._process.release, facts.identity.machine, facts.symbols.other(symbol))

    def static_tls_targets(self, number: int, bound: Bound, scope: RootScope) -> list[int]:
        """The objects whose thread-local storage an object's relocations reach by a fixed offset."""
        facts = self._process.facts(number)
        if not reaches_static_tls(facts):
            return []
        targets: dict[int, None] = {}
        for group, fate in zip(self._resolver.groups(number), bound.fates, strict=True):
            if any(facts.imports.uses[position] & Use.TLS_OFFSET for position in group.positions):
                targets[fate[0]] = None
        at_home = [position for position, uses in enumerate(facts.self_uses) if uses & Use.TLS_OFFSET]
        for group in self._resolver.self_groups(number, at_home):
            targets[self.fate(scope.mapped, number, group, scope)[0]] = None
        # Where no symbol is reached so, the relocations have none, and mean the object's own storage.
        return list(targets) or [number]


class RootScope(Scope):
    """A root's scope, and who owns which UNIQUE name in its process."""

    __slots__ = ("mapped", "owners")

    def __init__(self, process: Process, mapped: Mapped, owners: dict[bytes, int]) -> None:
        super().__init__(process, mapped)
        self.mapped = mapped
        self.owners = owners
