"""Whether an object's own hash table leads to its symbols: a definition that it does not lead to does not exist for a loader.

A lookup walks filter, bucket and chain (:mod:`checker.model.hashes`). To ask for each of a hundred thousand symbols by name would
cost more than all the rest of a check, most of it for hashing names. So single symbols are verified by their hash, and a whole
table by its structure: each chain hangs at the bucket of its hashes, and the filter has their bits.
"""

from __future__ import annotations

from itertools import accumulate, repeat
from operator import and_
from typing import TYPE_CHECKING

from checker.model.hashes import gnu_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.elf import SymbolTable
    from checker.model.hashes import GnuHash

_FEW = 32
"""So many symbols are each verified by name; of more, so many at least are, beside the structure of the table."""


class Reach:
    """Verifies a GNU hash table, symbol by symbol or as a whole."""

    def __init__(self, table: GnuHash) -> None:
        self._table = table
        self._chain_of = [0, *accumulate(map(and_, table.chains, repeat(1)))]
        """Chain word → ordinal of the chain that it belongs to."""

    def leads_to(self, symbol: int, value: int) -> bool:
        """A lookup of a name with that hash meets the symbol."""
        table = self._table
        position = symbol - table.first_symbol
        if not 0 <= position < len(table.chains) or table.chains[position] | 1 != value | 1:
            return False
        bits = table.bloom_bits
        word = table.bloom[(value // bits) % len(table.bloom)]
        if not (word >> (value % bits)) & (word >> ((value >> table.bloom_shift) % bits)) & 1:
            return False
        start = table.buckets[value % len(table.buckets)] - table.first_symbol
        return 0 <= start <= position and self._chain_of[start] == self._chain_of[position]

    def is_consistent(self) -> bool:
        """Every symbol's own chain word leads to it; the lowest bit of a hash is not in the word, so both are tried."""
        table = self._table
        heads = sorted((start, bucket) for bucket, start in enumerate(table.buckets) if start)
        starts = [start - table.first_symbol for start, _ in heads]
        ends = [position for position, word in enumerate(table.chains, 1) if word & 1]
        if starts != [0, *ends[:-1]][: len(ends)] or (ends and ends[-1] != len(table.chains)):
            return False
        return all(
            self._is_at_home(word, bucket)
            for (_, bucket), start, end in zip(heads, starts, ends, strict=True)
            for word in table.chains[start:end]
        )

    def _is_at_home(self, word: int, bucket: int) -> bool:
        table = self._table
        count, bits = len(table.buckets), table.bloom_bits
        value = word if word % count == bucket else word ^ 1
        if value % count != bucket:
            return False
        filter_word = table.bloom[(value // bits) % len(table.bloom)]
        low = filter_word >> (value % bits) if count > 1 else filter_word >> (word % bits) | filter_word >> ((word ^ 1) % bits)
        return bool(low & (filter_word >> ((value >> table.bloom_shift) % bits)) & 1)


def unreachable(symbols: SymbolTable, asked: Sequence[int]) -> list[int]:
    """Those of the asked symbols that the object's hash table may not lead to; each must be looked up by name to be sure.

    With DT_HASH alone, or none, that is all of them.
    """
    if symbols.gnu_hash is None:
        return list(asked)
    reach = Reach(symbols.gnu_hash)
    if len(asked) > _FEW and reach.is_consistent():
        step = len(asked) // _FEW
        if all(reach.leads_to(symbol, gnu_hash(symbols.name(symbol))) for symbol in asked[::step]):
            return list(_beyond(symbols.gnu_hash, asked))
    return [symbol for symbol in asked if not reach.leads_to(symbol, gnu_hash(symbols.name(symbol)))]


def _beyond(table: GnuHash, asked: Sequence[int]) -> Iterator[int]:
    """Symbols that the table does not cover."""
    end = table.first_symbol + len(table.chains)
    return (symbol for symbol in asked if not table.first_symbol <= symbol < end)
