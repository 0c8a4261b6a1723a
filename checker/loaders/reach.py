"""Whether an object's own hash table leads to its symbols: a definition that it does not lead to does not exist for a loader.

A lookup walks filter, bucket and chain (:mod:`checker.model.hashes`). To ask for each of a hundred thousand symbols by name
would cost more than all the rest of a check, nearly all of it for hashing names. But a chain word is the hash without its
lowest bit. So a large table is verified by its words: each stands in the chain of its bucket, and the filter has its bits. That
the words are the hashes of the names is verified for some that stand for the rest.
"""

from __future__ import annotations

from itertools import accumulate, chain, repeat
from operator import and_, floordiv, mod, rshift, sub

from checker.model.hashes import gnu_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.elf import SymbolTable
    from checker.model.hashes import GnuHash

_WITHOUT_LOWEST = 0xFFFFFFFE
_FEW = 32
"""A table of so many symbols is verified name by name."""
_SAMPLE = 8
"""So many names are of a larger one."""


class Reach:
    """What one object's hash table leads to.

    Attributes:
        covered: the symbols that the table should lead to.
        is_sound: it does lead to all of them.
    """

    __slots__ = ("_chain_of", "_symbols", "_table", "covered", "is_sound")

    def __init__(self, symbols: SymbolTable) -> None:
        self._symbols = symbols
        self._table = symbols.gnu_hash
        self._chain_of: list[int] = []
        self.covered = range(0)
        self.is_sound = False
        if self._table is not None:
            first = self._table.first_symbol
            self.covered = range(first, min(first + len(self._table.chains), symbols.count))
            self.is_sound = self._verified(self._table)

    def leads_to(self, symbol: int) -> bool:
        """A lookup by the symbol's name meets the symbol."""
        if self.is_sound:
            return symbol in self.covered
        if self._table is None:
            return any(found.symbol == symbol for found in self._symbols.definitions(self._symbols.name(symbol)))
        return self._is_led_to(self._table, symbol)

    def unreachable(self, symbols: Iterable[int]) -> list[int]:
        """Those of the symbols that the table does not lead to."""
        return [symbol for symbol in symbols if not self.leads_to(symbol)]

    def _verified(self, table: GnuHash) -> bool:
        if len(self.covered) > _FEW and not (_chains_hang_right(table) and _filter_lets_pass(table)):
            return False
        step = len(self.covered) // _SAMPLE if len(self.covered) > _FEW else 1
        return all(self._is_led_to(table, symbol) for symbol in self.covered[::step])

    def _is_led_to(self, table: GnuHash, symbol: int) -> bool:
        if symbol not in self.covered:
            return False
        position = symbol - table.first_symbol
        value = gnu_hash(self._symbols.name(symbol))
        if table.chains[position] | 1 != value | 1 or not table.buckets or not table.bloom:
            return False
        bits = table.bloom_bits
        word = table.bloom[(value // bits) % len(table.bloom)]
        if not (word >> (value % bits)) & (word >> ((value >> table.bloom_shift) % bits)) & 1:
            return False
        if not self._chain_of:
            # Of each word the ordinal of the chain that it belongs to.
            self._chain_of = [0, *accumulate(map(and_, table.chains, repeat(1)))]
        start = table.buckets[value % len(table.buckets)] - table.first_symbol
        return 0 <= start <= position and self._chain_of[start] == self._chain_of[position]


def _chains_hang_right(table: GnuHash) -> bool:
    """Every chain begins where a bucket says, and has words of that bucket only; their lowest bit is unknown."""
    heads = sorted((start, bucket) for bucket, start in enumerate(table.buckets) if start)
    ends = [position for position, word in enumerate(table.chains, 1) if word & 1]
    starts = [0, *ends[:-1]] if ends else []
    if [start - table.first_symbol for start, _ in heads] != starts or (ends and ends[-1] != len(table.chains)):
        return False
    count = len(table.buckets)
    expected = chain.from_iterable(map(repeat, (bucket for _, bucket in heads), map(sub, ends, starts)))
    met = map(mod, map(and_, table.chains, repeat(_WITHOUT_LOWEST)), repeat(count))
    return set(map(sub, expected, met)) <= {0, 1, 1 - count}


def _filter_lets_pass(table: GnuHash) -> bool:
    """The filter has the bits of every chain word; for the first, which depends on the lowest bit, either neighbour will do."""
    bits, bloom = table.bloom_bits, table.bloom
    places = map(mod, map(floordiv, table.chains, repeat(bits)), repeat(len(bloom)))
    words = list(map(bloom.__getitem__, places))
    first = map(and_, table.chains, repeat((bits - 1) & _WITHOUT_LOWEST))
    second = map(and_, map(rshift, table.chains, repeat(table.bloom_shift)), repeat(bits - 1))
    return all(map(and_, map(rshift, words, first), repeat(3))) and all(map(and_, map(rshift, words, second), repeat(1)))
