"""The tables that PT_DYNAMIC points to: strings, symbols, hashes, versions, relocations, notes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
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
    from collections.abc import Mapping

    from .spec import Elf, Note, Place, Relocation, Symbol


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


def note_bytes(elf: Elf, note: Note) -> tuple[bytes, int]:
    """Bytes and alignment: GNU property notes are padded to the class's word."""
    align = elf.machine.word if note.type == NT_GNU_PROPERTY_TYPE_0 else 4
    owner = note.owner + b"\0"
    head = pack(elf, "III", len(owner), len(note.description), note.type) + owner
    head += bytes(-len(head) % align)
    return head + note.description + bytes(-len(note.description) % align), align


def _is_hashed(symbol: Symbol) -> bool:
    if symbol.hashed is not None:
        return symbol.hashed
    return symbol.shndx != UND and symbol.binding != Binding.LOCAL


@dataclass(frozen=True)
class Tables:
    """The tables of one file. Their sizes do not depend on ``places``, only addresses do."""

    elf: Elf
    places: Mapping[str, Place]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Places in ``elf.symbols``: locals, what is not hashed, then by GNU hash bucket."""

        def key(place: int) -> tuple[bool, int]:
            symbol = self.elf.symbols[place]
            bucket = gnu_hash(symbol.name) % self._nbuckets if _is_hashed(symbol) else -1
            return symbol.binding != Binding.LOCAL, bucket

        return tuple(sorted(range(len(self.elf.symbols)), key=key))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols in .dynsym's order, without the null symbol."""
        return tuple(self.elf.symbols[i] for i in self.order)

    @property
    def locals(self) -> int:
        """Index of the first symbol that is not local (``sh_info`` of .dynsym)."""
        return 1 + sum(s.binding == Binding.LOCAL for s in self.symbols)

    @property
    def _nbuckets(self) -> int:
        return max(1, sum(map(_is_hashed, self.elf.symbols)) // 2)

    def _pack(self, fmt: str, *values: int) -> bytes:
        return pack(self.elf, fmt, *values)

    @cached_property
    def dynstr(self) -> bytes:
        """Every string once; with ``tail_merge`` the end of a longer one serves a shorter."""
        elf = self.elf
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
        return table

    def find(self, name: str) -> int:
        """Return the offset of a name in .dynstr."""
        entry = name.encode() + b"\0"
        if self.elf.tail_merge or not name:
            return self.dynstr.index(entry)
        return self.dynstr.index(b"\0" + entry) + 1

    def address(self, part: str) -> int:
        """Return the address of a part, or 0 while the sizes are taken."""
        return self.places[part].address if part in self.places else 0

    def dynsym(self) -> bytes:
        """Return .dynsym with its null symbol."""
        table = bytes(24 if self.elf.machine.bits == 64 else 16)
        text = self.address(".text")
        for s in self.symbols:
            automatic = 0 if s.shndx == UND or s.type == Type.TLS else text
            value = automatic if s.value is None else s.value
            name, info, other = self.find(s.name), s.binding << 4 | s.type, int(s.visibility)
            if self.elf.machine.bits == 64:
                table += self._pack("IBBHQQ", name, info, other, s.shndx, value, s.size)
            else:
                table += self._pack("IIIBBH", name, value, s.size, info, other, s.shndx)
        return table

    def versym(self) -> bytes:
        """Return .gnu.version."""
        indices = (s.version | (VERSYM_HIDDEN if s.hidden else 0) for s in self.symbols)
        return self._pack(f"{len(self.symbols) + 1}H", 0, *indices)

    def sysv_table(self) -> bytes:
        """Return .hash, in the state that was asked for."""
        buckets, chains = [0] * max(1, len(self.symbols) // 2), [0] * (len(self.symbols) + 1)
        for index, symbol in enumerate(self.symbols, 1):
            bucket = sysv_hash(symbol.name) % len(buckets)
            chains[index], buckets[bucket] = buckets[bucket], index
        if self.elf.sysv_hash is Hash.EMPTY:
            buckets = [0] * len(buckets)
        if self.elf.sysv_hash is Hash.WRONG:
            chains = list(range(len(chains)))
        nchain = 0x7FFFFFFF if self.elf.sysv_hash is Hash.ENDLESS else len(chains)
        # s390x (and Alpha) kept 64-bit words here, against the gABI.
        m = self.elf.machine
        word = "Q" if (m.number, m.bits) == (S390X.number, 64) else "I"
        values = (len(buckets), nchain, *buckets, *chains)
        return self._pack(word * len(values), *values)

    def gnu_table(self) -> bytes:
        """Return .gnu.hash, in the state that was asked for."""
        hashed = [s for s in self.symbols if _is_hashed(s)]
        # With nothing to find GNU ld writes symoffset 1, whatever undefined symbols there are.
        offset = len(self.symbols) - len(hashed) + 1 if hashed else 1
        bits, shift, size = self.elf.machine.bits, 6, 1
        while size * bits < 4 * len(hashed):
            size *= 2
        bloom, buckets, chain = [0] * size, [0] * self._nbuckets, []
        hashes = [gnu_hash(s.name) for s in hashed]
        for place, value in enumerate(hashes):
            bloom[value // bits % size] |= 1 << value % bits | 1 << (value >> shift) % bits
            bucket = value % len(buckets)
            buckets[bucket] = buckets[bucket] or offset + place
            last = place + 1 == len(hashes) or hashes[place + 1] % len(buckets) != bucket
            chain.append(value & ~1 | last)
        if self.elf.gnu_hash is Hash.EMPTY:
            bloom = [0] * size
        if self.elf.gnu_hash is Hash.WRONG:
            chain = [value ^ 2 for value in chain]
        if self.elf.gnu_hash is Hash.ENDLESS:
            chain = [value & ~1 for value in chain]
        head = self._pack("4I", len(buckets), offset, size, shift)
        return head + self._pack("P" * size, *bloom) + self._pack("I" * (len(buckets) + len(chain)), *buckets, *chain)

    def verneed(self) -> bytes:
        """Return .gnu.version_r."""
        table = b""
        for number, need in enumerate(self.elf.version_needs, 1):
            count = len(need.versions)
            next_need = 0 if number == len(self.elf.version_needs) else 16 * (count + 1)
            table += self._pack("HHIII", 1, count, self.find(need.file), 16 if count else 0, next_need)
            for place, v in enumerate(need.versions, 1):
                hashed = sysv_hash(v.name) if v.hash is None else v.hash
                last = place == count
                table += self._pack("IHHII", hashed, v.flags, v.index, self.find(v.name), 0 if last else 16)
        return table

    def verdef(self) -> bytes:
        """Return .gnu.version_d."""
        table = b""
        for number, d in enumerate(self.elf.version_definitions, 1):
            names = (d.name, *d.parents)
            last = number == len(self.elf.version_definitions)
            hashed = sysv_hash(d.name) if d.hash is None else d.hash
            step = 0 if last else 20 + 8 * len(names)
            table += self._pack("HHHHIII", 1, d.flags, d.index, len(names), hashed, 20, step)
            for place, name in enumerate(names, 1):
                table += self._pack("II", self.find(name), 0 if place == len(names) else 8)
        return table

    def relocations(self, relocations: tuple[Relocation, ...], slot: int) -> bytes:
        """Return a relocation table whose automatic slots begin at ``slot`` in .data."""
        table, m = b"", self.elf.machine
        names = [self.elf.symbols[i].name for i in self.order]
        data = self.address(".data")
        for r in relocations:
            if isinstance(r.symbol, str):
                index = names.index(r.symbol) + 1
            else:
                index = self.order.index(r.symbol - 1) + 1 if r.symbol else 0
            offset = r.offset
            if offset is None:
                offset, slot = data + slot * m.word, slot + 1
            info = index << 32 | r.type if m.bits == 64 else index << 8 | r.type
            table += self._pack("PP", offset, info)
            if m.rela:
                table += self._pack("P", r.addend & (1 << m.bits) - 1)
        return table
