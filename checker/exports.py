"""Which object defines which wanted name: the index that all resolution shares.

Only names that some object imports are indexed. Definitions are confirmed through each object's own hash table, as a lookup would
meet them; a name in the string table alone proves nothing, and a name can also be the tail of another string (linkers merge tails).
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.elf import Definition, ElfFacts, SymbolTable

Entries = tuple["Definition", ...]


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
        self._by_name: dict[bytes, dict[int, Entries]] = {}
        for number, facts in enumerate(objects):
            for name in _defined_names(facts.symbols) & wanted:
                entries = facts.symbols.definitions(name)
                if entries:
                    self._by_name.setdefault(name, {})[number] = entries

    def holders(self, name: bytes) -> dict[int, Entries]:
        """Object number → its entries of that name, in the order of its hash chain."""
        return self._by_name.get(name, {})


def _defined_names(symbols: SymbolTable) -> set[bytes]:
    """The names of all entries that are neither local nor undefined-without-value, by column."""
    offsets, chosen = symbols.columns_of_exports()
    strings = symbols.strings
    find = strings.find
    return {strings[offset : find(b"\0", offset)] for offset in compress(offsets, chosen)}
