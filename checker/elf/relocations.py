"""DT_RELA, DT_REL and DT_JMPREL: which symbols relocations use, and how. DT_RELR refers to no symbol and is not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from checker.elf.dynamic import (
    DT_JMPREL,
    DT_PLTREL,
    DT_PLTRELSZ,
    DT_REL,
    DT_RELA,
    DT_RELAENT,
    DT_RELASZ,
    DT_RELENT,
    DT_RELSZ,
    sized_table,
)
from checker.elf.relocation_types import uses_of
from checker.model.elf import ElfReadError, Use

if TYPE_CHECKING:
    from checker.elf.dynamic import Dynamic
    from checker.elf.source import Source
    from checker.model.elf import Machine

_WORDS = {DT_RELA: 3, DT_REL: 2}
"""Words of an entry: ``r_offset``, ``r_info`` and, in ``Elf_Rela``, ``r_addend``."""
_OTHER = int(Use.OTHER)


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """What relocations refer to.

    Attributes:
        types: the types that occur, ascending; those that refer to nothing included.
        uses: symbol → :class:`Use` bits, without symbol 0.
        highest: the highest symbol used; 0 when none is.
        where: file offset of the first relocation table, for messages; 0 without one.
    """

    types: tuple[int, ...]
    uses: dict[int, int]
    highest: int
    where: int


def read_references(source: Source, dynamic: Dynamic, machine: Machine) -> References:
    """Everything that the relocations refer to.

    DT_JMPREL may lie within DT_RELA (prelink, some PowerPC linkers), so the tables are read as a union.

    Raises:
        ElfReadError: a table lies outside its segment, or its size is no multiple of an entry's.
        RangeMissing: a table was not kept.
    """
    infos: set[int] = set()
    where = 0
    for offset, size, kind in _tables(source, dynamic):
        where = where or offset
        code = source.encoding
        raw = source.read(offset, size, "the relocation table")
        # Of a million relocations most share their r_info with others (all of type RELATIVE do), so only the set is looked at.
        infos.update(code.column("Q" if code.word == 8 else "I", raw, 1, _WORDS[kind]))  # noqa: PLR2004 - bytes of a word
    shift = 32 if source.encoding.word == 8 else 8  # noqa: PLR2004
    mask = (1 << shift) - 1
    types = {info & mask for info in infos}
    known = uses_of(machine)
    use_of = {kind: known.get(kind, _OTHER) for kind in types}
    uses: dict[int, int] = {}
    for info in infos:
        symbol = info >> shift
        use = use_of[info & mask]
        if symbol and use:
            uses[symbol] = uses.get(symbol, 0) | use
    return References(types=tuple(sorted(types)), uses=uses, highest=max(uses, default=0), where=where)


def _tables(source: Source, dynamic: Dynamic) -> list[tuple[int, int, int]]:
    """(file offset, bytes, DT_RELA or DT_REL) of each table.

    Raises:
        ElfReadError: a table does not lie in a segment, or an entry's size is another than the class demands.
    """
    tables = []
    for tag, size_tag, entry_tag in ((DT_RELA, DT_RELASZ, DT_RELAENT), (DT_REL, DT_RELSZ, DT_RELENT)):
        found = sized_table(source, dynamic, tag, size_tag, "the relocation table")
        if found is not None:
            entry_size = dynamic.get(entry_tag)
            expected = _WORDS[tag] * source.encoding.word
            if entry_size not in (None, expected):
                # glibc asserts the same (elf/get-dynamic-info.h).
                raise ElfReadError(dynamic.where(entry_tag), f"the size of a relocation is not {expected}", entry_size)
            tables.append((*found, tag))
    found = sized_table(source, dynamic, DT_JMPREL, DT_PLTRELSZ, "the PLT relocation table")
    if found is not None:
        kind = dynamic.get(DT_PLTREL)
        if kind not in _WORDS:
            raise ElfReadError(dynamic.where(DT_PLTREL), "DT_PLTREL is neither DT_RELA nor DT_REL", kind)
        tables.append((*found, kind))
    for offset, size, kind in tables:
        if size % (_WORDS[kind] * source.encoding.word):
            raise ElfReadError(offset, "the size of the relocation table is no multiple of a relocation's size", size)
    return tables
