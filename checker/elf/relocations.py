"""DT_RELA, DT_REL and DT_JMPREL: which symbols relocations use, and how. DT_RELR refers to no symbol and is not read."""

from __future__ import annotations

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
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.elf.dynamic import Dynamic
    from checker.elf.source import Source
    from checker.model.elf import Machine

_WORDS = {DT_RELA: 3, DT_REL: 2}
"""Words of an entry: ``r_offset``, ``r_info`` and, in ``Elf_Rela``, ``r_addend``."""

_AT_ONCE = 1 << 16
"""Relocations that are copied at once, so that a large table is not held twice."""

_MOST = 1 << 22
"""Pairs of symbol and type that are told apart; the largest libraries in wheels have a tenth of that."""


@record
class References:
    """What relocations refer to.

    Attributes:
        types: the types that occur, ascending; those that refer to nothing included.
        uses: :class:`Use` bits of each symbol, up to the highest that a relocation names; empty without relocations. Symbol 0
            has none.
    """

    types: tuple[int, ...]
    uses: bytes


class _UseOfType(dict[int, int]):
    """Type → :class:`Use` bits, filled with the types that are asked for, so that its keys are the types that occur."""

    def __init__(self, known: dict[int, int]) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, kind: int) -> int:
        use = self[kind] = self._known.get(kind, int(Use.OTHER))
        return use


def read_references(source: Source, dynamic: Dynamic, machine: Machine, symbol_limit: int) -> References:
    """Everything that the relocations refer to.

    DT_JMPREL may lie within DT_RELA (prelink, some PowerPC linkers), so the tables are read as a union.

    Args:
        source: the file.
        dynamic: its dynamic section.
        machine: tells the types.
        symbol_limit: more symbols than this cannot lie where DT_SYMTAB points.

    Raises:
        ElfReadError: a table lies outside its segment, its size is no multiple of an entry's, or a symbol is out of range.
        RangeMissing: a table was not kept.
    """
    typecode, shift = ("Q", 32) if source.encoding.word == 8 else ("I", 8)  # noqa: PLR2004 - bytes of a word
    infos: set[int] = set()
    for offset, size, kind in _tables(source, dynamic):
        words = _WORDS[kind]
        block = words * source.encoding.word * _AT_ONCE
        for start in range(offset, offset + size, block):
            raw = source.read(start, min(block, offset + size - start), "the relocation table")
            # Of a million relocations most share r_info with others (all of type RELATIVE do), so only the set is looked at.
            infos.update(source.encoding.column(typecode, raw, 1, words))
            if len(infos) > _MOST:
                raise ElfReadError(start, f"more than {_MOST} relocations that differ in symbol or type")
        highest = max(infos) >> shift
        if highest >= max(symbol_limit, 1):
            message = f"a relocation refers to symbol {highest}, beyond the {symbol_limit} symbols there is room for"
            raise ElfReadError(offset, message)
    if not infos:
        return References(types=(), uses=b"")
    use_of = _UseOfType(uses_of(machine))
    mask = (1 << shift) - 1
    uses = bytearray((max(infos) >> shift) + 1)
    for info in infos:
        uses[info >> shift] |= use_of[info & mask]
    uses[0] = 0
    return References(types=tuple(sorted(use_of)), uses=bytes(uses))


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
