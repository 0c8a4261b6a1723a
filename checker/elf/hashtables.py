"""DT_HASH and DT_GNU_HASH, which lead the loader to definitions and which alone tell how many symbols there are."""

from __future__ import annotations

from struct import Struct

from checker.elf.dynamic import DT_GNU_HASH, DT_HASH, table
from checker.model.elf import ElfReadError, Machine
from checker.model.hashes import GnuHash, SysvHash
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from checker.elf.dynamic import Dynamic
    from checker.elf.source import Source

_GNU = "the GNU hash table"
_SYSV = "the SysV hash table"
_ENDS_CHAIN = bytes(value & 1 for value in range(256))
MOST_SYMBOLS = 1 << 22
"""Symbols, hash buckets and filter words that are read at most: some eight times those of the largest libraries in wheels."""
_FIRST_BLOCK = 64
_LARGEST_BLOCK = 1 << 16


@record
class HashTables:
    """Both tables, each ``None`` where the file has none, and the number of symbols that they tell; 0 where neither does."""

    gnu: GnuHash | None
    sysv: SysvHash | None
    symbol_count: int


def read_hash_tables(source: Source, dynamic: Dynamic, machine: Machine, symbol_limit: int) -> HashTables:
    """The hash tables.

    The number of symbols is DT_HASH's ``nchain``, or the end of the chain that begins at DT_GNU_HASH's highest bucket. A GNU
    table without any export tells only ``symoffset``; some linkers let it cover the undefined symbols, others do not.

    Args:
        source: the file.
        dynamic: its dynamic section.
        machine: two machines write DT_HASH in words of 64 bits.
        symbol_limit: more symbols than this cannot lie where DT_SYMTAB points.

    Raises:
        ElfReadError: a table goes beyond its segment or the symbols, or the GNU one has no buckets or a chain without end.
        RangeMissing: a table was not kept.
    """
    sysv = _read_sysv(source, dynamic, machine, symbol_limit)
    gnu = _read_gnu(source, dynamic, symbol_limit)
    counts = [0]
    if sysv is not None:
        counts.append(len(sysv.chains))
    if gnu is not None:
        counts.append(gnu.first_symbol + len(gnu.chains))
    return HashTables(gnu=gnu, sysv=sysv, symbol_count=max(counts))


def _read_sysv(source: Source, dynamic: Dynamic, machine: Machine, symbol_limit: int) -> SysvHash | None:
    """DT_HASH: ``nbucket``, ``nchain``, buckets, chains."""
    found = table(source, dynamic, DT_HASH, _SYSV)
    if found is None:
        return None
    offset, room = found
    # On 64-bit s390 GNU ld and glibc use words of 64 bits, against the gABI (glibc bits/elfclass.h), and lld those of the gABI.
    # The counts lie below 2**32, so that the first half of a 64-bit one is zero.
    wide = machine == Machine.EM_S390 and source.encoding.bits == 64 and source.read(offset, 4, _SYSV) == bytes(4)  # noqa: PLR2004
    typecode, word = ("Q", 8) if wide else ("I", 4)
    bucket_count, chain_count = source.encoding.column(typecode, source.read(offset, 2 * word, _SYSV))
    # Static executables come with no buckets here: nothing is ever looked up in them.
    if chain_count > symbol_limit:
        raise ElfReadError(offset + word, f"{_SYSV} counts more symbols than the {symbol_limit} there is room for", chain_count)
    if bucket_count > MOST_SYMBOLS:
        raise ElfReadError(offset, f"{_SYSV} has more than {MOST_SYMBOLS} buckets", bucket_count)
    size = (2 + bucket_count + chain_count) * word
    if size > room:
        raise ElfReadError(offset, f"{_SYSV} is larger than the {room} bytes left of its segment", size)
    words = source.encoding.column(typecode, source.read(offset, size, _SYSV))
    return SysvHash(buckets=words[2 : 2 + bucket_count], chains=words[2 + bucket_count :])


def _read_gnu(source: Source, dynamic: Dynamic, symbol_limit: int) -> GnuHash | None:
    """DT_GNU_HASH: ``nbuckets``, ``symoffset``, ``bloom_size``, ``bloom_shift``, filter, buckets, chains."""
    found = table(source, dynamic, DT_GNU_HASH, _GNU)
    if found is None:
        return None
    offset, room = found
    code = source.encoding
    bucket_count, first_symbol, bloom_count, shift = code.column("I", source.read(offset, 16, _GNU))
    if bucket_count == 0:
        raise ElfReadError(offset, f"{_GNU} has no buckets")
    if bloom_count == 0 or bloom_count & (bloom_count - 1):
        # glibc asserts this and masks with bloom_size - 1 (elf/dl-setup_hash.c).
        raise ElfReadError(offset + 8, f"the filter of {_GNU} has a size that is no power of two", bloom_count)
    if max(bucket_count, bloom_count) > MOST_SYMBOLS:
        raise ElfReadError(offset, f"{_GNU} has more than {MOST_SYMBOLS} buckets or words of its filter")
    if first_symbol > symbol_limit:
        raise ElfReadError(offset + 4, f"{_GNU} begins beyond the {symbol_limit} symbols there is room for", first_symbol)
    bloom_size = bloom_count * code.word
    chains = 16 + bloom_size + 4 * bucket_count
    if chains > room:
        raise ElfReadError(offset, f"{_GNU} is larger than the {room} bytes left of its segment", chains)
    head = source.read(offset + 16, chains - 16, _GNU)
    buckets = code.column("I", head[bloom_size:])
    return GnuHash(
        buckets=buckets,
        first_symbol=first_symbol,
        bloom=code.column("Q" if code.word == 8 else "I", head[:bloom_size]),  # noqa: PLR2004 - bytes of a word
        bloom_bits=code.bits,
        bloom_shift=shift,
        chains=_read_chains(source, offset + chains, room - chains, max(buckets) - first_symbol, symbol_limit - first_symbol),
    )


def _read_chains(source: Source, offset: int, room: int, last_chain: int, limit: int) -> array[int]:
    """The chain words up to the end of the last chain, whose first word has number ``last_chain``; none if it is negative.

    Raises:
        ElfReadError: the chain goes beyond the segment or ``limit`` words.
    """
    count = 0 if last_chain < 0 else _end_of_chain(source, offset, min(room // 4, limit), last_chain)
    return source.encoding.column("I", source.read(offset, count * 4, _GNU))


def _end_of_chain(source: Source, offset: int, limit: int, start: int) -> int:
    """Number of words up to and with the first from ``start`` on that has its lowest bit set."""
    low_byte = Struct("<I" if source.encoding.little_endian else ">I").pack(1).index(1)
    block = _FIRST_BLOCK
    while start < limit:
        count = min(block, limit - start)
        words = source.read(offset + start * 4, count * 4, _GNU)
        end = words[low_byte::4].translate(_ENDS_CHAIN).find(1)
        if end >= 0:
            return start + end + 1
        start += count
        block = min(block * 4, _LARGEST_BLOCK)
    raise ElfReadError(offset, f"a chain of {_GNU} does not end within the {limit} symbols there is room for", start)
