"""What two readers of one zip file could take differently, though ours can read it."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest

from checker.archive import Limits
from tests.archive.zips import ENTRY, LOCAL, look_at, patched, raw_zip, zip_bytes

if TYPE_CHECKING:
    from pathlib import Path

CRC = zlib.crc32(b"12345")
PLAIN = [(b"a", b"12345", CRC), (b"b", b"12345", CRC)]


def spread(data: bytes, filler: bytes, behind: int = 1) -> bytes:
    """The archive with bytes put behind its first local file, all offsets of the others set right."""
    at = data.index(LOCAL, 1) if behind == 1 else data.index(ENTRY)
    moved = bytearray(data[:at] + filler + data[at:])
    end = len(moved) - 22
    count, size, offset = struct.unpack_from("<HLL", moved, end + 10)
    struct.pack_into("<L", moved, end + 16, offset + len(filler))
    entry = offset + len(filler)
    for _ in range(count):
        (local,) = struct.unpack_from("<L", moved, entry + 42)
        if local >= at:
            struct.pack_into("<L", moved, entry + 42, local + len(filler))
        name, extra, comment = struct.unpack_from("<3H", moved, entry + 28)
        entry += 46 + name + extra + comment
    assert entry == offset + len(filler) + size
    return bytes(moved)


@pytest.mark.parametrize("behind", [1, 2])
def test_bytes_between_entries_that_a_reader_in_one_pass_would_meet_are_odd(tmp_path: Path, behind: int) -> None:
    hidden = raw_zip([(b"evil.py", b"12345", CRC)])[:-90]

    seen = look_at(tmp_path, spread(raw_zip(PLAIN), hidden, behind))

    assert "bytes that belong to no entry" in seen.oddities["ab"[behind - 1], "gap"]
    assert seen.inventory.problems == ()


@pytest.mark.parametrize(
    ("descriptor", "expected"),
    [
        (struct.pack("<3L", CRC, 5, 5), "is stored with its size behind its data only"),
        (struct.pack("<4L", 0x08074B50, CRC, 5, 5), "is stored with its size behind its data only"),
        (struct.pack("<LL2Q", 0x08074B50, CRC, 5, 5), "is stored with its size behind its data only"),
        (struct.pack("<4L", 0x08074B50, CRC, 5, 6), "has a data descriptor"),
    ],
)
def test_sizes_behind_stored_data_are_odd_and_wrong_ones_more_so(tmp_path: Path, descriptor: bytes, expected: str) -> None:
    data = raw_zip(PLAIN)
    data = patched(data, LOCAL, 0, 6, "H", 8)
    data = patched(data, LOCAL, 0, 14, "3L", 0, 0, 0)
    data = patched(data, ENTRY, 0, 8, "H", 8)

    seen = look_at(tmp_path, spread(data, descriptor))

    assert seen.oddities["a", "headers"].startswith(expected)
    assert len(seen.oddities) == 1


def test_a_local_zip64_field_is_compared_with_the_directory(tmp_path: Path) -> None:
    def wide(size: int) -> bytes:
        name, extra = b"a", struct.pack("<2H2Q", 1, 16, size, 5)
        local = struct.pack("<4s5H3L2H", LOCAL, 45, 0, 0, 0, 0, CRC, *(0xFFFFFFFF,) * 2, len(name), len(extra))
        body = local + name + extra + b"12345"
        entry = struct.pack("<4s6H3L5H2L", ENTRY, 20, 45, 0, 0, 0, 0, CRC, 5, 5, len(name), 0, 0, 0, 0, 0, 0) + name
        return body + entry + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(body), 0)

    assert look_at(tmp_path, wide(5)).oddities == {}
    assert ("a", "headers") in look_at(tmp_path, wide(6)).oddities


def test_zip64_entries_as_zipfile_writes_them_are_not_odd(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a", "w", force_zip64=True) as stream:
        stream.write(b"12345")

    seen = look_at(tmp_path, buffer.getvalue())

    assert (seen.oddities, seen.reasons) == ({}, {})


def test_a_unicode_path_field_with_another_name_is_odd(tmp_path: Path) -> None:
    def named(unicode: bytes) -> bytes:
        field = struct.pack("<2HBL", 0x7075, 5 + len(unicode), 1, zlib.crc32(b"a")) + unicode
        return raw_zip(PLAIN, extras={0: field})

    assert look_at(tmp_path, named(b"a")).oddities == {}
    assert "another name in its Unicode path field: 'c'" in look_at(tmp_path, named(b"c")).oddities["a", "name"]


def test_two_zip64_fields_that_differ_make_an_entry_unreadable(tmp_path: Path) -> None:
    fields = b"".join(struct.pack("<2HQ", 1, 8, size) for size in (5, 6))
    data = patched(raw_zip(PLAIN, extras={0: fields}), ENTRY, 0, 24, "L", 0xFFFFFFFF)

    assert "2 zip64 fields that differ" in look_at(tmp_path, data).reasons["a"]


@pytest.mark.parametrize(
    ("mode", "kind"),
    [(stat.S_IFDIR, "folder"), (stat.S_IFCHR, "special file"), (stat.S_IFIFO, "special file"), (stat.S_IFSOCK, "special file")],
)
def test_a_mode_that_is_no_files_is_odd(tmp_path: Path, mode: int, kind: str) -> None:
    data = patched(raw_zip(PLAIN), ENTRY, 0, 40, "H", mode | 0o644)

    assert set(look_at(tmp_path, data).oddities) == {("a", kind)}


def test_the_local_header_of_a_folder_is_compared_too(tmp_path: Path) -> None:
    data = zip_bytes({"f/": b"", "b": b"12345"}, method=zipfile.ZIP_STORED)
    assert look_at(tmp_path, data).oddities == {}

    seen = look_at(tmp_path, patched(data, LOCAL, 0, 31, "B", ord("x")))

    assert "another name in its local header: 'fx'" in seen.oddities["f/", "headers"]
    assert "another name than the central directory" in seen.reasons["f/"]


def test_encrypted_and_overlapping_entries_are_odd_and_not_read(tmp_path: Path) -> None:
    encrypted = look_at(tmp_path, patched(raw_zip(PLAIN), ENTRY, 0, 8, "H", 1))
    overlapping = look_at(tmp_path, patched(raw_zip(PLAIN), ENTRY, 1, 42, "L", 0))

    assert encrypted.oddities == {("a", "encrypted"): "is encrypted"}
    assert "it is encrypted" in encrypted.reasons["a"]
    assert any(kind == "overlap" for _, kind in overlapping.oddities)


def test_a_locator_that_leads_elsewhere_is_odd(tmp_path: Path) -> None:
    data = raw_zip(PLAIN)
    end = len(data) - 22
    count, size, offset = struct.unpack_from("<HLL", data, end + 10)
    wide = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, offset)

    def with_locator(at: int) -> bytes:
        return data[:end] + wide + struct.pack("<4sLQL", b"PK\6\7", 0, at, 1) + data[end:]

    assert look_at(tmp_path, with_locator(end)).oddities == {}
    assert set(look_at(tmp_path, b"#!" + with_locator(end)).oddities) == {("demo.zip", "prefix")}
    assert "its locator says 7" in look_at(tmp_path, with_locator(7)).oddities["demo.zip", "end record"]


def test_of_an_archive_that_was_read_in_part_no_gap_is_told(tmp_path: Path) -> None:
    seen = look_at(tmp_path, raw_zip(PLAIN), limits=Limits(members=1))

    assert seen.oddities == {}
    assert "limit members=1" in seen.reasons["demo.zip"]
