"""Zip files as they should be, and every way in which they should not."""

from __future__ import annotations

import hashlib
import io
import stat
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from checker.archive import ArchiveError, Limits
from checker.model.artifact import ArtifactKind, FileKind
from tests.archive.zips import ELF, END, END64, ENTRY, LOCAL, LOCATOR, look, look_at, patched, raw_zip, zip_bytes

FILES = {"a.txt": b"alpha " * 100, "b/c.bin": ELF, "d.a": b"!<arch>\nrest", "e.zip": zip_bytes({"x": b"y"}), "empty": b""}
WHEELS = sorted((Path(__file__).parents[2] / "testdata").rglob("*.whl"))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def test_members_are_told_with_size_hash_and_kind(tmp_path: Path, method: int) -> None:
    seen = look_at(tmp_path, zip_bytes(FILES, method=method))

    assert seen.inventory.kind is ArtifactKind.ZIP
    assert seen.inventory.name == "demo.zip"
    assert seen.inventory.problems == ()
    assert seen.inventory.oddities == ()
    assert seen.inventory.wheel is None
    assert seen.hashes == {path: sha256(content) for path, content in FILES.items()}
    assert {m.path: m.size for m in seen.inventory.members} == {path: len(content) for path, content in FILES.items()}
    kinds = [m.kind for m in seen.inventory.members]
    assert kinds == [FileKind.OTHER, FileKind.ELF, FileKind.ARCHIVE, FileKind.ZIP, FileKind.OTHER]
    assert [(m.path, content.read(0, content.size)) for m, content in seen.elves] == [("b/c.bin", ELF)]


def test_members_are_sorted_whatever_their_order_in_the_archive(tmp_path: Path) -> None:
    seen = look_at(tmp_path, zip_bytes(dict(reversed(FILES.items()))))

    assert [m.path for m in seen.inventory.members] == sorted(FILES)


def test_sizes_behind_the_data_are_read_from_the_central_directory(tmp_path: Path) -> None:
    class Pipe(io.RawIOBase):
        """Cannot seek, so that zipfile writes data descriptors."""

        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += data
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"content")
    assert struct.unpack_from("<H", pipe.data, 6)[0] & 8

    assert look_at(tmp_path, bytes(pipe.data)).hashes == {"a": sha256(b"content")}


def test_zip64_sizes_and_offsets_are_read(tmp_path: Path) -> None:
    extra = struct.pack("<2H3Q", 1, 24, 5, 5, 0)
    data = raw_zip([(b"a", b"12345", zlib.crc32(b"12345"))], extras={0: extra})
    data = patched(data, ENTRY, 0, 20, "2L", 0xFFFFFFFF, 0xFFFFFFFF)
    data = patched(data, ENTRY, 0, 42, "L", 0xFFFFFFFF)
    data = with_end64(data)

    seen = look_at(tmp_path, data)

    assert seen.inventory.problems == ()
    assert seen.hashes == {"a": sha256(b"12345")}


def with_end64(data: bytes, *, saturate: bool = True) -> bytes:
    """The same archive with a zip64 end record and its locator."""
    end = data.rindex(END)
    _, _, _, _, count, size, offset, _ = struct.unpack_from("<4s4H2LH", data, end)
    wide = struct.pack("<4sQ2H2L4Q", END64, 44, 45, 45, 0, 0, count, count, size, offset)
    locator = struct.pack("<4sLQL", LOCATOR, 0, end, 1)
    narrow = struct.pack("<4s4H2LH", END, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0) if saturate else data[end:]
    return data[:end] + wide + locator + narrow


def test_a_zip64_record_that_contradicts_the_plain_one_is_told(tmp_path: Path) -> None:
    data = with_end64(zip_bytes({"a": b"1"}), saturate=False)
    assert look_at(tmp_path, data).inventory.problems == ()

    data = patched(data, END, 0, 10, "H", 7)

    seen = look_at(tmp_path, data)
    assert "differ on the central directory" in seen.oddities["demo.zip", "end record"]
    assert seen.inventory.problems == ()


def test_a_zip64_record_that_is_not_there_ends_the_reading(tmp_path: Path) -> None:
    data = patched(with_end64(zip_bytes({"a": b"1"})), END64, 0, 0, "L", 0)

    with pytest.raises(ArchiveError, match="zip64 end record is not where its locator says"):
        look_at(tmp_path, data)


def test_a_zip64_field_that_is_too_short_is_a_problem_of_its_member(tmp_path: Path) -> None:
    data = raw_zip([(b"a", b"1", zlib.crc32(b"1")), (b"b", b"2", zlib.crc32(b"2"))], extras={0: struct.pack("<2HL", 1, 4, 0)})
    data = patched(data, ENTRY, 0, 24, "L", 0xFFFFFFFF)

    seen = look_at(tmp_path, data)

    assert "its zip64 field has 4 bytes" in seen.reasons["a"]
    assert seen.hashes == {"a": "", "b": sha256(b"2")}


def test_modes_and_links_are_read_from_the_attributes(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, mode, content in [
            ("run", stat.S_IFREG | 0o755, b"#!"),
            ("lib.so", stat.S_IFLNK | 0o777, b"lib.so.1"),
            ("long", stat.S_IFLNK | 0o777, b"x" * 5000),
        ]:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, content)
        archive.writestr("folder/", b"")

    seen = look_at(tmp_path, buffer.getvalue())

    told = {m.path: (m.mode, m.link) for m in seen.inventory.members}
    assert told == {"run": (0o755, None), "lib.so": (0o777, "lib.so.1"), "long": (0o777, None)}
    assert "at most 4096 bytes (found 5000 bytes)" in seen.reasons["long"]


def test_a_link_to_something_that_looks_like_elf_is_no_elf(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, b"\x7fELF")

    seen = look_at(tmp_path, buffer.getvalue())

    assert [m.kind for m in seen.inventory.members] == [FileKind.OTHER]
    assert seen.elves == []


def test_names_are_utf8_by_flag_and_code_page_437_else(tmp_path: Path) -> None:
    flagged = zip_bytes({"süß": b""})
    plain = raw_zip([(b"s\x81\xe1", b"", 0)])

    assert [m.path for m in look_at(tmp_path, flagged).inventory.members] == ["süß"]
    assert look_at(tmp_path, flagged).oddities == {}
    assert [m.path for m in look_at(tmp_path, plain).inventory.members] == ["süß"]
    assert "without the flag" in look_at(tmp_path, plain).oddities["süß", "name"]


def test_a_name_that_is_not_what_its_flag_says_is_a_problem(tmp_path: Path) -> None:
    data = zip_bytes({"süß": b"1", "b": b"2"}).replace("süß".encode(), b"s\xff\xfe\xff\xfe")

    seen = look_at(tmp_path, data)

    assert "is flagged as UTF-8 and is not (byte 1)" in seen.reasons["s\\xff\\xfe\\xff\\xfe"]
    assert seen.hashes["b"] == sha256(b"2")


def test_a_name_with_a_nul_is_a_problem(tmp_path: Path) -> None:
    seen = look_at(tmp_path, raw_zip([(b"a.py\0.txt", b"1", zlib.crc32(b"1"))]))

    assert "holds a NUL character" in seen.reasons["a.py\\x00.txt"]


def test_members_of_the_same_name_are_all_told(tmp_path: Path) -> None:
    seen = look_at(tmp_path, raw_zip([(b"a", b"1", zlib.crc32(b"1")), (b"a", b"2", zlib.crc32(b"2"))]))

    assert [(m.path, m.sha256) for m in seen.inventory.members] == [("a", sha256(b"1")), ("a", sha256(b"2"))]


@pytest.mark.parametrize(
    ("magic", "offset", "layout", "value", "expected"),
    [
        (ENTRY, 8, "H", 1, "it is encrypted"),
        (ENTRY, 8, "H", 1 << 5, "patched data"),
        (ENTRY, 10, "H", 12, r"bzip2, method 12"),
        (ENTRY, 10, "H", 77, r"an unknown method, method 77"),
        (ENTRY, 16, "L", 1, r"its CRC-32 is wrong: .*recorded 00000001"),
        (ENTRY, 20, "L", 10, "has no end"),
        (ENTRY, 20, "L", 1 << 20, "overlaps the next entry or the central directory"),
        (ENTRY, 24, "L", 10, "holds more than the 10 bytes"),
        (ENTRY, 24, "L", 9999, "it has 600 bytes, and is said to have 9999"),
        (ENTRY, 34, "H", 1, "on another disk"),
        (ENTRY, 42, "L", 5, "no local header is where the central directory says"),
        (ENTRY, 42, "L", 1 << 30, r"no local header .*end of file"),
        (LOCAL, 0, "L", 0, "no local header is where the central directory says"),
        (LOCAL, 30, "B", ord("z"), r"another name than the central directory \(found 'z.txt'\)"),
        (LOCAL, 26, "H", 4, r"another name .*'a.tx'"),
        (LOCAL, 28, "H", 60000, "overlaps the next entry"),
    ],
)
def test_a_damaged_entry_is_a_problem_of_its_member_alone(  # noqa: PLR0917
    tmp_path: Path, magic: bytes, offset: int, layout: str, value: int, expected: str
) -> None:
    data = patched(zip_bytes({"a.txt": FILES["a.txt"], "b": b"2"}), magic, 0, offset, layout, value)

    seen = look_at(tmp_path, data)

    assert set(seen.reasons) == {"a.txt"}
    with pytest.raises(AssertionError, match=expected):
        raise AssertionError(seen.reasons["a.txt"])
    assert seen.hashes == {"a.txt": "", "b": sha256(b"2")}


def test_a_local_header_that_disagrees_is_told_and_the_member_read(tmp_path: Path) -> None:
    data = patched(zip_bytes({"a": b"1"}), LOCAL, 0, 22, "L", 9)

    seen = look_at(tmp_path, data)

    assert "contradicts the central directory" in seen.oddities["a", "headers"]
    assert seen.inventory.problems == ()
    assert seen.hashes == {"a": sha256(b"1")}


def test_damaged_deflate_data_is_a_problem_of_its_member_alone(tmp_path: Path) -> None:
    data = bytearray(zip_bytes({"a": FILES["a.txt"], "b": b"2"}))
    data[31] = 0xFF

    seen = look_at(tmp_path, bytes(data))

    assert "its deflated data is damaged" in seen.reasons["a"]
    assert seen.hashes == {"a": "", "b": sha256(b"2")}


def test_bytes_between_the_end_of_the_deflate_stream_and_the_member_are_told(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(b"text") + packer.flush()
    data = raw_zip([(b"a", packed + b"hidden", zlib.crc32(b"text"))])
    for magic, method_at, size_at in ((ENTRY, 10, 24), (LOCAL, 8, 22)):
        data = patched(patched(data, magic, 0, method_at, "H", 8), magic, 0, size_at, "L", 4)

    assert "ends early (found 6 bytes before the size in the header)" in look_at(tmp_path, data).reasons["a"]


def test_overlapping_entries_are_not_read_twice(tmp_path: Path) -> None:
    entries = [(b"a", b"1" * 50, zlib.crc32(b"1" * 50)), (b"a", b"2", zlib.crc32(b"2"))]
    data = patched(raw_zip(entries), ENTRY, 1, 42, "L", 0)

    seen = look_at(tmp_path, data)

    assert "overlaps the next entry" in seen.reasons["a"]


def test_a_folder_entry_with_content_is_told(tmp_path: Path) -> None:
    seen = look_at(tmp_path, raw_zip([(b"f/", b"hidden", zlib.crc32(b"hidden")), (b"b", b"", 0)]))

    assert seen.oddities == {("f/", "folder"): "is a folder by its name and holds 6 bytes"}
    assert seen.inventory.problems == ()


def test_something_before_the_archive_is_skipped(tmp_path: Path) -> None:
    seen = look_at(tmp_path, b"#!/usr/bin/env python3\n" + zip_bytes({"__main__.py": b"1"}), "app.pyz")

    assert seen.inventory.kind is ArtifactKind.ZIP
    assert seen.inventory.problems == ()
    assert seen.oddities == {("app.pyz", "prefix"): "has 23 bytes before its first file"}
    assert seen.hashes == {"__main__.py": sha256(b"1")}


def test_two_possible_central_directories_are_told(tmp_path: Path) -> None:
    data = zip_bytes({"a": b"1"})

    seen = look_at(tmp_path, data[: data.index(END)] + data)

    assert "has central directories at offset" in seen.oddities["demo.zip", "end record"]


def test_a_comment_is_passed_over(tmp_path: Path) -> None:
    inventory = look_at(tmp_path, zip_bytes({"a": b"1"}, comment=b"a comment")).inventory
    assert (inventory.problems, inventory.oddities) == ((), ())


def test_an_end_record_in_the_comment_that_does_not_reach_the_end_is_told_and_not_used(tmp_path: Path) -> None:
    seen = look_at(tmp_path, zip_bytes({"a": b"1"}, comment=END + bytes(30)))

    assert "has end records at offset" in seen.oddities["demo.zip", "end record"]
    assert seen.hashes == {"a": sha256(b"1")}


def test_of_two_end_records_that_fit_the_last_is_used_as_installers_do(tmp_path: Path) -> None:
    other = zip_bytes({"other": b"2"})
    data = zip_bytes({"a": b"1"})
    data = patched(data, END, 0, 20, "H", len(other)) + other

    seen = look_at(tmp_path, data)

    assert "has end records at offset" in seen.oddities["demo.zip", "end record"]
    assert seen.hashes == {"other": sha256(b"2")}


def test_bytes_behind_the_archive_are_told(tmp_path: Path) -> None:
    seen = look_at(tmp_path, zip_bytes({"a": b"1"}) + b"tail")

    assert "has stray bytes behind the end record" in seen.oddities["demo.zip", "trailing"]
    assert seen.hashes == {"a": sha256(b"1")}


def test_a_damaged_central_directory_keeps_what_stands_before_the_damage(tmp_path: Path) -> None:
    data = patched(zip_bytes({"a": b"1", "b": b"2"}), ENTRY, 1, 0, "L", 0)

    seen = look_at(tmp_path, data)

    assert "the central directory is damaged (found 00 00 00 00)" in seen.reasons["demo.zip"]
    assert seen.hashes == {"a": sha256(b"1")}


def test_a_wrong_count_of_entries_is_told(tmp_path: Path) -> None:
    data = patched(zip_bytes({"a": b"1"}), END, 0, 8, "2H", 3, 3)

    seen = look_at(tmp_path, data)
    assert "counts 3 entries, and a central directory of 1" in seen.oddities["demo.zip", "end record"]
    assert seen.inventory.problems == ()


@pytest.mark.parametrize(
    ("offset", "layout", "value", "expected"),
    [
        (4, "H", 1, "one part of an archive on several disks"),
        (8, "H", 0, "one part of an archive on several disks"),
        (12, "L", 1 << 30, "central directory lies outside the file"),
        (16, "L", 1 << 30, "central directory lies outside the file"),
        (12, "L", 0, "the archive holds no files"),
        (12, "L", 20, "does not start with an entry"),
    ],
)
def test_an_end_record_that_leads_nowhere_ends_the_reading(
    tmp_path: Path, offset: int, layout: str, value: int, expected: str
) -> None:
    with pytest.raises(ArchiveError, match=expected):
        look_at(tmp_path, patched(zip_bytes({"a": b"1"}), END, 0, offset, layout, value))


def test_an_archive_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="holds no files"):
        look_at(tmp_path, zip_bytes({}))
    with pytest.raises(ArchiveError, match="holds no files"):
        look_at(tmp_path, zip_bytes({"only/": b""}))


def test_a_zip_without_end_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"no end record of a zip file .*\(found 40 bytes\)") as caught:
        look_at(tmp_path, zip_bytes({"a": b"1"})[:40])

    assert caught.value.path == str(tmp_path / "demo.zip")


@pytest.mark.parametrize("path", WHEELS, ids=lambda path: path.stem)
def test_wheels_are_read_as_zipfile_reads_them(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        expected = sorted((i.filename, i.file_size, sha256(archive.read(i))) for i in archive.infolist() if not i.is_dir())

    inventory = look(path).inventory

    assert [(m.path, m.size, m.sha256) for m in inventory.members] == expected
    assert inventory.problems == ()


def test_the_limit_of_members_keeps_the_first_and_says_so(tmp_path: Path) -> None:
    seen = look_at(tmp_path, zip_bytes({str(n): b"" for n in range(5)}), limits=Limits(members=3))

    assert [m.path for m in seen.inventory.members] == ["0", "1", "2"]
    assert "limit members=3 was reached; --limit members=N raises it" in seen.reasons["demo.zip"]


def test_a_central_directory_beyond_the_limit_ends_the_reading(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="limit directory_size=10 was reached"):
        look_at(tmp_path, zip_bytes({"a": b""}), limits=Limits(directory_size=10))
