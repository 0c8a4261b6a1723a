"""The pass over the members: what planners see, what is kept, further passes, limits, memory."""

from __future__ import annotations

import random
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest

from checker.archive import ArchiveError, Limits, scan
from checker.archive.keep import Keep
from checker.model.sparse import RangeMissing, SparseBytes
from tests.archive.zips import DIST_INFO, ELF, WHEEL_NAME, keep_all, look, look_at, raw_zip, wheel_files, zip_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from checker.archive import Ranges, Reread
    from checker.model.artifact import Member

MIB = 1 << 20
BIG = b"\x7fELF" + random.Random(1).randbytes(3 * MIB)  # noqa: S311 -- reproducible, not secret


def scan_with(
    path: Path,
    plan: Callable[[bytes, int], Ranges | None],
    use: Callable[[SparseBytes, Reread], None],
    limits: Limits | None = None,
) -> None:
    def on_elf(_: Member, content: SparseBytes, reread: Reread) -> None:
        use(content, reread)

    scan(str(path), plan, on_elf, limits)


@pytest.fixture(params=[zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def big(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "big.zip"
    path.write_bytes(zip_bytes({"big.so": BIG, "z": b"last"}, method=request.param))
    return path


@pytest.mark.parametrize("size", [5, 1000, 70_000])
def test_a_planner_sees_64_kib_or_all_of_the_file(tmp_path: Path, size: int) -> None:
    seen: list[tuple[bytes, int]] = []
    (tmp_path / "a.zip").write_bytes(zip_bytes({"a": ELF[:size], "b": b"no elf"}))

    scan_with(tmp_path / "a.zip", lambda head, claimed: seen.append((head, claimed)), lambda *_: None)

    assert [claimed for _, claimed in seen] == [size]
    assert len(seen[0][0]) >= min(size, 1 << 16)
    assert ELF.startswith(seen[0][0])


def test_a_planner_sees_64_kib_of_a_stream_that_starts_with_little(tmp_path: Path) -> None:
    empty_blocks = b"\0\0\0\xff\xff" * 60_000
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = (
        packer.compress(ELF[:4]) + packer.flush(zlib.Z_FULL_FLUSH) + empty_blocks + packer.compress(ELF[4:]) + packer.flush()
    )
    data = bytearray(raw_zip([(b"a", packed, zlib.crc32(ELF))]))
    for magic, method_at, size_at in ((b"PK\3\4", 8, 22), (b"PK\1\2", 10, 24)):
        at = data.index(magic)
        data[at + method_at] = 8
        data[at + size_at : at + size_at + 4] = len(ELF).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(data)
    heads: list[bytes] = []

    scan_with(tmp_path / "a.zip", lambda head, _: heads.append(head), lambda *_: None)

    assert [len(head) >= 1 << 16 for head in heads] == [True]


def test_only_the_wanted_ranges_are_kept(big: Path) -> None:
    contents: list[SparseBytes] = []
    wanted = [(0, 100), (2 * MIB - 7, 1000), (len(BIG) - 50, 50), (100, 28), (len(BIG) + 5, 10), (-5, 3)]

    scan_with(big, lambda *_: wanted, lambda content, _: contents.append(content))

    (content,) = contents
    assert content.size == len(BIG)
    assert [(at, len(part)) for at, part in content.parts] == [(0, 100), (100, 28), (2 * MIB - 7, 1000), (len(BIG) - 50, 50)]
    assert all(part == BIG[at : at + len(part)] for at, part in content.parts)
    with pytest.raises(RangeMissing):
        content.read(500, 1)


def test_overlapping_ranges_are_held_once() -> None:
    keep = Keep([(10, 20), (0, 15), (12, 3), (29, 1), (40, 5)], 42)

    keep.feed(0, bytes(range(25)))
    keep.feed(25, bytes(range(25, 60)))

    assert (keep.last, keep.wanted) == (42, 32)
    assert keep.parts() == ((0, bytes(range(30))), (40, b"\x28\x29"))


def test_every_elf_member_is_handed_on_even_with_nothing_kept(big: Path) -> None:
    contents: list[SparseBytes] = []

    scan_with(big, lambda *_: None, lambda content, _: contents.append(content))

    assert contents == [SparseBytes(size=len(BIG), parts=())]


def test_a_further_pass_brings_other_ranges(big: Path) -> None:
    got: list[SparseBytes] = []

    scan_with(big, lambda *_: [(0, 64)], lambda _, reread: got.append(reread([(MIB, 10), (len(BIG) - 5, 99)])))

    assert got == [SparseBytes(size=len(BIG), parts=((MIB, BIG[MIB : MIB + 10]), (len(BIG) - 5, BIG[-5:])))]


def test_a_further_pass_ends_behind_the_last_wanted_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from checker.archive.source import Source

    path = tmp_path / "big.zip"
    path.write_bytes(zip_bytes({"big.so": BIG}))
    read: list[int] = []
    plain = Source.read_at

    def read_at(self: Source, offset: int, size: int) -> bytes:
        data = plain(self, offset, size)
        read.append(len(data))
        return data

    def use(_: SparseBytes, reread: Reread) -> None:
        monkeypatch.setattr(Source, "read_at", read_at)
        reread([(1000, 10)])
        monkeypatch.undo()

    scan_with(path, lambda *_: None, use)

    assert 0 < sum(read) < MIB


def test_further_passes_and_what_they_hold_are_bounded(big: Path) -> None:
    errors: list[str] = []

    def use(_: SparseBytes, reread: Reread) -> None:
        with pytest.raises(ArchiveError) as too_large:
            reread([(0, 2000)])
        reread([(0, 5)])
        with pytest.raises(ArchiveError) as too_often:
            reread([(0, 5)])
        errors.extend([str(too_large.value), str(too_often.value)])

    scan_with(big, lambda *_: None, use, Limits(passes=2, kept_size=1000))

    assert len(errors) == 2
    assert "its tables take 2000 bytes: the limit kept_size=1000 was reached" in errors[0]
    assert "the limit passes=2 was reached" in errors[1]


def test_a_plan_beyond_the_limit_keeps_nothing(big: Path) -> None:
    contents: list[SparseBytes] = []

    scan_with(big, keep_all, lambda content, _: contents.append(content), Limits(kept_size=MIB))

    assert contents == [SparseBytes(size=len(BIG), parts=())]


def test_a_damaged_elf_member_is_not_handed_on(tmp_path: Path) -> None:
    data = zip_bytes({"a.so": ELF}, method=zipfile.ZIP_STORED).replace(bytes(range(256)), bytes(256), 1)

    seen = look_at(tmp_path, data)

    assert seen.elves == []
    assert "its CRC-32 is wrong" in seen.reasons["a.so"]


def test_progress_is_told_after_each_member(big: Path) -> None:
    told: list[tuple[int, int]] = []

    scan(str(big), keep_all, lambda *_: None, on_progress=lambda done, size: told.append((done, size)))

    size = big.stat().st_size
    assert [whole for _, whole in told] == [size, size]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert 0 < told[-1][0] <= size


ZEROS = zip_bytes({"bomb": bytes(80 * MIB), "good": b"good"})


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (
            Limits(ratio_from=MIB),
            "unpacked from .*: this may be a decompression bomb: the limit ratio=100 was reached; --limit ratio=N",
        ),
        (
            Limits(member_size=MIB),
            "up to byte 1048576 only: the limit member_size=1048576 was reached; --limit member_size=N raises it",
        ),
    ],
    ids=["ratio", "member_size"],
)
def test_a_bomb_is_ended_and_the_rest_read(tmp_path: Path, limits: Limits, expected: str) -> None:
    seen = look_at(tmp_path, ZEROS, limits=limits)

    assert set(seen.reasons) == {"bomb"}
    with pytest.raises(ValueError, match=expected):
        raise ValueError(seen.reasons["bomb"])
    sizes = {member.path: member.size for member in seen.inventory.members}
    assert MIB < sizes["bomb"] < 30 * MIB
    assert (seen.hashes["bomb"], bool(seen.hashes["good"])) == ("", True)


def test_the_total_is_bounded_and_what_was_left_out_is_told(tmp_path: Path) -> None:
    files = {"a": b"1" * 600, "b": b"2" * 600, "c": b"3", "d": b"4"}

    seen = look_at(tmp_path, zip_bytes(files), limits=Limits(total_size=1000))

    assert [bool(digest) for digest in seen.hashes.values()] == [True, False, False, False]
    assert "up to byte 400 only: the limit total_size=1000 was reached" in seen.reasons["b"]
    assert "2 further members were not read: the limit total_size=1000 was reached" in seen.reasons["demo.zip"]


def peak(path: Path, limits: Limits) -> int:
    tracemalloc.start()
    try:
        look(path, limits)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_bomb_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "bomb.zip").write_bytes(ZEROS)

    assert peak(tmp_path / "bomb.zip", Limits(ratio=2000)) < 8 * MIB


def test_a_lying_size_allocates_nothing(tmp_path: Path) -> None:
    data = bytearray(zip_bytes({"a.so": ELF}))
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28] = (0xFFFF_FFF0).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(data)

    assert peak(tmp_path / "a.zip", Limits(kept_size=1 << 40)) < 8 * MIB
    assert "is said to have 4294967280" in look(tmp_path / "a.zip").reasons["a.so"]


@pytest.mark.parametrize("content", [b"\n", b"a,,\n", b"x\n", b'"\n'], ids=repr)
def test_a_huge_record_takes_no_more_than_its_own_size(tmp_path: Path, content: bytes) -> None:
    record = content * (4 * MIB // len(content))
    path = tmp_path / WHEEL_NAME
    path.write_bytes(zip_bytes(wheel_files() | {f"{DIST_INFO}/RECORD": record}))

    assert peak(path, Limits(members=10_000)) < 5 * len(record)


def test_limits_are_changed_by_name_with_units() -> None:
    assert Limits().with_setting("member_size=2G") == Limits(member_size=2 << 30)
    assert Limits().with_setting("members=5").with_setting("ratio=3k") == Limits(members=5, ratio=3072)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("size=3", "no limit is called 'size'; there are members, directory_size"),
        ("members", "takes a whole number above 0"),
        ("members=0", "takes a whole number above 0"),
        ("members=-1", "takes a whole number above 0"),
        ("members=2GG", "takes a whole number above 0"),
        (f"members={'9' * 5000}", "takes a whole number above 0"),
    ],
)
def test_a_wrong_limit_is_refused(setting: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        Limits().with_setting(setting)


def test_inflating_ends_exactly_at_the_limit_and_goes_on(tmp_path: Path) -> None:
    for size in (MIB - 1, MIB, MIB + 1, 2 * MIB):
        seen = look_at(tmp_path, zip_bytes({"a": bytes(size)}))
        assert [member.size for member in seen.inventory.members] == [size]
        assert seen.inventory.problems == ()


def test_heavy_modules_are_not_imported_for_a_good_wheel(tmp_path: Path) -> None:
    path = tmp_path / "demo-1.0-py3-none-any.whl"
    path.write_bytes(zip_bytes(wheel_files()))
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "from checker.archive import scan\n"
        "scan(sys.argv[1], lambda *_: None, lambda *_: None)\n"
        "heavy = {'zipfile', 'pathlib', 'email', 'packaging', 'dataclasses', 'inspect', 'csv', 'hashlib', 'argparse'}\n"
        "print(sorted(heavy & (set(sys.modules) - before)))\n"
    )

    ran = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)

    assert ran.stdout == "[]\n"
