"""Changes to a linked file that no linker flag can express; for little-endian ELF64, found through PT_DYNAMIC alone."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_TAGS = {
    "NEEDED": 1,
    "STRTAB": 5,
    "SYMTAB": 6,
    "RELA": 7,
    "RELASZ": 8,
    "SONAME": 14,
    "RPATH": 15,
    "PLTRELSZ": 2,
    "JMPREL": 23,
    "RUNPATH": 29,
    "FLAGS": 30,
    "FLAGS_1": 0x6FFFFFFB,
    "GNU_HASH": 0x6FFFFEF5,
    "VERSYM": 0x6FFFFFF0,
    "VERNEED": 0x6FFFFFFE,
}
_NOBODYS_TAG = 0x60000FFF
_ISA_NEEDED = struct.pack("<II", 0xC0008002, 4)


class Image:
    """A file being changed."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        (start,) = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        self._segments = [struct.unpack_from("<IIQQQQ", data, start + size * index) for index in range(count)]
        _, _, self._dynamic, _, _, self._dynamic_size = next(one for one in self._segments if one[0] == 2)

    def offset(self, address: int) -> int:
        """File offset of an address."""
        start, at = next((a, at) for kind, _, at, a, _, size in self._segments if kind == 1 and a <= address < a + size)
        return address - int(start) + int(at)

    def entries(self, tag: int | None = None) -> Iterator[tuple[int, int]]:
        """(file offset, value) of the dynamic entries with a tag, or of all."""
        for where in range(self._dynamic, self._dynamic + self._dynamic_size, 16):
            found, value = struct.unpack_from("<QQ", self.data, where)
            if found == 0:
                return
            if tag in (None, found):
                yield where, value

    def value(self, name: str) -> int | None:
        """The value of a dynamic entry."""
        return next((value for _, value in self.entries(_TAGS[name])), None)

    def string(self, start: int) -> str:
        """A string of DT_STRTAB."""
        where = self.offset(self.value("STRTAB") or 0) + start
        return self.data[where : self.data.index(0, where)].decode()

    def relocations(self) -> Iterator[tuple[int, int]]:
        """(file offset of ``r_info``, symbol) of every relocation."""
        for table, size in (("RELA", "RELASZ"), ("JMPREL", "PLTRELSZ")):
            address = self.value(table)
            if address is not None:
                start = self.offset(address)
                for where in range(start, start + (self.value(size) or 0), 24):
                    yield where + 8, struct.unpack_from("<Q", self.data, where + 8)[0] >> 32

    def symbol(self, name: str) -> tuple[int, int]:
        """(index, file offset) of the dynamic symbol of that name."""
        start = self.offset(self.value("SYMTAB") or 0)
        index = 1
        while self.string(struct.unpack_from("<I", self.data, start + index * 24)[0]) != name:
            index += 1
        return index, start + index * 24

    def needed_version(self, name: str) -> int:
        """File offset of the ``Elf64_Vernaux`` of that name."""
        need = self.offset(self.value("VERNEED") or 0)
        while True:
            _, _, _, first, step = struct.unpack_from("<HHIII", self.data, need)
            where = need + int(first)
            while True:
                _, _, _, text, following = struct.unpack_from("<IHHII", self.data, where)
                if self.string(text) == name:
                    return where
                if not following:
                    break
                where += following
            need += step


def _strip_sections(image: Image) -> None:
    struct.pack_into("<Q", image.data, 40, 0)
    struct.pack_into("<HHH", image.data, 58, 0, 0, 0)


def _symbol(image: Image, name: str, change: str) -> None:
    _, where = image.symbol(name)
    field, value = change.split("=")
    if field == "bind":
        image.data[where + 4] = int(value) << 4 | image.data[where + 4] & 15
    elif field == "type":
        image.data[where + 4] = image.data[where + 4] & 0xF0 | int(value)
    else:
        image.data[where + 5] = int(value)


def _delete(image: Image, tag: str) -> None:
    for where, _ in image.entries(_TAGS[tag]):
        struct.pack_into("<Q", image.data, where, _NOBODYS_TAG)


def _retag(image: Image, old: str, new: str) -> None:
    for where, _ in image.entries(_TAGS[old]):
        struct.pack_into("<Q", image.data, where, _TAGS[new])


def _set_bits(image: Image, tag: str, bits: str) -> None:
    where, value = next(image.entries(_TAGS[tag]), (None, 0))
    if where is None:
        where = [at for at, _ in image.entries()][-1] + 16
    struct.pack_into("<QQ", image.data, where, _TAGS[tag], value | int(bits, 0))


def _need_own_name(image: Image) -> None:
    """The first DT_NEEDED takes the string of DT_SONAME, which goes."""
    where, _ = next(image.entries(_TAGS["NEEDED"]))
    struct.pack_into("<Q", image.data, where + 8, image.value("SONAME") or 0)
    _delete(image, "SONAME")


def _version_index(image: Image, name: str, value: str) -> None:
    index, _ = image.symbol(name)
    struct.pack_into("<H", image.data, image.offset(image.value("VERSYM") or 0) + 2 * index, int(value))


def _needed_version(image: Image, name: str, change: str) -> None:
    where = image.needed_version(name)
    field, value = change.split("=")
    if field == "flags":
        struct.pack_into("<H", image.data, where + 4, int(value))
    elif field == "hash":
        struct.pack_into("<I", image.data, where, int(value))
    elif field == "orother":
        (other,) = struct.unpack_from("<H", image.data, where + 6)
        struct.pack_into("<H", image.data, where + 6, other | int(value))
    else:
        # The name and hash of another need.
        same = image.needed_version(value)
        image.data[where : where + 4] = image.data[same : same + 4]
        image.data[where + 8 : where + 12] = image.data[same + 8 : same + 12]


def _relocation_type(image: Image, name: str, value: str) -> None:
    index, _ = image.symbol(name)
    places = [where for where, symbol in image.relocations() if symbol == index]
    assert places
    for where in places:
        struct.pack_into("<Q", image.data, where, index << 32 | int(value))


def _bloom_zero(image: Image) -> None:
    start = image.offset(image.value("GNU_HASH") or 0)
    (words,) = struct.unpack_from("<I", image.data, start + 8)
    image.data[start + 16 : start + 16 + 8 * words] = bytes(8 * words)


def _chain_flip(image: Image, name: str) -> None:
    """Another hash in the chain word of a symbol."""
    start = image.offset(image.value("GNU_HASH") or 0)
    buckets, first, words = struct.unpack_from("<III", image.data, start)
    index, _ = image.symbol(name)
    image.data[start + 16 + 8 * words + 4 * (buckets + index - first) + 2] ^= 0x55


def _byte(image: Image, offset: str, value: str) -> None:
    image.data[int(offset)] = int(value)


def _machine(image: Image, value: str) -> None:
    struct.pack_into("<H", image.data, 18, int(value))


def _isa_needed(image: Image, value: str) -> None:
    struct.pack_into("<I", image.data, image.data.index(_ISA_NEEDED) + 8, int(value, 0))


_CHANGES: dict[str, Callable[..., None]] = {
    "strip_sections": _strip_sections,
    "sym": _symbol,
    "dyn_del": _delete,
    "dyn_retag": _retag,
    "dyn_or": _set_bits,
    "needed_from_soname": _need_own_name,
    "versym": _version_index,
    "vernaux": _needed_version,
    "reloc_type": _relocation_type,
    "bloom_zero": _bloom_zero,
    "chain_flip": _chain_flip,
    "byte": _byte,
    "machine": _machine,
    "isa_needed": _isa_needed,
}


def change(path: Path, what: str, *arguments: str) -> None:
    """Change a file in place."""
    image = Image(path.read_bytes())
    _CHANGES[what](image, *arguments)
    path.write_bytes(image.data)
