"""The tables that PT_DYNAMIC points to: strings, symbols, hashes, versions, relocations, notes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from .spec import (
    NT_GNU_PROPERTY_TYPE_0,
    S390X,
    UND,
    VERSYM_HIDDEN,
    Binding,
    Hash,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .spec import Elf, Note, Relocation, Symbol

def gnu_hash(name: str) -> int:
    """DT_GNU_HASH's function (Bernstein's, seed 5381)."""
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def sysv_hash(name: str) -> int:
    """DT_HASH's function, which also hashes version names (gABI, figure 5-13)."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high & 0xFFFFFFFF
    return value


def pack(elf: Elf, fmt: str, *values: int) -> bytes:
    """Pack in the file's byte order; ``P`` in the format is a word of the file's class."""
    word = "Q" if elf.machine.bits == 64 else "I"
    return struct.pack(elf.machine.order + fmt.replace("P", word), *values)


def nbuckets(elf: Elf) -> int:
    return max(1, sum(map(is_hashed, elf.symbols)) // 2)


def is_hashed(symbol: Symbol) -> bool:
    if symbol.hashed is not None:
        return symbol.hashed
    return symbol.shndx != UND and symbol.binding != Binding.LOCAL


def dynsym_order(elf: Elf) -> list[int]:
    """Places in ``elf.symbols``: locals, what is not hashed, then by GNU hash bucket."""

    def key(place: int) -> tuple[bool, int]:
        symbol = elf.symbols[place]
        bucket = gnu_hash(symbol.name) % nbuckets(elf) if is_hashed(symbol) else -1
        return symbol.binding != Binding.LOCAL, bucket

    return sorted(range(len(elf.symbols)), key=key)


def string_table(elf: Elf) -> tuple[bytes, Callable[[str], int]]:
    names = [*elf.needed, *(s.name for s in elf.symbols), *(text for _, text in elf.strings)]
    names += [s for s in (elf.soname, elf.rpath, elf.runpath) if s is not None]
    for need in elf.version_needs:
        names += [need.file, *(v.name for v in need.versions)]
    for definition in elf.version_definitions:
        names += [definition.name, *definition.parents]
    if elf.tail_merge:
        names.sort(key=len, reverse=True)
    table = b"\0"
    for name in names:
        entry = name.encode() + b"\0"
        if (entry if elf.tail_merge else b"\0" + entry) not in table:
            table += entry

    def find(name: str) -> int:
        entry = name.encode() + b"\0"
        return table.index(entry) if elf.tail_merge else table.index(b"\0" + entry) + bool(name)

    return table, find


def dynsym(
    elf: Elf, symbols: list[Symbol], places: Mapping[str, Place], find: Callable[[str], int]
) -> bytes:
    table = bytes(24 if elf.machine.bits == 64 else 16)
    text = places[".text"].address if places else 0
    for s in symbols:
        automatic = 0 if s.shndx == UND or s.type == Type.TLS else text
        value = automatic if s.value is None else s.value
        name, info, other = find(s.name), s.binding << 4 | s.type, int(s.visibility)
        if elf.machine.bits == 64:
            table += pack(elf, "IBBHQQ", name, info, other, s.shndx, value, s.size)
        else:
            table += pack(elf, "IIIBBH", name, value, s.size, info, other, s.shndx)
    return table


def versym(symbol: Symbol) -> int:
    return symbol.version | (VERSYM_HIDDEN if symbol.hidden else 0)


def sysv_table(elf: Elf, symbols: list[Symbol]) -> bytes:
    buckets, chains = [0] * max(1, len(symbols) // 2), [0] * (len(symbols) + 1)
    for index, symbol in enumerate(symbols, 1):
        bucket = sysv_hash(symbol.name) % len(buckets)
        chains[index], buckets[bucket] = buckets[bucket], index
    if elf.sysv_hash is Hash.EMPTY:
        buckets = [0] * len(buckets)
    if elf.sysv_hash is Hash.WRONG:
        chains = list(range(len(chains)))
    nchain = 0x7FFFFFFF if elf.sysv_hash is Hash.ENDLESS else len(chains)
    # s390x (and Alpha) kept 64-bit words here, against the gABI.
    word = "Q" if elf.machine.number == S390X.number and elf.machine.bits == 64 else "I"
    values = (len(buckets), nchain, *buckets, *chains)
    return pack(elf, word * len(values), *values)


def gnu_table(elf: Elf, symbols: list[Symbol]) -> bytes:
    hashed = [s for s in symbols if is_hashed(s)]
    # With nothing to find GNU ld writes symoffset 1, whatever undefined symbols there are.
    offset = len(symbols) - len(hashed) + 1 if hashed else 1
    bits, shift, size = elf.machine.bits, 6, 1
    while size * bits < 4 * len(hashed):
        size *= 2
    bloom, buckets, chain = [0] * size, [0] * nbuckets(elf), []
    hashes = [gnu_hash(s.name) for s in hashed]
    for place, value in enumerate(hashes):
        bloom[value // bits % size] |= 1 << value % bits | 1 << (value >> shift) % bits
        bucket = value % len(buckets)
        buckets[bucket] = buckets[bucket] or offset + place
        last = place + 1 == len(hashes) or hashes[place + 1] % len(buckets) != bucket
        chain.append(value & ~1 | last)
    if elf.gnu_hash is Hash.EMPTY:
        bloom = [0] * size
    if elf.gnu_hash is Hash.WRONG:
        chain = [value ^ 2 for value in chain]
    if elf.gnu_hash is Hash.ENDLESS:
        chain = [value & ~1 for value in chain]
    head = pack(elf, "4I", len(buckets), offset, size, shift)
    return head + pack(elf, "P" * size, *bloom) + pack(
        elf, "I" * (len(buckets) + len(chain)), *buckets, *chain
    )


def verneed(elf: Elf, find: Callable[[str], int]) -> bytes:
    table = b""
    for number, need in enumerate(elf.version_needs, 1):
        count = len(need.versions)
        next_need = 0 if number == len(elf.version_needs) else 16 * (count + 1)
        table += pack(elf, "HHIII", 1, count, find(need.file), 16 if count else 0, next_need)
        for place, v in enumerate(need.versions, 1):
            hashed = sysv_hash(v.name) if v.hash is None else v.hash
            last = place == count
            table += pack(elf, "IHHII", hashed, v.flags, v.index, find(v.name), 0 if last else 16)
    return table


def verdef(elf: Elf, find: Callable[[str], int]) -> bytes:
    table = b""
    for number, d in enumerate(elf.version_definitions, 1):
        names = (d.name, *d.parents)
        last = number == len(elf.version_definitions)
        hashed = sysv_hash(d.name) if d.hash is None else d.hash
        step = 0 if last else 20 + 8 * len(names)
        table += pack(elf, "HHHHIII", 1, d.flags, d.index, len(names), hashed, 20, step)
        for place, name in enumerate(names, 1):
            table += pack(elf, "II", find(name), 0 if place == len(names) else 8)
    return table


def relocation_table(
    elf: Elf,
    relocations: tuple[Relocation, ...],
    order: list[int],
    places: Mapping[str, Place],
    slot: int,
) -> bytes:
    table, m = b"", elf.machine
    names = [elf.symbols[i].name for i in order]
    data = places[".data"].address if places else 0
    for r in relocations:
        if isinstance(r.symbol, str):
            index = names.index(r.symbol) + 1
        else:
            index = order.index(r.symbol - 1) + 1 if r.symbol else 0
        offset = r.offset
        if offset is None:
            offset, slot = data + slot * m.word, slot + 1
        info = index << 32 | r.type if m.bits == 64 else index << 8 | r.type
        table += pack(elf, "PP", offset, info)
        if m.rela:
            table += pack(elf, "P", r.addend & (1 << m.bits) - 1)
    return table


def note_bytes(elf: Elf, note: Note) -> tuple[bytes, int]:
    """Bytes and alignment: GNU property notes are padded to the class's word."""
    align = elf.machine.word if note.type == NT_GNU_PROPERTY_TYPE_0 else 4
    owner = note.owner + b"\0"
    head = pack(elf, "III", len(owner), len(note.description), note.type) + owner
    head += bytes(-len(head) % align)
    return head + note.description + bytes(-len(note.description) % align), align


