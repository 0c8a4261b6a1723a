"""Sizes by what a container says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.archive import ArchiveError, Limits, scan
from checker.archive.sizes import artifact_sizes
from tests.archive.zips import ENTRY, WHEEL_NAME, patched, wheel_files, zip_bytes

if TYPE_CHECKING:
    from pathlib import Path


def test_a_wheels_sizes_are_those_that_a_scan_measures(tmp_path: Path) -> None:
    path = tmp_path / WHEEL_NAME
    path.write_bytes(zip_bytes(wheel_files() | {"folder/": b""}))

    sizes = artifact_sizes(str(path))
    inventory = scan(str(path), lambda _head, _size: None, lambda *_: None)

    assert (sizes.name, sizes.size) == (WHEEL_NAME, path.stat().st_size)
    assert sizes.members == tuple((member.path, member.size) for member in inventory.members)


def test_a_directory_is_as_large_as_its_files(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b").write_bytes(b"12")
    (tmp_path / "a").write_bytes(b"345")

    sizes = artifact_sizes(str(tmp_path))

    assert (sizes.name, sizes.size, sizes.members) == (tmp_path.name, 5, (("a", 3), ("deep/b", 2)))


def test_a_single_file_is_its_own_member(tmp_path: Path) -> None:
    (tmp_path / "x.so").write_bytes(b"\x7fELF")

    sizes = artifact_sizes(str(tmp_path / "x.so"))

    assert (sizes.size, sizes.members) == (4, (("x.so", 4),))


def test_what_cannot_be_read_whole_has_no_size(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(patched(zip_bytes({"a": b"1", "b": b"2"}), ENTRY, 1, 0, "L", 0))
    with pytest.raises(ArchiveError, match="central directory is damaged"):
        artifact_sizes(str(path))
    path.write_bytes(zip_bytes({"a": b"1", "b": b"2"}))
    with pytest.raises(ArchiveError, match="limit members=1 was reached"):
        artifact_sizes(str(path), Limits(members=1))
    with pytest.raises(ArchiveError, match="no such file"):
        artifact_sizes(str(tmp_path / "absent"))
