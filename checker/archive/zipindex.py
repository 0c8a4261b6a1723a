"""A zip file's central directory as entries (APPNOTE 6.3.10, sections 4.3.12 and 4.4)."""

from __future__ import annotations

import stat
import struct
from operator import attrgetter

from checker.archive.errors import ArchiveError
from checker.archive.zipend import find_directory
from checker.model.artifact import OddityKind
from checker.model.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from checker.archive.limits import Limits
    from checker.archive.source import Source
    from checker.archive.zipend import Directory

    class Ledger(Protocol):
        """Takes what is told of an archive: :class:`~checker.archive.members.Reader`."""

        def note(self, reason: str, /) -> None:
            """Something that could not be checked."""

        def odd(self, kind: OddityKind, what: str, /) -> None:
            """Something of the whole that readers take differently."""

        def note_member(self, path: str, reason: str, /) -> None:
            """The same as ``note``, of one member."""

        def odd_member(self, path: str, kind: OddityKind, what: str, /) -> None:
            """The same as ``odd``, of one member."""


_ENTRY = struct.Struct("<4s6H3L5H2L")
_ENTRY_MAGIC = b"PK\1\2"
_EXTRA = struct.Struct("<HH")
_ZIP64 = 1
_UNICODE_PATH = 0x7075
"""Info-ZIP's extra field with the name in UTF-8, behind a version and the CRC-32 of the plain name (APPNOTE 4.6.9)."""
_UNICODE_PATH_HEAD = 5
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
        is_exact: ``end`` is where the next local header or the central directory starts, for all that is known.
        mode: the file mode of Unix; 0 when the entry has none.
        fault: why the entry cannot be read; empty when nothing is known against it.
        name_oddity: what readers make of the name differently; empty when nothing.
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
    is_exact: bool
    mode: int
    fault: str
    name_oddity: str

    @property
    def is_link(self) -> bool:
        """The mode says symbolic link."""
        return stat.S_ISLNK(self.mode)

    @property
    def is_folder(self) -> bool:
        """The name ends in a slash, which is how zip files tell folders."""
        return self.raw_name.endswith(b"/")


def read_index(source: Source, limits: Limits, ledger: Ledger) -> list[ZipEntry]:
    """The entries in the order of their local headers, which is the order to read them in.

    Args:
        source: the zip file.
        limits: bounds the number of entries and the size of the directory.
        ledger: is told what of the directory could not be read, and what readers could take differently.

    Raises:
        ArchiveError: there is no central directory, or none of its entries can be read.
    """
    directory = find_directory(source, ledger.odd)
    if directory.size > limits.directory_size:
        error = limits.exceeded("directory_size", f"the central directory has {directory.size} bytes")
        raise ArchiveError(source.path, directory.offset, error.message)
    entries, complete = _parse(source, directory, limits, ledger)
    if not entries:
        raise ArchiveError(source.path, directory.offset, "the archive holds no files; build it again")
    entries = _with_ends(entries, directory.offset, complete=complete)
    if complete and entries[0].offset:
        ledger.odd(OddityKind.PREFIX, f"has {entries[0].offset} bytes before its first file")
    return entries


def _parse(source: Source, directory: Directory, limits: Limits, ledger: Ledger) -> tuple[list[ZipEntry], bool]:
    """The entries in the order of the directory, and whether they are all."""
    data = source.read_at(directory.offset, directory.size)
    entries: list[ZipEntry] = []
    at = 0
    while at < len(data):
        if len(entries) == limits.members:
            ledger.note(str(limits.exceeded("members", "further files of the archive were not read", directory.offset + at)))
            return entries, False
        try:
            entry, at = _parse_entry(data, at, directory.base)
        except struct.error:
            what = "the central directory is damaged" if entries else "the central directory does not start with an entry"
            if not entries:
                raise ArchiveError(source.path, directory.offset + at, what, data[at : at + 4].hex(" ")) from None
            found = data[at : at + 4].hex(" ")
            ledger.note(f"{what} (found {found}), at offset {directory.offset + at}; what follows was not read")
            return entries, False
        entries.append(entry)
    mask = (1 << directory.count_bits) - 1
    if len(entries) & mask != directory.entries:
        ledger.odd(
            OddityKind.END_RECORD,
            f"has an end record that counts {directory.entries} entries, and a central directory of {len(entries)}",
        )
    return entries, True


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
    path, unreadable, name_oddity = _decode(raw_name, flags)
    if extra_size and not name_oddity:
        name_oddity = _other_name(data[extra_at : extra_at + extra_size], path)
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
            is_exact=True,
            mode=attributes >> 16,
            fault=fault or unreadable,
            name_oddity=name_oddity,
        ),
        after,
    )


def _widen(extra: bytes, size: int, packed: int, offset: int, fault: str) -> tuple[int, int, int, str]:
    """Sizes and offset with those replaced that the zip64 extra field holds (4.5.3: only the saturated ones, in this order)."""
    fields = [field for identity, field in _extra_fields(extra) if identity == _ZIP64]
    if not fields:
        return size, packed, offset, fault
    field = fields[0]
    if any(other != field for other in fields):
        return size, packed, offset, f"it has {len(fields)} zip64 fields that differ"
    values = [int.from_bytes(field[i : i + 8], "little") for i in range(0, len(field) - 7, 8)]
    wanted = [size, packed, offset].count(_SEE_ZIP64)
    if len(values) < wanted:
        return size, packed, offset, f"its zip64 field has {len(field)} bytes, too few for {wanted} values"
    wide = iter(values)
    return (*(next(wide) if v == _SEE_ZIP64 else v for v in (size, packed, offset)), fault)  # type: ignore[return-value]


def _extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Identity and content of each extra field (4.5.1)."""
    at = 0
    while at + _EXTRA.size <= len(extra):
        identity, length = _EXTRA.unpack_from(extra, at)
        at += _EXTRA.size
        yield identity, extra[at : at + length]
        at += length


def local_sizes(extra: bytes, packed: int, size: int) -> tuple[int, int]:
    """Packed and unpacked size of a local header, from its zip64 field where they stand there."""
    if _SEE_ZIP64 in (packed, size):
        size, packed, _, _ = _widen(extra, size, packed, 0, "")
    return packed, size


def _other_name(extra: bytes, path: str) -> str:
    """What readers that know Info-ZIP's Unicode name take the entry for, as an oddity; empty when it is the same name."""
    if _UNICODE_PATH.to_bytes(2, "little") not in extra:
        return ""
    for identity, field in _extra_fields(extra):
        if identity == _UNICODE_PATH and field[_UNICODE_PATH_HEAD:] != path.encode("utf-8", "surrogatepass"):
            other = field[_UNICODE_PATH_HEAD:][:80].decode("utf-8", "backslashreplace")
            return f"has another name in its Unicode path field: {other!r}"
    return ""


def _decode(raw_name: bytes, flags: int) -> tuple[str, str, str]:
    """The name as text, why the entry cannot be read for it, and what readers make of it differently."""
    if b"\0" in raw_name:
        path = raw_name.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
        return path, "its name holds a NUL character, where some readers cut it", "has a NUL character in its name"
    if not flags & FLAG_UTF8:
        # 4.4.4: without the flag a name is in code page 437, in which every byte is a character.
        if raw_name.isascii():
            return raw_name.decode("ascii"), "", ""
        return raw_name.decode("cp437"), "", "has a name beyond ASCII without the flag that says UTF-8"
    try:
        return raw_name.decode("utf-8"), "", ""
    except UnicodeDecodeError as error:
        path = raw_name.decode("utf-8", "backslashreplace")
        reason = f"its name is flagged as UTF-8 and is not (byte {error.start})"
        return path, reason, "has a name that is flagged as UTF-8 and is not"


def _with_ends(entries: list[ZipEntry], directory_offset: int, *, complete: bool) -> list[ZipEntry]:
    entries.sort(key=attrgetter("offset"))
    ends = [entry.offset for entry in entries[1:]]
    ends.append(directory_offset)
    return [replace(entry, end=end, is_exact=complete) for entry, end in zip(entries, ends, strict=True)]
