"""DT_VERNEED and DT_VERDEF (LSB 5.0 Core, 10.7): the versions wanted of other files, and those defined here.

The loader ignores DT_VERNEEDNUM and DT_VERDEFNUM and the counts in the records: a chain ends where the step to the next record
is 0 (glibc ``elf/dl-version.c``, ``_dl_check_map_versions``). Steps are unsigned, so a chain can only go on, and it is bounded
by its segment and by the number of versions that an index can tell apart.
"""

from __future__ import annotations

from checker.elf.dynamic import DT_VERDEF, DT_VERNEED, table
from checker.model.elf import ElfReadError, NeededVersion, VersionDefinition, VersionNeed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from struct import Struct

    from checker.elf.dynamic import Dynamic, Strings
    from checker.elf.source import Source

_VER_FLG_BASE = 1
_VER_FLG_WEAK = 2
_INDEX = 0x7FFF
_HIDDEN = 0x8000
_LIMIT = _INDEX
"""Records of one kind in a file: an index has 15 bits, and each record has one."""
_FIRST_NAMED_INDEX = 2


class _Chain:
    """Records of one table, at file offsets up to the end of the segment, with one limit for all of them."""

    def __init__(self, source: Source, offset: int, room: int, what: str) -> None:
        self.source = source
        self.end = offset + room
        self.what = what
        self.left = _LIMIT

    def record(self, layout: Struct, offset: int) -> tuple[int, ...]:
        """The fields of the record at a file offset.

        Raises:
            ElfReadError: it goes beyond the segment, or there are too many.
        """
        if offset + layout.size > self.end:
            raise ElfReadError(offset, f"the chain of {self.what} leaves its segment, which ends at {self.end:#x}")
        self.left -= 1
        if self.left < 0:
            raise ElfReadError(offset, f"the chain of {self.what} has more than {_LIMIT} records")
        fields: tuple[int, ...] = layout.unpack(self.source.read(offset, layout.size, self.what))
        return fields


def read_version_needs(source: Source, dynamic: Dynamic, strings: Strings) -> tuple[VersionNeed, ...]:
    """DT_VERNEED, in file order; empty without one.

    Raises:
        ElfReadError: a record or a name lies outside its table.
        RangeMissing: a record was not kept.
    """
    what = "needed versions (DT_VERNEED)"
    found = table(source, dynamic, DT_VERNEED, what)
    if found is None:
        return ()
    offset, room = found
    chain = _Chain(source, offset, room, what)
    needs = []
    while True:
        _, _, file, first, step = chain.record(source.encoding.version_need, offset)
        name = strings.text(file, "the file name of a needed version", offset + 4)
        needs.append(VersionNeed(file=name, versions=tuple(_needed_versions(chain, offset + first, strings))))
        if step == 0:
            return tuple(needs)
        offset += step


def _needed_versions(chain: _Chain, offset: int, strings: Strings) -> Iterator[NeededVersion]:
    layout = chain.source.encoding.needed_version
    while True:
        value, flags, other, name, step = chain.record(layout, offset)
        yield NeededVersion(
            name=strings.get(name, "the name of a needed version", offset + 8),
            hash=value,
            weak=bool(flags & _VER_FLG_WEAK),
            index=other & _INDEX,
            hidden=bool(other & _HIDDEN),
        )
        if step == 0:
            return
        offset += step


def read_version_definitions(source: Source, dynamic: Dynamic, strings: Strings) -> tuple[VersionDefinition, ...]:
    """DT_VERDEF, in file order; empty without one. Of the names of a definition only the first is its own.

    Raises:
        ElfReadError: a record or a name lies outside its table.
        RangeMissing: a record was not kept.
    """
    what = "version definitions (DT_VERDEF)"
    found = table(source, dynamic, DT_VERDEF, what)
    if found is None:
        return ()
    offset, room = found
    code = source.encoding
    chain = _Chain(source, offset, room, what)
    names = _Chain(source, offset, room, what)
    definitions = []
    while True:
        _, flags, index, _, value, first, step = chain.record(code.version_definition, offset)
        name, _ = names.record(code.half_words, offset + first)
        definitions.append(
            VersionDefinition(
                name=strings.get(name, "the name of a version definition", offset + first),
                hash=value,
                index=index & _INDEX,
                base=bool(flags & _VER_FLG_BASE),
                weak=bool(flags & _VER_FLG_WEAK),
            )
        )
        if step == 0:
            return tuple(definitions)
        offset += step


def version_names(needs: tuple[VersionNeed, ...], definitions: tuple[VersionDefinition, ...]) -> dict[int, bytes]:
    """Version index → name. Definitions come last, as in the loader's own table, and the base definition has no part in it."""
    names = {version.index: version.name for need in needs for version in need.versions}
    names.update({definition.index: definition.name for definition in definitions if not definition.base})
    return {index: name for index, name in names.items() if index >= _FIRST_NAMED_INDEX}
