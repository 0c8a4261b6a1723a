"""The dynamic symbol table, read by column, and the imports and self references that come of it."""

from __future__ import annotations

from array import array
from itertools import compress
from operator import gt

from checker.elf.dynamic import DT_SYMENT, DT_SYMTAB, DT_VERSYM, TABLES, table
from checker.elf.hashtables import MOST_SYMBOLS, read_hash_tables
from checker.elf.relocations import read_references
from checker.model.elf import Binding, ElfReadError, Imports, SymbolTable
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.elf.dynamic import Dynamic, Strings
    from checker.elf.source import Source
    from checker.model.elf import ElfIdentity

_WHAT = "the symbol table (DT_SYMTAB)"
_IS_LOCAL, _IS_WEAK = Binding.STB_LOCAL, Binding.STB_WEAK
_NOT_LOCAL = bytes(info >> 4 != _IS_LOCAL for info in range(256))
_WEAK = bytes(info >> 4 == _IS_WEAK for info in range(256))
_VISIBILITY = bytes(other & 3 for other in range(256))
_VERSION_INDEX = 0x7FFF

_LONGEST_NAME = 1 << 20
_NAMES_AT_ONCE = 1 << 10
_NAME_SLACK = 1 << 16


@record
class Columns:
    """The fields of all symbols, one entry each.

    Attributes:
        names: ``st_name``.
        infos: ``st_info``.
        others: ``st_other``.
        sections: ``st_shndx``.
    """

    names: Sequence[int]
    infos: bytes
    others: bytes
    sections: Sequence[int]


@record
class DynamicSymbols:
    """The table and what relocations use of it, in the fields of :class:`~checker.model.elf.ElfFacts`."""

    symbols: SymbolTable
    imports: Imports
    self_references: Sequence[int]
    self_uses: bytes
    relocation_types: tuple[int, ...]


def read_symbols(
    source: Source,
    dynamic: Dynamic,
    identity: ElfIdentity,
    *,
    strings: Strings,
    version_names: dict[int, bytes],
) -> DynamicSymbols:
    """The dynamic symbols.

    Nothing in the file tells their number but hash tables and relocations (LSB and gABI have no tag for it), so it is the
    highest that any of them knows.

    Raises:
        ElfReadError: a table lies outside its segment, or a name outside the string table.
        RangeMissing: a table was not kept.
    """
    offset, limit = _where(source, dynamic)
    hashes = read_hash_tables(source, dynamic, identity.machine, limit)
    references = read_references(source, dynamic, identity.machine, limit)
    count = max(hashes.symbol_count, len(references.uses))
    raw = source.read(offset, count * source.encoding.symbol_size, _WHAT)
    versions = _read_versions(source, dynamic, count)
    columns = _columns(source, raw)
    # Entry 0 stands for no symbol, whatever it holds (gABI, STN_UNDEF).
    shared = b"\0"[:count] + columns.infos[1:].translate(_NOT_LOCAL)
    uses = references.uses.ljust(count, b"\0")
    used = compress(range(count), uses)
    self_references = array("I", [symbol for symbol in used if shared[symbol] and columns.sections[symbol]])
    return DynamicSymbols(
        symbols=SymbolTable(
            count=count,
            raw=raw,
            strings=strings.table,
            versions=versions,
            version_names=version_names,
            bits=identity.bits,
            little_endian=identity.little_endian,
            gnu_hash=hashes.gnu,
            sysv_hash=hashes.sysv,
        ),
        imports=_imports(columns, shared, versions=versions, uses=uses, strings=strings, offset=offset),
        self_references=self_references,
        self_uses=bytes(map(uses.__getitem__, self_references)),
        relocation_types=references.types,
    )


def _where(source: Source, dynamic: Dynamic) -> tuple[int, int]:
    """File offset of the table, and how many symbols can be there: up to the next table or the end of the segment.

    Raises:
        ElfReadError: the address lies in no segment, or a symbol's size is another than the class demands.
    """
    found = table(source, dynamic, DT_SYMTAB, _WHAT)
    if found is None:
        return 0, 0
    size = source.encoding.symbol_size
    if dynamic.get(DT_SYMENT) not in (None, size):
        # glibc asserts the same (elf/get-dynamic-info.h).
        raise ElfReadError(dynamic.where(DT_SYMENT), f"a symbol's size (DT_SYMENT) is not {size}", dynamic.get(DT_SYMENT))
    offset, room = found
    start = dynamic.get(DT_SYMTAB) or 0
    distances = [address - start for tag in TABLES if (address := dynamic.get(tag)) is not None and address > start]
    return offset, min(min([room, *distances]) // size, MOST_SYMBOLS)


def _read_versions(source: Source, dynamic: Dynamic, count: int) -> array[int] | None:
    """DT_VERSYM: one number a symbol; ``None`` without it."""
    what = "the version table (DT_VERSYM)"
    found = table(source, dynamic, DT_VERSYM, what)
    if found is None:
        return None
    offset, room = found
    if count * 2 > room:
        raise ElfReadError(dynamic.where(DT_VERSYM), f"{what} is larger than the {room} bytes left of its segment", count * 2)
    return source.encoding.column("H", source.read(offset, count * 2, what))


def _columns(source: Source, raw: bytes) -> Columns:
    """``Elf64_Sym`` is name, info, other, section, value, size; ``Elf32_Sym`` name, value, size, info, other, section."""
    column = source.encoding.column
    if source.encoding.word == 8:  # noqa: PLR2004 - bytes of a word
        return Columns(names=column("I", raw, 0, 6), infos=raw[4::24], others=raw[5::24], sections=column("H", raw, 3, 12))
    return Columns(names=column("I", raw, 0, 4), infos=raw[12::16], others=raw[13::16], sections=column("H", raw, 7, 8))


def _imports(
    columns: Columns, shared: bytes, *, versions: array[int] | None, uses: bytes, strings: Strings, offset: int
) -> Imports:
    """The undefined symbols that are not LOCAL; the loader looks up any other binding (glibc ``RESOLVE_MAP``).

    Python objects are made for these names only: a column of the whole table costs a fraction of what its names would.
    """
    # 1 > st_shndx holds for SHN_UNDEF alone, and 0 (a LOCAL one, or entry 0) is greater than no section.
    undefined = bytes(map(gt, shared, columns.sections))
    symbols = array("I", compress(range(len(undefined)), undefined))
    if versions is None:
        version_indices = array("H", [1]) * len(symbols)
    else:
        version_indices = array("H", [version & _VERSION_INDEX for version in compress(versions, undefined)])
    return Imports(
        symbols=symbols,
        names=_names(strings, list(compress(columns.names, undefined)), offset),
        version_indices=version_indices,
        weak=bytes(compress(columns.infos.translate(_WEAK), undefined)),
        visibilities=bytes(compress(columns.others.translate(_VISIBILITY), undefined)),
        uses=bytes(compress(uses, undefined)),
    )


def _names(strings: Strings, starts: list[int], offset: int) -> tuple[bytes, ...]:
    """The names that begin at those offsets of the string table.

    All together may be twice as long as the table (one name can have several versions, and linkers merge tails). More comes
    only of a hostile file, whose names all begin within one endless string.

    Raises:
        ElfReadError: a name lies outside the table, is too long, or they overlap too much.
    """
    string_table = strings.table
    find = string_table.find
    left = 2 * len(string_table) + _NAME_SLACK
    names: list[bytes] = []
    for first in range(0, len(starts), _NAMES_AT_ONCE):
        some = starts[first : first + _NAMES_AT_ONCE]
        ends = [find(b"\0", start, start + _LONGEST_NAME) for start in some]
        if -1 in ends:
            start = some[ends.index(-1)]
            message = f"a symbol's name has no end within the string table of {len(string_table)} bytes"
            raise ElfReadError(offset, message, start)
        left -= sum(ends) - sum(some)
        if left < 0:
            raise ElfReadError(strings.offset, "the names of symbols overlap in the string table (DT_STRTAB) without end")
        names += [string_table[start:end] for start, end in zip(some, ends, strict=True)]
    return tuple(names)
