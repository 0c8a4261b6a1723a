"""Which object defines which wanted name: the index that all resolution shares.

Only names that some object imports are indexed. A name in the string table alone proves nothing: a definition counts only where
the object's hash table leads to it, and what it is worth is the loaders' to say. Nearly all definitions are *plain*: of a kind
that every loader takes for any reference. They need no more than their names.
"""

from __future__ import annotations

from itertools import compress

from checker.loaders.reach import Reach
from checker.model.elf import Binding, SymbolType, Use, Visibility

TYPE_CHECKING = False
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
_LONGEST_NAME = 1 << 16
_MOST_OVERLAP = 8
_SELF_INFO = _PLAIN_INFO | _UNIQUE_INFO
_NOT_PLAIN = bytes(other & 3 not in _PLAIN_VISIBILITY for other in range(256))
_COPY = int(Use.COPY)


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
        reaches = [Reach(facts.symbols) for facts in objects]
        self._doubtful = tuple(map(_doubtful, objects, reaches))
        doubted = {
            facts.symbols.name(facts.self_references[position])
            for facts, positions in zip(objects, self._doubtful, strict=True)
            for position in positions
        }
        asked = wanted | doubted if doubted else wanted
        for number, (facts, reach) in enumerate(zip(objects, reaches, strict=True)):
            self._index(number, facts.symbols, reach, asked)

    def _index(self, number: int, symbols: SymbolTable, reach: Reach, wanted: set[bytes]) -> None:
        offsets, chosen = symbols.columns_of_exports()
        names = _names(symbols.strings, list(compress(offsets, chosen)))
        found = dict(zip(names, compress(range(symbols.count), chosen), strict=True))
        hits = found.keys() & wanted
        if not hits:
            return
        # A name that comes twice has several versions; a local symbol in the chain could stand before any other.
        can_be_plain = symbols.gnu_hash is not None and len(found) == len(names)
        for name in hits:
            symbol = found[name]
            if can_be_plain and _is_plain(symbols, symbol) and reach.leads_to(symbol):
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


def _names(strings: bytes, offsets: list[int]) -> list[bytes]:
    """The strings at those offsets; empty for one without an end, and where they overlap beyond what any linker does.

    Linkers merge tails, so that all together may be some times as long as the table.
    """
    find = strings.find
    ends = [find(b"\0", offset, offset + _LONGEST_NAME) for offset in offsets]
    if -1 in ends:
        ends = [max(end, offset) for end, offset in zip(ends, offsets, strict=True)]
    if sum(ends) - sum(offsets) > _MOST_OVERLAP * len(strings) + _LONGEST_NAME:
        return [b""] * len(offsets)
    return [strings[offset:end] for offset, end in zip(offsets, ends, strict=True)]


def _doubtful(facts: ElfFacts, reach: Reach) -> tuple[int, ...]:
    symbols, asked = facts.symbols, facts.self_references
    if not asked:
        return ()
    lost = set(reach.unreachable(asked))
    copies = {symbol for symbol, uses in zip(asked, facts.self_uses, strict=True) if uses & _COPY}
    odd = () if _all_find_themselves(symbols, asked) else (one for one in asked if not _finds_itself(symbols, one))
    doubtful = lost | copies | set(odd)
    return tuple(position for position, symbol in enumerate(asked) if symbol in doubtful) if doubtful else ()


def _all_find_themselves(symbols: SymbolTable, asked: Sequence[int]) -> bool:
    """Whether :func:`_finds_itself` holds for all, by column; thread-local ones are left to be asked one by one."""
    infos, others, sections, values = symbols.columns()
    if not set(map(infos.__getitem__, asked)) <= _SELF_INFO or any(map(_NOT_PLAIN.__getitem__, map(others.__getitem__, asked))):
        return False
    if _SHN_ABS in map(sections.__getitem__, asked) or 0 in map(values.__getitem__, asked):
        return False
    return symbols.versions is None or max(map(symbols.versions.__getitem__, asked)) < _HIDDEN_VERSION


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
