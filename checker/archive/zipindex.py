"""A zip file's central directory as entries (APPNOTE 6.3.10, sections 4.3.12 and 4.4)."""

from __future__ import annotations

import stat
import struct
from operator import attrgetter

from checker.archive.errors import ArchiveError
from checker.archive.zipend import find_directory
from checker.model.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.archive.content import Note
    from checker.archive.limits import Limits
    from checker.archive.source import Source
    from checker.archive.zipend import Directory

_ENTRY = struct.Struct("<4s6H3L5H2L")
_ENTRY_MAGIC = b"PK\1\2"
_EXTRA = struct.Struct("<HH")
_ZIP64 = 1
_SEE_ZIP64 = 0xFFFFFFFF
FLAG_UTF8 = 1 << 11


@record
class ZipEntry:
    """One entry of the central directory.

    Attributes:
        path: the decoded name.
        raw_name: the name as it stands.
        flags, method: general purpose bits, compression method.
        crc, packed, size: CRC-32 and sizes, as claimed.
        offset: of the local header, in the file.
        end: no byte of the entry may lie there or beyond: the next local header, or the central directory.
        mode: the file mode of Unix; 0 when the entry has none.
        fault: why the entry cannot be read; empty when nothing is known against it.
    """

    path: str
    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    end: int
    mode: int
    fault: str

    @property
    def is_link(self) -> bool:
        """The mode says symbolic link."""
        return stat.S_ISLNK(self.mode)

    @property
    def is_folder(self) -> bool:
        """The name ends in a slash, which is how zip files tell folders."""
        return self.raw_name.endswith(b"/")


def read_index(source: Source, limits: Limits, note: Note) -> list[ZipEntry]:
    """The entries in the order of their local headers, which is the order to read them in.

    Args:
        source: the zip file.
        limits: bounds the number of entries and the size of the directory.
        note: is told what of the directory could not be read.

    Raises:
        ArchiveError: there is no central directory, or none of its entries can be read.
    """
    directory = find_directory(source, note)
    if directory.size > limits.directory_size:
        error = limits.exceeded("directory_size", f"the central directory has {directory.size} bytes")
        raise ArchiveError(source.path, directory.offset, error.message)
    entries = _parse(source, directory, limits, note)
    if not entries:
        raise ArchiveError(source.path, directory.offset, "the archive holds no files; build it again")
    return _with_ends(entries, directory.offset)


def _parse(source: Source, directory: Directory, limits: Limits, note: Note) -> list[ZipEntry]:
    data = source.read_at(directory.offset, directory.size)
    entries: list[ZipEntry] = []
    at = 0
    while at < len(data):
        if len(entries) == limits.members:
            note(str(limits.exceeded("members", "further files of the archive were not read", directory.offset + at)))
            return entries
        try:
            entry, at = _parse_entry(data, at, directory.base)
        except struct.error:
            what = "the central directory is damaged" if entries else "the central directory does not start with an entry"
            if not entries:
                raise ArchiveError(source.path, directory.offset + at, what, data[at : at + 4].hex(" ")) from None
            note(f"{what} (found {data[at : at + 4].hex(' ')}), at offset {directory.offset + at}; what follows was not read")
            return entries
        entries.append(entry)
    mask = (1 << directory.count_bits) - 1
    if len(entries) & mask != directory.entries:
        note(f"the end record counts {directory.entries} entries, the central directory holds {len(entries)}")
    return entries


def _parse_entry(data: bytes, at: int, base: int) -> tuple[ZipEntry, int]:
    """One entry, and where the next one starts; ``struct.error`` when there is none here."""
    (magic, _, _, flags, method, _, _, crc, packed, size, name_size, extra_size, comment_size, disk, _, attributes, offset) = (
        _ENTRY.unpack_from(data, at)
    )
    extra_at = at + _ENTRY.size + name_size
    after = extra_at + extra_size + comment_size
    if magic != _ENTRY_MAGIC or after > len(data):
        raise struct.error
    raw_name = data[at + _ENTRY.size : extra_at]
    fault = "its bytes are on another disk of the archive" if disk else ""
    if _SEE_ZIP64 in (packed, size, offset):
        size, packed, offset, fault = _widen(data[extra_at : extra_at + extra_size], size, packed, offset, fault)
    path, decoded = _decode(raw_name, flags)
    return (
        ZipEntry(
            path=path,
            raw_name=raw_name,
            flags=flags,
            method=method,
            crc=crc,
            packed=packed,
            size=size,
            offset=base + offset,
            end=0,
            mode=attributes >> 16,
            fault=fault or decoded,
        ),
        after,
    )


def _widen(extra: bytes, size: int, packed: int, offset: int, fault: str) -> tuple[int, int, int, str]:
    """Sizes and offset with those replaced that the zip64 extra field holds (4.5.3: only the saturated ones, in this order)."""
    at = 0
    while at + _EXTRA.size <= len(extra):
        identity, length = _EXTRA.unpack_from(extra, at)
        at += _EXTRA.size
        if identity == _ZIP64:
            field = extra[at : at + length]
            values = [int.from_bytes(field[i : i + 8], "little") for i in range(0, len(field) - 7, 8)]
            wanted = [size, packed, offset].count(_SEE_ZIP64)
            if len(values) < wanted:
                return size, packed, offset, f"its zip64 field has {length} bytes, too few for {wanted} values"
            wide = iter(values)
            return (*(next(wide) if v == _SEE_ZIP64 else v for v in (size, packed, offset)), fault)  # type: ignore[return-value]
        at += length
    return size, packed, offset, fault


def _decode(raw_name: bytes, flags: int) -> tuple[str, str]:
    """The name as text, and what is wrong with it (empty when nothing is)."""
    if b"\0" in raw_name:
        path = raw_name.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
        return path, "its name holds a NUL character, where some readers cut it"
    if not flags & FLAG_UTF8:
        # 4.4.4: without the flag a name is in code page 437, in which every byte is a character.
        return raw_name.decode("ascii") if raw_name.isascii() else raw_name.decode("cp437"), ""
    try:
        return raw_name.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return raw_name.decode("utf-8", "backslashreplace"), f"its name is flagged as UTF-8 and is not (byte {error.start})"


def _with_ends(entries: list[ZipEntry], directory_offset: int) -> list[ZipEntry]:
    entries.sort(key=attrgetter("offset"))
    ends = [entry.offset for entry in entries[1:]]
    ends.append(directory_offset)
    return [replace(entry, end=end) for entry, end in zip(entries, ends, strict=True)]
