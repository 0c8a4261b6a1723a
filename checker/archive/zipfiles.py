"""The files of a zip archive as streams: local headers checked, stored and deflated data."""

from __future__ import annotations

import stat
import struct
from functools import partial

from checker.archive.content import Content
from checker.archive.errors import MemberError
from checker.archive.source import CHUNK
from checker.archive.zipindex import FLAG_UTF8, local_sizes, read_index
from checker.model.artifact import OddityKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.archive.codec import Codec
    from checker.archive.content import Odd
    from checker.archive.limits import Limits
    from checker.archive.source import Source
    from checker.archive.zipindex import Ledger, ZipEntry

_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_MAGIC = b"PK\3\4"
_USUAL_EXTRA = 64
"""A local header's extra field is seldom longer, so that one read brings header and data of a small member."""
_STORED, _DEFLATED = 0, 8
_METHODS = {
    1: "shrunk",
    6: "imploded",
    9: "Deflate64",
    12: "bzip2",
    14: "LZMA",
    93: "Zstandard",
    95: "XZ",
    96: "JPEG",
    98: "PPMd",
}
_ENCRYPTED = 1 | 1 << 6 | 1 << 13
_PATCHED = 1 << 5
_DESCRIPTOR = 1 << 3
_DESCRIPTORS = {
    12: struct.Struct("<3L"),
    16: struct.Struct("<4x3L"),
    20: struct.Struct("<L2Q"),
    24: struct.Struct("<4xL2Q"),
}
"""Data descriptors by length (4.3.9): CRC-32 and sizes, with or without a signature, narrow or of zip64."""
_USUAL_TYPES = (0, stat.S_IFREG, stat.S_IFLNK)
_AT_ONCE = 1 << 18
"""Inflated bytes at once: what hashing and keeping then read is still in the processor's cache, and a bomb can give no more."""


def zip_contents(source: Source, codec: Codec, limits: Limits, ledger: Ledger) -> Iterator[Content]:
    """Every file of the archive, in the order of the archive.

    Args:
        source: the zip file; must stay open while the contents are in use.
        codec: inflates.
        limits: bounds the directory.
        ledger: is told what of the directory could not be read, and what readers could take differently.

    Raises:
        ArchiveError: nothing of the archive can be read.
    """
    for entry in read_index(source, limits, ledger):
        if entry.is_folder:
            _check_folder(source, entry, ledger)
            continue
        if stat.S_IFMT(entry.mode) not in _USUAL_TYPES:
            _tell_type(entry, ledger)
        yield Content(
            path=entry.path,
            mode=stat.S_IMODE(entry.mode),
            size=entry.size,
            packed=entry.packed,
            crc=entry.crc,
            is_link=entry.is_link,
            open=partial(_open, source, codec, entry),
        )


def _check_folder(source: Source, entry: ZipEntry, ledger: Ledger) -> None:
    """An entry of a folder has no bytes that anyone reads, but a header that some read in place of the directory."""

    def odd(kind: OddityKind, what: str) -> None:
        ledger.odd_member(entry.path, kind, what)

    if entry.size:
        odd(OddityKind.FOLDER, f"is a folder by its name and holds {entry.size} bytes")
    try:
        _locate(source, entry, source.read_at(entry.offset, _LOCAL.size + len(entry.raw_name) + _USUAL_EXTRA), odd)
    except MemberError as error:
        ledger.note_member(entry.path, str(error))


def _tell_type(entry: ZipEntry, ledger: Ledger) -> None:
    """The file type of a mode that is no file's."""
    if stat.S_ISDIR(entry.mode):
        ledger.odd_member(entry.path, OddityKind.FOLDER, "is a folder by its mode and a file by its name")
    else:
        ledger.odd_member(entry.path, OddityKind.SPECIAL_FILE, f"is no file by its mode ({stat.filemode(entry.mode)})")


def _open(source: Source, codec: Codec, entry: ZipEntry, odd: Odd) -> Iterator[bytes]:
    lead = source.read_at(entry.offset, _LOCAL.size + len(entry.raw_name) + _USUAL_EXTRA + min(entry.packed, CHUNK))
    start = _locate(source, entry, lead, odd)
    first = lead[start : start + entry.packed]
    rest = entry.offset + start + len(first)
    remaining = entry.packed - len(first)
    if entry.method == _DEFLATED and entry.packed:
        return _inflate(source, codec, first, rest, remaining)
    return _copy(source, first, rest, remaining)


def _locate(source: Source, entry: ZipEntry, lead: bytes, odd: Odd) -> int:
    """Where the data starts, from the local header's first byte; ``lead`` holds that header."""
    start = _check_local(entry, lead, odd)
    after = entry.offset + start + entry.packed
    if after != entry.end and entry.is_exact:
        _check_gap(source, entry, after, odd)
    return start


def _check_local(entry: ZipEntry, lead: bytes, odd: Odd) -> int:
    """The size of the local header, which must say what the central directory says."""
    if entry.name_oddity:
        odd(OddityKind.NAME, entry.name_oddity)
    if entry.fault:
        raise MemberError(entry.offset, entry.fault)
    if entry.flags & _ENCRYPTED:
        odd(OddityKind.ENCRYPTED, "is encrypted")
        raise MemberError(entry.offset, "it is encrypted; pack it without a password")
    if entry.flags & _PATCHED or entry.method not in (_STORED, _DEFLATED):
        method = "patched data" if entry.flags & _PATCHED else _METHODS.get(entry.method, "an unknown method")
        raise MemberError(
            entry.offset, "its compression cannot be read; pack it stored or deflated", f"{method}, method {entry.method}"
        )
    if len(lead) < _LOCAL.size or not lead.startswith(_LOCAL_MAGIC):
        raise MemberError(
            entry.offset, "no local header is where the central directory says", lead[:4].hex(" ") or "end of file"
        )
    _, _, flags, method, _, _, crc, packed, size, name_size, extra_size = _LOCAL.unpack_from(lead)
    start: int = _LOCAL.size + name_size + extra_size
    name = lead[_LOCAL.size : _LOCAL.size + name_size]
    if name != entry.raw_name:
        shown = name[:80].decode("utf-8", "backslashreplace")
        odd(OddityKind.HEADERS, f"has another name in its local header: {shown!r}")
        raise MemberError(entry.offset, "its local header has another name than the central directory", repr(shown))
    if entry.offset + start + entry.packed > entry.end:
        odd(OddityKind.OVERLAP, "overlaps the next entry or the central directory")
        raise MemberError(
            entry.offset,
            "it overlaps the next entry or the central directory, or lies outside the file: some size or offset is wrong",
            f"data from {entry.offset + start} to {entry.offset + start + entry.packed}, room up to {entry.end}",
        )
    # With a data descriptor the local header may leave CRC and sizes to what follows the data (4.4.4, bit 3).
    said = (crc, *local_sizes(lead[_LOCAL.size + name_size : start], packed, size))
    right = (entry.crc, entry.packed, entry.size)
    same = said == right or (flags & _DESCRIPTOR and all(a in (0, b) for a, b in zip(said, right, strict=True)))
    if not same or method != entry.method or (flags ^ entry.flags) & (_ENCRYPTED | _DESCRIPTOR | FLAG_UTF8):
        odd(OddityKind.HEADERS, f"has a local header (offset {entry.offset}) that contradicts the central directory")
    return start


def _check_gap(source: Source, entry: ZipEntry, after: int, odd: Odd) -> None:
    """What stands between the end of an entry's data and the next record: at most a data descriptor."""
    size = entry.end - after
    layout = _DESCRIPTORS.get(size) if entry.flags & _DESCRIPTOR else None
    if layout is None:
        odd(OddityKind.GAP, f"is followed by {size} bytes that belong to no entry (offset {after})")
        return
    descriptor = source.read_at(after, size)
    if len(descriptor) != size or layout.unpack(descriptor) != (entry.crc, entry.packed, entry.size):
        odd(OddityKind.HEADERS, f"has a data descriptor (offset {after}) that contradicts the central directory")
    elif entry.method == _STORED:
        odd(OddityKind.HEADERS, "is stored with its size behind its data only, so that readers in one pass must guess its end")


def _copy(source: Source, first: bytes, offset: int, remaining: int) -> Iterator[bytes]:
    """Stored data."""
    if first:
        yield first
    while remaining:
        chunk = _next(source, offset, remaining)
        offset += len(chunk)
        remaining -= len(chunk)
        yield chunk


def _inflate(source: Source, codec: Codec, data: bytes, offset: int, remaining: int) -> Iterator[bytes]:
    """Deflated data; both ends of the stream must be where the sizes put them."""
    decoder = codec.inflater()
    decompress = decoder.decompress
    try:
        while True:
            chunk = decompress(data, _AT_ONCE)
            while len(chunk) == _AT_ONCE:
                yield chunk
                chunk = decompress(decoder.unconsumed_tail, _AT_ONCE)
            if chunk:
                yield chunk
            if decoder.eof or not remaining:
                break
            data = _next(source, offset, remaining)
            offset += len(data)
            remaining -= len(data)
    except codec.InflateError as error:
        raise MemberError(offset, "its deflated data is damaged; build or download the archive again", str(error)) from None
    if not decoder.eof:
        raise MemberError(offset, "its deflated data has no end; build or download the archive again")
    unused = len(decoder.unused_data) + remaining
    if unused:
        raise MemberError(
            offset + remaining - unused, "its deflated data ends early", f"{unused} bytes before the size in the header"
        )


def _next(source: Source, offset: int, remaining: int) -> bytes:
    chunk = source.read_at(offset, min(remaining, CHUNK))
    if not chunk:
        raise MemberError(offset, "the file ends within its data")
    return chunk
