"""The functions that run whenever a file is loaded or imported, and the bytes behind an address.

They are not among the facts: only who disassembles them asks for them.
"""

from __future__ import annotations

from checker.elf.dynamic import DT_RELA, DT_RELASZ
from checker.elf.encoding import encoding
from checker.elf.source import PT_LOAD, Source, mapped_loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import ElfFacts
    from checker.model.sparse import SparseBytes

_DT_INIT = 12
_DT_INIT_ARRAY = 25
_DT_INIT_ARRAYSZ = 27
_R_X86_64_64 = 1
_R_X86_64_RELATIVE = 8
_MOST = 1 << 16
"""Initializers that are looked at; the largest libraries have some thousands."""


def source_of(facts: ElfFacts, content: SparseBytes) -> Source:
    """The file's bytes by offset and by address."""
    code = encoding(facts.identity.bits, facts.identity.little_endian)
    segments = (segment for segment in facts.segments if segment.type == PT_LOAD and segment.file_size)
    loads = mapped_loads(segments, content.size)
    return Source(content=content, encoding=code, loads=loads)


def initializers(facts: ElfFacts, source: Source) -> tuple[tuple[str, int], ...]:
    """(name, address) of DT_INIT, of each element of DT_INIT_ARRAY, and of the module's ``PyInit`` function, in that order.

    Of x86 files: the array's words are filled in by relocations, whose types are the machine's.

    Raises:
        ElfReadError: a table lies outside the file.
        RangeMissing: one was not kept.
    """
    dynamic = dict(facts.dynamic)
    found = [("DT_INIT", dynamic.get(_DT_INIT, 0))]
    found += [(f"DT_INIT_ARRAY[{index}]", address) for index, address in enumerate(_array(facts, source, dynamic))]
    module = facts.path.rpartition("/")[2].partition(".")[0]
    name = f"PyInit_{module}"
    definitions = facts.symbols.definitions(name.encode("utf-8", "surrogateescape"))
    found += [(name, definition.value) for definition in definitions if definition.defined]
    return tuple((entry, address) for entry, address in found if address)


def _array(facts: ElfFacts, source: Source, dynamic: dict[int, int]) -> list[int]:
    """The addresses in DT_INIT_ARRAY: in its words (DT_REL and DT_RELR leave them there), or in the addends of DT_RELA."""
    address, size = dynamic.get(_DT_INIT_ARRAY, 0), dynamic.get(_DT_INIT_ARRAYSZ, 0)
    word = source.encoding.word
    count = min(size // word, _MOST)
    if not address or not count:
        return []
    offset, _ = source.locate(address, "DT_INIT_ARRAY", 0)
    words = source.encoding.column("Q" if word == 8 else "I", source.read(offset, count * word, "DT_INIT_ARRAY"))  # noqa: PLR2004
    if 0 not in words or DT_RELA not in dynamic:
        return list(words)
    addends = _addends(facts, source, dynamic, range(address, address + count * word))
    return [value or addends.get(address + index * word, 0) for index, value in enumerate(words)]


def _addends(facts: ElfFacts, source: Source, dynamic: dict[int, int], wanted: range) -> dict[int, int]:
    """Address → value that a relocation of DT_RELA writes there."""
    offset, _ = source.locate(dynamic[DT_RELA], "the relocation table", 0)
    size = dynamic.get(DT_RELASZ, 0)
    numbers = source.encoding.column("Q", source.read(offset, size - size % 24, "the relocation table"))
    values: dict[int, int] = {}
    for index, where in enumerate(numbers[::3]):
        if where in wanted:
            symbol, kind = divmod(numbers[index * 3 + 1], 1 << 32)
            addend = numbers[index * 3 + 2]
            if kind == _R_X86_64_RELATIVE:
                values[where] = addend
            elif kind == _R_X86_64_64 and symbol < facts.symbols.count:
                _, _, section, value = facts.symbols.fields(symbol)
                values[where] = (value + addend) % (1 << 64) if section else 0
    return values
