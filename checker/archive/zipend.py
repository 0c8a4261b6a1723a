"""Where a zip file's central directory lies: the records at its end (APPNOTE 6.3.10, sections 4.3.14 to 4.3.16)."""

from __future__ import annotations

import struct

from checker.archive.errors import ArchiveError
from checker.model.artifact import OddityKind
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.archive.content import Odd
    from checker.archive.source import Source

_END = struct.Struct("<4s4H2LH")
_END_MAGIC = b"PK\5\6"
_LOCATOR = struct.Struct("<4sLQL")
_LOCATOR_MAGIC = b"PK\6\7"
_END64 = struct.Struct("<4sQ2H2L4Q")
_END64_MAGIC = b"PK\6\6"
_ENTRY_MAGIC = b"PK\1\2"
_LONGEST_COMMENT = 0xFFFF
_SEE_END64_16 = 0xFFFF
_SEE_END64_32 = 0xFFFFFFFF


@record
class Directory:
    """The place of the central directory.

    Attributes:
        offset: of its first entry, in the file.
        size: in bytes.
        entries: how many the end record counts.
        count_bits: width of that count: it is a remainder where writers let it overflow.
        base: bytes that stand before the archive in the file (a launcher, for one); offsets of members count from there.
    """

    offset: int
    size: int
    entries: int
    count_bits: int
    base: int


def find_directory(source: Source, odd: Odd) -> Directory:
    """The central directory that installers use.

    Args:
        source: the file.
        odd: is told of records that two readers could take differently.

    Raises:
        ArchiveError: there is none, it lies outside the file, or the archive spans several disks.
    """
    end = _find_end(source, odd)
    _, disk, first_disk, here, entries, size, offset, _ = _END.unpack(source.read_at(end, _END.size))
    bits = 16
    stop = end
    end64 = _read_end64(source, end)
    said = stop
    if end64 is not None:
        stop, said, wide = end64
        narrow = (entries, size, offset)
        escapes = (_SEE_END64_16, _SEE_END64_32, _SEE_END64_32)
        if any(n not in (w, escape) for n, w, escape in zip(narrow, wide[5:], escapes, strict=True)):
            odd(
                OddityKind.END_RECORD,
                f"has an end record and a zip64 end record (offset {stop}) that differ on the central directory",
            )
        disk, first_disk, here, entries, size, offset = wide[2:]
        bits = 64
    if disk or first_disk or here != entries:
        raise ArchiveError(
            source.path,
            end,
            "this is one part of an archive on several disks; join the parts first",
            f"disk {disk} of {first_disk}",
        )
    base = stop - size - offset
    if base < 0:
        raise ArchiveError(
            source.path,
            end,
            "the central directory lies outside the file, which is cut short or damaged; build or download it again",
            f"offset {offset}, size {size}",
        )
    if base and source.read_at(offset, 4) == _ENTRY_MAGIC:
        odd(OddityKind.END_RECORD, f"has central directories at offset {offset} and {base + offset}")
    if said not in (stop, stop - base):
        odd(OddityKind.END_RECORD, f"has a zip64 end record at offset {stop}, and its locator says {said}")
    return Directory(offset=base + offset, size=size, entries=entries, count_bits=bits, base=base)


def has_end(source: Source) -> bool:
    """Some end record reaches exactly to the end of the file: a zip file with something before it."""
    start, tail = _tail(source)
    return any(_fits(source, start, tail, at) for at in _candidates(tail))


def _tail(source: Source) -> tuple[int, bytes]:
    start = max(0, source.size - _LONGEST_COMMENT - _END.size)
    return start, source.read_at(start, source.size - start)


def _candidates(tail: bytes) -> list[int]:
    """Every place in the tail where an end record may start, last first."""
    found = []
    at = tail.rfind(_END_MAGIC, 0, max(0, len(tail) - _END.size + len(_END_MAGIC)))
    while at >= 0:
        found.append(at)
        at = tail.rfind(_END_MAGIC, 0, at + len(_END_MAGIC) - 1)
    return found


def _fits(source: Source, start: int, tail: bytes, at: int) -> bool:
    """The comment of this record ends where the file ends."""
    return start + at + _END.size + int.from_bytes(tail[at + 20 : at + 22], "little") == source.size


def _find_end(source: Source, odd: Odd) -> int:
    """Offset of the end record; an archive's comment may hold the signature too."""
    start, tail = _tail(source)
    found = _candidates(tail)
    if not found:
        raise ArchiveError(
            source.path,
            None,
            "no end record of a zip file is in this file: it is cut short, or no zip file; build or download it again",
            f"{source.size} bytes",
        )
    fitting = [at for at in found if _fits(source, start, tail, at)]
    chosen = fitting[0] if fitting else found[0]
    if not fitting:
        odd(OddityKind.TRAILING, f"has stray bytes behind the end record at offset {start + chosen}")
    elif len(fitting) > 1 or chosen != found[0]:
        other = next(at for at in (*fitting, *found) if at != chosen)
        odd(OddityKind.END_RECORD, f"has end records at offset {start + chosen} and {start + other}")
    return start + chosen


def _read_end64(source: Source, end: int) -> tuple[int, int, tuple[int, ...]] | None:
    """The zip64 end record: its offset, that which the locator says, and its fields from the version on.

    ``None`` when no locator precedes the end record. With something before the archive the locator's offset is short by that
    much. So the record that ends at the locator is taken, as Python's zipfile does (newer ones refuse what the locator denies).
    """
    locator = source.read_at(end - _LOCATOR.size, _LOCATOR.size) if end >= _LOCATOR.size else b""
    if not locator.startswith(_LOCATOR_MAGIC):
        return None
    _, disk, offset, disks = _LOCATOR.unpack(locator)
    if disk or disks > 1:
        raise ArchiveError(
            source.path, end - _LOCATOR.size, "this is one part of an archive on several disks; join the parts first"
        )
    for at in (end - _LOCATOR.size - _END64.size, offset):
        record = source.read_at(at, _END64.size) if at >= 0 else b""
        if len(record) == _END64.size and record.startswith(_END64_MAGIC):
            return at, offset, _END64.unpack(record)[2:]
    raise ArchiveError(
        source.path, end - _LOCATOR.size, "the zip64 end record is not where its locator says; the file is damaged", str(offset)
    )
