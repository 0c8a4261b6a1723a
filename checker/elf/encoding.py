"""The two file classes and two byte orders as one value: record layouts, and bulk reading of words."""

from __future__ import annotations

import sys
from array import array
from functools import cache
from struct import Struct

from checker.model.record import record


@record
class Encoding:
    """How numbers and records are written in one file.

    Attributes:
        bits: 32 or 64 (``EI_CLASS``).
        little_endian: byte order (``EI_DATA``).
        word: bytes of an address: 4 or 8.
        file_header: ``Elf_Ehdr`` from ``e_type`` on (byte 16).
        program_header: ``Elf_Phdr``; the classes order the fields differently, see :mod:`checker.elf.header`.
        section_header: ``Elf_Shdr``.
        dynamic_entry: ``Elf_Dyn``, both words unsigned.
        note_header: ``Elf_Nhdr``.
        version_need, needed_version: ``Elf_Verneed`` and ``Elf_Vernaux``.
        version_definition: ``Elf_Verdef``.
        half_words: two 32-bit words (``Elf_Verdaux``; type and size of a GNU property).
        symbol_size: bytes of an ``Elf_Sym``.
        swapped: this machine's byte order is the other one.
    """

    bits: int
    little_endian: bool
    word: int
    file_header: Struct
    program_header: Struct
    section_header: Struct
    dynamic_entry: Struct
    note_header: Struct
    version_need: Struct
    needed_version: Struct
    version_definition: Struct
    half_words: Struct
    symbol_size: int
    swapped: bool

    def column(self, typecode: str, raw: bytes, first: int = 0, step: int = 1) -> array[int]:
        """Every ``step``-th number of ``raw`` from number ``first`` on.

        ``typecode`` is H, I or Q: 2, 4 or 8 bytes; the length of ``raw`` must be a multiple of that.
        """
        numbers = array(typecode, raw)
        if step != 1:
            numbers = numbers[first::step]
        if self.swapped:
            numbers.byteswap()
        return numbers


@cache
def encoding(bits: int, little_endian: bool) -> Encoding:  # noqa: FBT001 - a property of the file, not a switch
    """The encoding of a file class and byte order."""
    order = "<" if little_endian else ">"
    word = "Q" if bits == 64 else "I"  # noqa: PLR2004 - the class's own name
    return Encoding(
        bits=bits,
        little_endian=little_endian,
        word=bits // 8,
        file_header=Struct(f"{order}HHI{word * 3}I6H"),
        program_header=Struct(f"{order}IIQQQQQQ" if bits == 64 else f"{order}8I"),  # noqa: PLR2004
        section_header=Struct(f"{order}II{word * 4}II{word * 2}"),
        dynamic_entry=Struct(order + word * 2),
        note_header=Struct(f"{order}III"),
        version_need=Struct(f"{order}HHIII"),
        needed_version=Struct(f"{order}IHHII"),
        version_definition=Struct(f"{order}HHHHIII"),
        half_words=Struct(f"{order}II"),
        symbol_size=24 if bits == 64 else 16,  # noqa: PLR2004
        swapped=little_endian != (sys.byteorder == "little"),
    )
