"""Which object defines which wanted name: the index that all resolution shares.

Only names that some object imports are indexed. A name in the string table alone proves nothing: a definition counts only where
the object's hash table leads to it, and what it is worth is the loaders' to say. Nearly all definitions are *plain*: of a kind
that every loader takes for any reference. They need no more than their names.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from checker.loaders.reach import Reach, unreachable
from checker.model.elf import Binding, SymbolType, Use, Visibility
from checker.model.hashes import gnu_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from checker.model.elf import Definition, ElfFacts, SymbolTable

Entries = tuple["Definition", ...]

_TYPES = (SymbolType.STT_NOTYPE, SymbolType.STT_OBJECT, SymbolType.STT_FUNC, SymbolType.STT_COMMON)
_BINDINGS = (Binding.STB_GLOBAL, Binding.STB_WEAK)
_PLAIN_INFO = frozenset(binding << 4 | kind for binding in _BINDINGS for kind in _TYPES)
_PLAIN_VISIBILITY = frozenset({Visibility.STV_DEFAULT, Visibility.STV_PROTECTED})
_PLAIN_VERSIONS = frozenset({0, 1})
_THREAD_LOCAL_INFO = frozenset(binding << 4 | SymbolType.STT_TLS for binding in _BINDINGS)
_UNIQUE_INFO = frozenset(Binding.STB_GNU_UNIQUE << 4 | kind for kind in _TYPES)
_HIDDEN_VERSION = 0x8000
_SHN_ABS = 0xFFF1


def wanted_names(objects: Iterable[ElfFacts]) -> set[bytes]:
    """The names of all imports that some relocation uses."""
    wanted: set[bytes] = set()
    for facts in objects:
        wanted.update(compress(facts.imports.names, facts.imports.uses))
    return wanted


class Exports:
    """For each wanted name, the members that define it."""

    def __init__(self, objects: tuple[ElfFacts, ...], wanted: set[bytes]) -> None:
        """Index ``objects``; their numbers are their positions."""
        self._objects = objects
        self._plain: dict[bytes, list[int]] = {}
        self._other: dict[bytes, dict[int, Entries]] = {}
        self.canonical: set[bytes] = set()
        """Names under which some object has an undefined entry with a value: a program's canonical PLT entry."""
        self._doubtful = tuple(map(_doubtful, objects))
        doubted = {
            facts.symbols.name(facts.self_references[position])
            for facts, positions in zip(objects, self._doubtful, strict=True)
            for position in positions
        }
        for number, facts in enumerate(objects):
            self._index(number, facts.symbols, wanted | doubted if doubted else wanted)

    def _index(self, number: int, symbols: SymbolTable, wanted: set[bytes]) -> None:
        offsets, chosen = symbols.columns_of_exports()
        find, strings = symbols.strings.find, symbols.strings
        names = [strings[offset : find(b"\0", offset)] for offset in compress(offsets, chosen)]
        found = dict(zip(names, compress(range(symbols.count), chosen), strict=True))
        hits = found.keys() & wanted
        if not hits:
            return
        # A name that comes twice has several versions; a local symbol in the chain could stand before any other.
        reach = Reach(symbols.gnu_hash) if symbols.gnu_hash is not None and len(found) == len(names) else None
        for name in hits:
            symbol = found[name]
            if reach is not None and _is_plain(symbols, symbol) and reach.leads_to(symbol, gnu_hash(name)):
                self._plain.setdefault(name, []).append(number)
                continue
            entries = symbols.definitions(name)
            if entries:
                self._other.setdefault(name, {})[number] = entries
                if not all(entry.defined for entry in entries):
                    self.canonical.add(name)

    def plain(self, name: bytes) -> Sequence[int]:
        """Objects that define it with one entry of default version, which every loader takes for any reference.

        Every reference but one whose need of a version is hidden (bit 15 of ``vna_other``).
        """
        return self._plain.get(name, ())

    def other(self, name: bytes) -> Mapping[int, Entries]:
        """Object → entries of that name, in the order of its hash chain, for the objects not told by :meth:`plain`."""
        return self._other.get(name, {})

    def holders(self, name: bytes) -> dict[int, Entries]:
        """Object → its entries of that name, in the order of its hash chain, for all objects that have any."""
        holders = {number: self._objects[number].symbols.definitions(name) for number in self.plain(name)}
        holders.update(self.other(name))
        return dict(sorted(holders.items()))

    def doubtful(self, number: int) -> tuple[int, ...]:
        """Positions in the object's ``self_references`` of those that might not find themselves in it, copies of data included.

        Such a lookup must be done; any other finds a definition in its own object if not in an earlier one.
        """
        return self._doubtful[number]


def _doubtful(facts: ElfFacts) -> tuple[int, ...]:
    symbols, asked = facts.symbols, facts.self_references
    if not asked:
        return ()
    lost = set(unreachable(symbols, asked))
    return tuple(
        position
        for position, (symbol, uses) in enumerate(zip(asked, facts.self_uses, strict=True))
        if symbol in lost or uses & Use.COPY or not _finds_itself(symbols, symbol)
    )


def _is_plain(symbols: SymbolTable, symbol: int) -> bool:
    """A global or weak definition with an address, visible, of a kind that every loader takes, without a version's name."""
    if symbols.versions is not None and symbols.versions[symbol] not in _PLAIN_VERSIONS:
        return False
    info, visibility, section, value = symbols.fields(symbol)
    return bool(info in _PLAIN_INFO and visibility in _PLAIN_VISIBILITY and section and section != _SHN_ABS and value)


def _finds_itself(symbols: SymbolTable, symbol: int) -> bool:
    """A definition that a reference of its own object takes, if the hash table leads to it."""
    if symbols.versions is not None and symbols.versions[symbol] & _HIDDEN_VERSION:
        return False
    info, visibility, section, value = symbols.fields(symbol)
    if visibility not in _PLAIN_VISIBILITY or section == _SHN_ABS:
        return False
    return info in _THREAD_LOCAL_INFO or bool((info in _PLAIN_INFO or info in _UNIQUE_INFO) and value)
