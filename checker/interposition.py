"""Symbols that an object defines and refers to, and that the loader takes from another object of the artifact.

No import fails by it, so that resolution does not look there: such references find a definition in any case. Names are
compared by the hashes that stand in DT_GNU_HASH, since a large library has a hundred thousand exports, and only what two
objects of one scope have in common is looked at by name.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress
from operator import and_

from checker.loaders import glibc, musl
from checker.loaders.reference import Reference
from checker.model.elf import Binding, SymbolType, Use, Visibility
from checker.model.hashes import gnu_hash
from checker.model.resolution import Interposition
from checker.roots import root_kind
from checker.rules.cxx_runtime import is_cxx_runtime_symbol, is_template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.closure import Mapped, Process
    from checker.judge import Judgement
    from checker.model.elf import ElfFacts, SymbolTable

_KINDS = (SymbolType.STT_NOTYPE, SymbolType.STT_OBJECT, SymbolType.STT_FUNC, SymbolType.STT_TLS, SymbolType.STT_GNU_IFUNC)
_STRONG = bytes(info >> 4 == Binding.STB_GLOBAL and info & 15 in _KINDS for info in range(256))
_WEAK = bytes(info >> 4 == Binding.STB_WEAK for info in range(256))
_VISIBLE = bytes(other & 3 == Visibility.STV_DEFAULT for other in range(256))
_MOST_ASKED = 200
"""Names that are asked to find out how an object was made."""
_MANGLED = b"_Z"
_MOST_NAMES = 1 << 16
"""Names common to several objects that are looked at; the largest wheels have some thousands."""


_Pair = tuple[int, int]
"""The object whose definitions are passed over, and the one whose are taken."""
_Found = dict[_Pair, tuple[set[bytes], set[int]]]
"""Pair → the names concerned, and the roots in whose scope it is so."""


def interpositions(judgements: Iterable[Judgement]) -> tuple[Interposition, ...]:
    """Every (object, owner) pair with the strong symbols concerned, over all roots; sorted.

    Left out are weak and unique definitions, since inline functions and templates are meant to be merged; mangled names of
    objects in which these were made strong; the C++ runtime's own names, of which many libraries carry some; copies of one
    library (by build id); a program's copies of a library's data; objects that look at home first (DT_SYMBOLIC); symbols that a
    version keeps apart; and pairs that come about only if a root is opened before others that load the object (see
    :func:`_hangs_on_order`).
    """
    merged: dict[tuple[str, str], tuple[set[bytes], set[str]]] = {}
    for judgement in judgements:
        process = judgement.process
        scopes = {mapped.root: _members(process, mapped) for mapped in judgement.mapped}
        found = _found(judgement, scopes)
        everywhere: dict[int, set[int]] = {}
        for (number, _), (_, roots) in found.items():
            everywhere.setdefault(number, set()).update(roots)
        untouched = {
            number for root, members in scopes.items() for number in members if root not in everywhere.get(number, scopes)
        }
        for (number, owner), (names, roots) in found.items():
            if number not in untouched or not _hangs_on_order(judgement, owner, roots):
                symbols, paths = merged.setdefault((process.facts(number).path, process.entry(owner).path), (set(), set()))
                symbols |= names
                paths.update(process.facts(root).path for root in roots)
    return tuple(
        Interposition(object=path, path=owner, symbols=tuple(sorted(symbols)), roots=tuple(sorted(paths)))
        for (path, owner), (symbols, paths) in sorted(merged.items())
    )


def _found(judgement: Judgement, scopes: dict[int, tuple[int, ...]]) -> _Found:
    """What is taken in each root's scope as if it were opened first; ``scopes`` has the members of each root's, in order."""
    process = judgement.process
    found: _Found = {}
    sharing = {number for members in scopes.values() if len(members) > 1 for number in members}
    owners = _owners(process, sharing)
    if not owners:
        return found
    asking = [number for number in sharing if _takes_from_others(process, number, judgement.resolver.programs)]
    names_of = _Asking(process, scopes.values(), owners)
    asked = {number: names_of.asked(number) for number in asking}
    known: dict[tuple[int, int, bytes], bool] = {}
    for mapped in judgement.mapped:
        positions = {number: position for position, number in enumerate(scopes[mapped.root])}
        # What was there before is bound already.
        for number in mapped.new:
            for name, holders in asked.get(number, ()):
                first = min((one for one in holders if one in positions), key=positions.__getitem__)
                if first == number:
                    continue
                key = (number, first, name)
                if key not in known:
                    known[key] = _is_taken(process, number, first, name)
                if known[key]:
                    names, roots = found.setdefault((number, first), (set(), set()))
                    names.add(name)
                    roots.add(mapped.root)
    return found


def _hangs_on_order(judgement: Judgement, owner: int, roots: set[int]) -> bool:
    """The owner comes first only if these roots are opened before others, in which nobody takes the object's place.

    So it is with plugins and other libraries opened by name, and with a module that itself takes the place: a package loads
    its main library first. Programs are processes of their own.
    """
    if roots & judgement.resolver.programs:
        return False
    facts = judgement.process.facts
    return roots == {owner} or all(root_kind(facts(root)) == "library" for root in roots)


def _members(process: Process, mapped: Mapped) -> tuple[int, ...]:
    """The members of a root's scope, in the order in which they are asked."""
    return tuple(dict.fromkeys(one for one in (*mapped.global_scope, *mapped.order) if process.is_member(one)))


def _takes_from_others(process: Process, number: int, programs: frozenset[int]) -> bool:
    facts = process.facts(number)
    is_symbolic = facts.symbolic and not process.is_musl and number not in programs
    return process.is_own(number) and bool(facts.self_references) and not is_symbolic


def _owners(process: Process, numbers: Iterable[int]) -> dict[int, list[int]]:
    """Hash of a name → the objects with a strong definition of that hash, where there are several."""
    seen: set[int] = set()
    common: set[int] = set()
    hashes: dict[int, set[int]] = {}
    for number in numbers:
        mine = hashes[number] = _strong_hashes(process.facts(number).symbols)
        common |= mine & seen
        seen |= mine
    owners: dict[int, list[int]] = {}
    for number in sorted(hashes):
        for value in hashes[number] & common:
            owners.setdefault(value, []).append(number)
    return owners


def _strong_hashes(symbols: SymbolTable) -> set[int]:
    """The hashes, their lowest bit set, of the strong definitions that others can see."""
    infos, others, sections, _ = symbols.columns()
    strong = infos.translate(_STRONG)
    if 1 not in strong:
        return set()
    chosen = bytes(map(and_, map(and_, strong, others.translate(_VISIBLE)), map(bool, sections)))
    table = symbols.gnu_hash
    if table is not None:
        return {word | 1 for word in compress(table.chains, chosen[table.first_symbol :])}
    return {gnu_hash(symbols.name(symbol)) | 1 for symbol in compress(range(symbols.count), chosen)}


class _Asking:
    """Which of the symbols that an object defines and refers to are defined by others of its scopes too."""

    def __init__(self, process: Process, scopes: Iterable[tuple[int, ...]], owners: dict[int, list[int]]) -> None:
        """Of what :func:`_owners` found."""
        self._process = process
        self._owners = owners
        self._keeping_weak: dict[int, bool] = {}
        self._together: dict[int, set[int]] = {}
        for members in set(scopes):
            for number in members:
                self._together.setdefault(number, set()).update(members)

    def asked(self, number: int) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
        """(Name, the object itself and others that define it)."""
        process = self._process
        symbols = process.facts(number).symbols
        rivals = {one for one in self._together[number] if _is_another_owner(process, number, one)}
        found: list[tuple[bytes, tuple[int, ...]]] = []
        for symbol in process.facts(number).self_references:
            holders = self._owners.get(_hash_of(symbols, symbol))
            if holders is None or rivals.isdisjoint(holders) or number not in holders or not _is_strong(symbols, symbol):
                continue
            name = symbols.name(symbol)
            others = self._others(number, name, [one for one in holders if one in rivals])
            if others:
                found.append((name, (number, *others)))
                if len(found) == _MOST_NAMES:
                    break
        return tuple(found)

    def _others(self, number: int, name: bytes, holders: list[int]) -> list[int]:
        if name.startswith(_MANGLED):
            if not self._keeps_weak(number):
                return []
            holders = [one for one in holders if self._keeps_weak(one)]
        if not holders or is_cxx_runtime_symbol(name.decode("ascii", "replace")):
            return []
        return [one for one in holders if self._process.facts(one).symbols.definitions(name)]

    def _keeps_weak(self, number: int) -> bool:
        if number not in self._keeping_weak:
            self._keeping_weak[number] = _keeps_weak(self._process.facts(number).symbols)
        return self._keeping_weak[number]


def _is_strong(symbols: SymbolTable, symbol: int) -> bool:
    info, visibility, _, _ = symbols.fields(symbol)
    return bool(_STRONG[info]) and visibility == Visibility.STV_DEFAULT


def _is_another_owner(process: Process, number: int, other: int) -> bool:
    """It is another object, and no copy of the same library."""
    build_id = process.facts(number).notes.build_id
    return other != number and (build_id is None or build_id != process.facts(other).notes.build_id)


def _keeps_weak(symbols: SymbolTable) -> bool:
    """Some definition is weak, and none is strong that the Itanium C++ ABI wants merged, so that strong ones were written so.

    Link-time optimization makes inline functions, templates and what belongs to them strong. Guards of inline functions'
    statics and the names of template types can be told by their names (5.1.4, 5.2.2, 5.2.3).
    """
    infos, _, sections, _ = symbols.columns()
    if not any(compress(infos.translate(_WEAK), sections)):
        return False
    guards, types = (_names_from(symbols.strings, prefix) for prefix in (b"_ZGV", b"_ZTS"))
    return not any(_is_made_strong(symbols, name) for name in guards) and not any(
        _is_made_strong(symbols, name) and is_template(name.decode("ascii", "replace")) for name in types
    )


def _is_made_strong(symbols: SymbolTable, name: bytes) -> bool:
    return any(entry.defined and entry.binding == Binding.STB_GLOBAL for entry in symbols.definitions(name))


def _names_from(strings: bytes, prefix: bytes) -> Iterator[bytes]:
    """The first names of a string table that begin so."""
    at = strings.find(b"\0" + prefix)
    for _ in range(_MOST_ASKED):
        end = strings.find(b"\0", at + 1)
        if at < 0 or end < 0:
            return
        yield strings[at + 1 : end]
        at = strings.find(b"\0" + prefix, end)


def _hash_of(symbols: SymbolTable, symbol: int) -> int:
    table = symbols.gnu_hash
    if table is None:
        return gnu_hash(symbols.name(symbol)) | 1
    position = symbol - table.first_symbol
    return table.chains[position] | 1 if 0 <= position < len(table.chains) else -1


def _is_taken(process: Process, number: int, owner: int, name: bytes) -> bool:
    """The loader takes the owner's definition for the object's reference to its own symbol of that name."""
    reference = Reference(name=name, version=_own_version(process.facts(number), name), version_hidden=False, plt_class=False)
    entries = process.facts(owner).symbols.definitions(name)
    if process.is_musl:
        match = musl.match(reference, entries)
    else:
        match = glibc.match(reference, entries, has_versions=process.objects.has_versions(owner), release=process.release)
    taken = match.definition
    return taken is not None and taken.binding == Binding.STB_GLOBAL and not _is_copy(process.facts(owner), taken.symbol)


def _is_copy(facts: ElfFacts, symbol: int) -> bool:
    """A program's own copy of a library's data, which is meant to be taken for it (a COPY relocation)."""
    position = bisect_left(facts.self_references, symbol)
    is_there = position < len(facts.self_references) and facts.self_references[position] == symbol
    return is_there and bool(facts.self_uses[position] & Use.COPY)


def _own_version(facts: ElfFacts, name: bytes) -> bytes | None:
    """The version in which an object defines a symbol, and which its own references want (glibc ``elf/do-rel.h``)."""
    return next((one.version for one in facts.symbols.definitions(name) if one.defined and not one.hidden), None)
