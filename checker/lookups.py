"""The lookups of a few symbols, told step by step: which objects were asked in which order, and what each had."""

from __future__ import annotations

from checker.exports import Exports
from checker.fates import Binder
from checker.model.closure import ProviderKind
from checker.model.elf import Binding, Use, Visibility
from checker.model.record import record, replace
from checker.model.resolution import Lookup, Met, Outcome
from checker.resolve import ABORTED, PASSED_VERSION_FILE, Resolver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.closure import Process
    from checker.fates import Fate, RootScope
    from checker.judge import Judgement
    from checker.model.elf import Definition
    from checker.model.platform import PlatformId
    from checker.resolve import Group

_BINDABLE = frozenset({Binding.STB_GLOBAL, Binding.STB_WEAK, Binding.STB_GNU_UNIQUE})
_HIDDEN = frozenset({Visibility.STV_HIDDEN, Visibility.STV_INTERNAL})
DEFINES = "defines it"


@record
class _Reference:
    """One reference of one object, with the group whose fate it has."""

    number: int
    group: Group
    symbol: bytes
    version: bytes | None
    uses: int


def lookups(judgements: Iterable[Judgement], names: Iterable[bytes]) -> tuple[Lookup, ...]:
    """Every lookup of these names by the artifact's own objects, on every platform judged; equal ones are told once."""
    wanted = set(names)
    by_platform: dict[tuple[PlatformId, Lookup], set[str]] = {}
    ways: dict[tuple[PlatformId, Lookup, str], tuple[tuple[Met, ...], tuple[Met, ...]]] = {}
    for judgement in judgements if wanted else ():
        platform = judgement.process.platform
        for root, told in _Telling(judgement, wanted).each():
            bare = replace(told, met=(), later=())
            by_platform.setdefault((platform, bare), set()).add(root)
            ways[platform, bare, root] = told.met, told.later
    merged: dict[tuple[Lookup, tuple[str, ...]], list[PlatformId]] = {}
    for (platform, bare), roots in by_platform.items():
        merged.setdefault((bare, tuple(sorted(roots))), []).append(platform)
    found = []
    for (bare, root_paths), platforms in merged.items():
        met, later = ways[max(platforms), bare, root_paths[0]]
        found.append(replace(bare, roots=root_paths, platforms=tuple(sorted(platforms)), met=met, later=later))
    return tuple(sorted(found, key=lambda one: (one.object, one.symbol, one.version or b"", one.platforms, one.roots)))


class _Telling:
    """The lookups of one judgement."""

    def __init__(self, judgement: Judgement, wanted: set[bytes]) -> None:
        self._judgement = judgement
        self._process: Process = judgement.process
        self._wanted = wanted
        objects = self._process.installation.objects
        self._exports = Exports(objects, wanted)
        self._resolver = Resolver(self._process, self._exports, judgement.resolver.programs)
        self._binder = Binder(self._process, self._resolver)
        self._references = {number: tuple(self._references_of(number)) for number in range(self._process.installation.own)}

    def each(self) -> Iterator[tuple[str, Lookup]]:
        """(root, lookup without roots and platforms), in the order in which the loader relocates."""
        process = self._process
        before = (() if process.start is None else (process.start,)) + tuple(one.mapped for one in process.preloaded)
        for mapped in (*before, *self._judgement.mapped):
            new = set(mapped.new)
            scope = self._binder.scope(mapped)
            for number in reversed(mapped.order):
                if number in new and process.is_own(number):
                    for reference in self._references[number]:
                        fate = self._binder.fate(mapped, number, reference.group, scope)
                        yield self._path(mapped.root), self._told(scope, reference, fate)

    def _references_of(self, number: int) -> Iterator[_Reference]:
        facts = self._process.facts(number)
        imports, symbols = facts.imports, facts.symbols
        if not self._wanted.isdisjoint(imports.names):
            for group in self._resolver.groups(number):
                for position in group.positions:
                    name, index = imports.names[position], imports.version_indices[position]
                    if name in self._wanted:
                        version = symbols.version_names.get(index) if index > 1 else None
                        yield _Reference(number=number, group=group, symbol=name, version=version, uses=imports.uses[position])
        own = [position for position, symbol in enumerate(facts.self_references) if symbols.name(symbol) in self._wanted]
        for group in self._resolver.self_groups(number, own):
            for position in group.positions:
                entry = facts.self_references[position]
                version = symbols.definition(entry).version
                yield _Reference(
                    number=number, group=group, symbol=symbols.name(entry), version=version, uses=facts.self_uses[position]
                )

    def _told(self, scope: RootScope, reference: _Reference, fate: Fate) -> Lookup:
        bound, outcome, via = fate
        is_bound = outcome is Outcome.BOUND and bound >= 0
        entry = self._process.entry(bound) if is_bound else None
        met, later = self._way(scope, reference, fate)
        return Lookup(
            object=self._path(reference.number),
            symbol=reference.symbol,
            version=reference.version,
            weak=reference.group.weak,
            uses=Use(reference.uses),
            outcome=outcome,
            provider=entry.provider if entry is not None else ProviderKind.NONE,
            path=entry.path if entry is not None else None,
            provider_version=self._resolver.version_taken(reference.symbol, reference.version, bound) if is_bound else None,
            via=via,
            rule=self._rule(reference, fate, scope),
            roots=(),
            platforms=(),
            met=met,
            later=later,
        )

    def _path(self, number: int) -> str:
        return self._process.entry(number).path

    # The way through the scope

    def _way(self, scope: RootScope, reference: _Reference, fate: Fate) -> tuple[tuple[Met, ...], tuple[Met, ...]]:
        """What was asked, and who would have had it behind that."""
        order = sorted(scope.positions, key=scope.positions.__getitem__)
        if self._looks_at_home_first(reference.number):
            order.remove(reference.number)
            order.insert(0, reference.number)
        candidates = set(reference.group.candidates)
        if reference.group.copy:
            candidates.discard(reference.number)
        last = next((place for place, number in enumerate(order) if number in candidates), len(order) - 1)
        if fate[0] == PASSED_VERSION_FILE:
            file = scope.files.get(reference.group.version_file or "", -1)
            last = min(last, order.index(file)) if file in scope.positions else last
        met = tuple(self._met(number, reference, candidates) for number in order[: last + 1])
        behind = (number for number in order[last + 1 :] if number in candidates)
        return met, tuple(self._met(number, reference, candidates) for number in behind)

    def _looks_at_home_first(self, number: int) -> bool:
        process = self._process
        return process.facts(number).symbolic and not process.is_musl and number not in self._resolver.programs

    def _met(self, number: int, reference: _Reference, candidates: set[int]) -> Met:
        entry = self._process.entry(number)
        return Met(provider=entry.provider, path=entry.path, note=self._note(number, reference, candidates))

    def _note(self, number: int, reference: _Reference, candidates: set[int]) -> str:
        process = self._process
        if number in candidates:
            version = self._resolver.version_taken(reference.symbol, reference.version, number)
            return f"{DEFINES}, version {_text(version)}" if version else DEFINES
        if not process.objects.has_known_symbols(number):
            return "its symbols are not known"
        entries = self._entries(number, reference.symbol)
        if number in reference.group.other_version:
            versions = sorted({_text(entry.version) for entry in entries if entry.version is not None})
            return f"has it in other versions only: {', '.join(versions)}"
        if reference.group.copy and number == reference.number:
            return "passed over: a COPY relocation asks all others"
        if not entries:
            return "defines it, but its hash table does not lead there" if self._is_lost(number, reference.symbol) else ""
        return self._why_not(entries)

    def _entries(self, number: int, name: bytes) -> tuple[Definition, ...]:
        process = self._process
        if process.is_member(number):
            return tuple(self._exports.holders(name).get(number, ()))
        library = process.objects.library(number)
        return tuple(library.definitions(name)) if library is not None else ()

    def _is_lost(self, number: int, name: bytes) -> bool:
        """The symbol table has a definition to which no hash chain leads."""
        if not self._process.is_own(number):
            return False
        facts = self._process.facts(number)
        return any(facts.symbols.name(symbol) == name for symbol in facts.self_references)

    def _why_not(self, entries: tuple[Definition, ...]) -> str:
        """Why none of an object's entries counts (``check_match``; musl ``find_sym2``)."""
        defined = [entry for entry in entries if entry.defined]
        if not defined:
            return ""
        if all(entry.visibility in _HIDDEN for entry in defined) and not self._process.is_musl:
            return "passed over: its definition is hidden (STV_HIDDEN)"
        if all(entry.binding not in _BINDABLE for entry in defined):
            return "passed over: its definition is local"
        if all(entry.hidden for entry in defined):
            return "passed over: it has old versions only, which nothing new binds to"
        if all(entry.value == 0 for entry in defined):
            return "passed over: its definition has the value 0"
        return "passed over: its definition is of a kind that the loader does not take"

    # Why

    def _rule(self, reference: _Reference, fate: Fate, scope: RootScope) -> str:
        """The rule that decided, where it was not the order of the scope."""
        bound, outcome, _ = fate
        if outcome is Outcome.BOUND:
            return self._why_bound(reference, bound, scope)
        if bound == PASSED_VERSION_FILE:
            return "before glibc 2.30 a versioned lookup ends at the file that the version need names"
        if bound == ABORTED and self._process.is_musl:
            return "musl's lookup crashes in an object without a hash table"
        if bound == ABORTED:
            return "before glibc 2.41 the loader aborts where the file that the version need names has no versions"
        return ""

    def _why_bound(self, reference: _Reference, bound: int, scope: RootScope) -> str:
        if reference.group.protected:
            return "STV_PROTECTED: the reference stays with its own object"
        if reference.group.unique is not None and bound not in scope.positions:
            return "STB_GNU_UNIQUE: whoever bound the name first in the process keeps it"
        if bound == reference.number and self._looks_at_home_first(bound):
            return "DT_SYMBOLIC: the object looks at its own definitions first"
        return ""


def _text(version: bytes | None) -> str:
    return (version or b"").decode("utf-8", "backslashreplace")
