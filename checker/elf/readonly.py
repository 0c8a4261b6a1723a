"""Names in read-only data: which libraries an object may open by name.

Compilers put string literals into read-only segments, or beside the code where one segment has everything. No table says what a
program passes to ``dlopen``, so that a literal which has the form of a library's name, in an object that imports ``dlopen``, is
the best that bytes can tell. Names that are put together at run time, or that end otherwise than by NUL (Rust, Go), are not
seen.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.elf.dynamic import Strings
    from checker.elf.source import Source
    from checker.model.elf import Imports
    from checker.model.sparse import SparseBytes

_OPENERS = (b"dlopen", b"dlmopen")
_PF_X, _PF_W = 1, 2
_NEEDLE = b".so"
_LONGEST = 128
"""Bytes of a name; NAME_MAX is 255, and no library comes near it."""
_MOST_LOOKED_AT = 1 << 14
_MOST_NAMES = 1 << 8


def read_opened_names(source: Source, imports: Imports, strings: Strings) -> tuple[str, ...] | None:
    """The distinct literals of the form ``lib….so…`` in an object that imports ``dlopen``, sorted; empty for any other object.

    The string table of the dynamic symbols is left out: it holds the needed names.

    Returns:
        ``None`` where these segments were not kept whole, so that nothing can be said.
    """
    if not any(opener in imports.names for opener in _OPENERS):
        return ()
    names: set[bytes] = set()
    for load in source.loads:
        if load.flags & _PF_W and not load.flags & _PF_X:
            continue
        kept = _kept(source.content, load.offset, load.file_size)
        if kept is None:
            return None
        part, start = kept
        own = (start + strings.offset - load.offset, start + strings.offset - load.offset + len(strings.table))
        for name in _literals(part, start, start + load.file_size, own):
            names.add(name)
            if len(names) >= _MOST_NAMES:
                break
    return tuple(sorted(name.decode("ascii") for name in names))


def _kept(content: SparseBytes, offset: int, size: int) -> tuple[bytes, int] | None:
    """The kept part that holds a range, and where in it the range begins: read in place, since a copy would cost more."""
    for start, part in content.parts:
        if start <= offset and offset + size <= start + len(part):
            return part, offset - start
    return None


def _literals(part: bytes, start: int, end: int, left_out: tuple[int, int]) -> Iterator[bytes]:
    """NUL-terminated strings within ``[start, end)`` that are library names as a whole."""
    position = start
    for _ in range(_MOST_LOOKED_AT):
        found = part.find(_NEEDLE, position, end)
        if found < 0:
            return
        position = found + len(_NEEDLE)
        if left_out[0] <= found < left_out[1]:
            position = max(position, left_out[1])
            continue
        stop = part.find(b"\0", found, min(found + _LONGEST, end))
        first = part.rfind(b"\0", max(found - _LONGEST, start), found) + 1
        if stop < 0 or first == 0:
            continue
        position = stop
        if re.fullmatch(rb"lib[\w+.-]+\.so(?:\.\d+)*", part[first:stop], re.ASCII):
            yield part[first:stop]
