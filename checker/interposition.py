"""Symbols that an object defines and refers to, and that the loader takes from another object of the artifact.

No import fails by it, so that resolution does not look there: such references find a definition in any case. Names are
compared by the hashes that stand in DT_GNU_HASH, since a large library has a hundred thousand exports, and only what two
objects of one scope have in common is looked at by name.
"""

from __future__ import annotations

from itertools import compress
from operator import and_

from checker.loaders import glibc, musl
from checker.loaders.reference import Reference
from checker.model.elf import Binding, SymbolType, Visibility
from checker.model.hashes import gnu_hash
from checker.model.record import record
from checker.model.resolution import Interposition
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


@record
class _Taken:
    """A definition that the loader takes in place of the object's own."""

    object: int
    owner: int
    name: bytes


def interpositions(judgements: Iterable[Judgement]) -> tuple[Interposition, ...]:
    """Every (object, owner) pair with the strong symbols concerned, over all roots; sorted.

    Left out are weak and unique definitions, since inline functions and templates are meant to be merged; mangled names of
    objects in which these were made strong; the C++ runtime's own names, of which many libraries carry some; copies of one
    library (by build id); objects that look at home first (DT_SYMBOLIC); and symbols that a version keeps apart.
    """
    found: dict[tuple[str, str], tuple[set[bytes], set[str]]] = {}
    for judgement in judgements:
        process = judgement.process
        for root, taken in _taken(judgement):
            entry = process.entry(taken.owner)
            symbols, roots = found.setdefault((process.facts(taken.object).path, entry.path), (set(), set()))
            symbols.add(taken.name)
            roots.add(process.facts(root).path)
    return tuple(
        Interposition(object=path, path=owner, symbols=tuple(sorted(symbols)), roots=tuple(sorted(roots)))
        for (path, owner), (symbols, roots) in sorted(found.items())
    )


def _taken(judgement: Judgement) -> Iterator[tuple[int, _Taken]]:
    """(root, what is taken) for every root."""
    process = judgement.process
    scopes = {mapped.root: _members(process, mapped) for mapped in judgement.mapped}
    sharing = {number for members in scopes.values() if len(members) > 1 for number in members}
    if not sharing:
        return
    owners = _owners(process, sharing)
    if not owners:
        return
    asking = [number for number in sharing if _takes_from_others(process, number, judgement.resolver.programs)]
    keeping_weak: dict[int, bool] = {}
    asked = {number: _asked(process, number, owners, keeping_weak) for number in asking}
    known: dict[tuple[int, int, bytes], bool] = {}
    for root, members in scopes.items():
        positions = {number: position for position, number in enumerate(members)}
        for number in members:
            for name, holders in asked.get(number, ()):
                first = min((one for one in holders if one in positions), key=positions.__getitem__)
                if first == number:
                    continue
                key = (number, first, name)
                if key not in known:
                    known[key] = _is_taken(process, number, first, name)
                if known[key]:
                    yield root, _Taken(object=number, owner=first, name=name)


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


def _asked(
    process: Process, number: int, owners: dict[int, list[int]], keeping_weak: dict[int, bool]
) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    """The strong symbols that an object defines and refers to and that others define too: (name, all who do).

    Args:
        process: in which they are asked for.
        number: the object.
        owners: as :func:`_owners` has them.
        keeping_weak: what is known of :func:`_keeps_weak`, filled as objects are asked.
    """

    def merges(one: int) -> bool:
        if one not in keeping_weak:
            keeping_weak[one] = _keeps_weak(process.facts(one).symbols)
        return not keeping_weak[one]

    symbols = process.facts(number).symbols
    shared: list[tuple[int, list[int]]] = []
    for symbol in process.facts(number).self_references:
        holders = owners.get(_hash_of(symbols, symbol))
        if holders is not None and number in holders and _is_strong(symbols, symbol):
            shared.append((symbol, holders))
    rivals = {one for _, holders in shared for one in holders if _is_another_owner(process, number, one)}
    asked: list[tuple[bytes, tuple[int, ...]]] = []
    for symbol, holders in shared[:_MOST_NAMES]:
        name = symbols.name(symbol)
        if is_cxx_runtime_symbol(name.decode("ascii", "replace")):
            continue
        others = [one for one in holders if one in rivals and process.facts(one).symbols.definitions(name)]
        if name.startswith(_MANGLED):
            others = [one for one in others if not merges(one)] if not merges(number) else []
        if others:
            asked.append((name, (number, *others)))
    return tuple(asked)


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
    return not any(
        entry.defined and entry.binding == Binding.STB_GLOBAL
        for prefix in (b"_ZGV", b"_ZTS")
        for name in _names_from(symbols.strings, prefix)
        if prefix == b"_ZGV" or is_template(name.decode("ascii", "replace"))
        for entry in symbols.definitions(name)
    )


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
    return match.definition is not None and match.definition.binding == Binding.STB_GLOBAL


def _own_version(facts: ElfFacts, name: bytes) -> bytes | None:
    """The version in which an object defines a symbol, and which its own references want (glibc ``elf/do-rel.h``)."""
    return next((one.version for one in facts.symbols.definitions(name) if one.defined and not one.hidden), None)
