"""The two hash tables through which the loader finds a definition.

A definition that the table does not lead to does not exist for the loader (glibc ``elf/dl-lookup.c``, ``do_lookup_x``), so a
lookup here walks bloom filter, bucket and chain the same way. Every walk is bounded by the table's own length.
"""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_gnu_hashes: dict[bytes, int] = {}
_KNOWN_HASHES_LIMIT = 1 << 20


def gnu_hash(name: bytes) -> int:
    """The DT_GNU_HASH function (djb2 modulo 2**32); remembered, since one name is looked up in many objects."""
    known = _gnu_hashes.get(name)
    if known is not None:
        return known
    value = 5381
    for byte in name:
        value = (value * 33 + byte) & 0xFFFFFFFF
    if len(_gnu_hashes) < _KNOWN_HASHES_LIMIT:
        _gnu_hashes[name] = value
    return value


def sysv_hash(name: bytes) -> int:
    """The DT_HASH and version-name function of the gABI (figure 5-13)."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high & 0xFFFFFFFF
    return value


@record
class GnuHash:
    """DT_GNU_HASH.

    Attributes:
        buckets: first symbol of each bucket; 0 for an empty one.
        first_symbol: ``symoffset``: the lowest hashed symbol.
        bloom: the filter's words.
        bloom_bits: width of a word: 32 or 64, by the ELF class.
        bloom_shift: ``shift2``.
        chains: one word a hashed symbol, from ``first_symbol`` on; the lowest bit ends a chain.
    """

    buckets: Sequence[int]
    first_symbol: int
    bloom: Sequence[int]
    bloom_bits: int
    bloom_shift: int
    chains: Sequence[int]

    def candidates(self, name: bytes) -> list[int]:
        """Symbols whose chain word has the name's hash, in chain order; the names themselves are not compared here."""
        if not self.buckets or not self.bloom:
            return []
        value = gnu_hash(name)
        bits = self.bloom_bits
        word = self.bloom[(value // bits) % len(self.bloom)]
        if not (word >> (value % bits)) & (word >> ((value >> self.bloom_shift) % bits)) & 1:
            return []
        symbol = self.buckets[value % len(self.buckets)]
        found: list[int] = []
        if symbol < self.first_symbol:
            return found
        chains = self.chains
        wanted = value | 1
        for position in range(symbol - self.first_symbol, len(chains)):
            word = chains[position]
            if word | 1 == wanted:
                found.append(position + self.first_symbol)
            if word & 1:
                break
        return found


@record
class SysvHash:
    """DT_HASH: bucket heads and next-symbol chains; 0 (STN_UNDEF) ends a chain."""

    buckets: Sequence[int]
    chains: Sequence[int]

    def candidates(self, name: bytes) -> list[int]:
        """Symbols of the name's bucket, in chain order; the names themselves are not compared here."""
        if not self.buckets:
            return []
        symbol = self.buckets[sysv_hash(name) % len(self.buckets)]
        found: list[int] = []
        for _ in range(len(self.chains)):
            if symbol == 0 or symbol >= len(self.chains):
                break
            found.append(symbol)
            symbol = self.chains[symbol]
        return found
