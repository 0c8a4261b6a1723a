"""Directories and single files."""

from __future__ import annotations

import hashlib
import os
import sys
from typing import TYPE_CHECKING

import pytest

from checker.archive import ArchiveError, Limits, hash_artifact, scan
from checker.model.artifact import ArtifactKind, FileKind
from tests.archive.zips import ELF, keep_all, look, zip_bytes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "build"
    (root / "pkg" / "sub").mkdir(parents=True)
    (root / "pkg" / "core.so").write_bytes(ELF)
    (root / "pkg" / "core.so").chmod(0o755)
    (root / "pkg" / "sub" / "text").write_bytes(b"text")
    (root / "pkg.txt").write_bytes(b"")
    return root


def test_a_directory_is_walked_and_its_files_told(tree: Path) -> None:
    seen = look(tree)

    assert (seen.inventory.kind, seen.inventory.name) == (ArtifactKind.DIRECTORY, "build")
    assert (seen.inventory.sha256, seen.inventory.size) == ("", 0)
    assert seen.inventory.problems == ()
    assert seen.hashes == {
        "pkg.txt": hashlib.sha256(b"").hexdigest(),
        "pkg/core.so": hashlib.sha256(ELF).hexdigest(),
        "pkg/sub/text": hashlib.sha256(b"text").hexdigest(),
    }
    assert [m.path for m, _ in seen.elves] == ["pkg/core.so"]
    if os.name == "posix":
        assert {m.path: m.mode for m in seen.inventory.members}["pkg/core.so"] == 0o755


def test_a_trailing_slash_does_not_change_the_name(tree: Path) -> None:
    assert scan(f"{tree}/", keep_all, lambda *_: None).name == "build"


def test_links_are_told_and_not_followed(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"secret")
    (tree / "lib.so").symlink_to("pkg/core.so")
    (tree / "away").symlink_to(tmp_path / "outside")
    (tree / "loop").symlink_to(".")
    (tree / "dangling").symlink_to("nowhere")

    seen = look(tree)

    links = {m.path: m.link for m in seen.inventory.members if m.link is not None}
    assert links == {"lib.so": "pkg/core.so", "away": str(tmp_path / "outside"), "loop": ".", "dangling": "nowhere"}
    assert [m.path for m, _ in seen.elves] == ["pkg/core.so"]
    assert seen.inventory.problems == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no fifos")
def test_a_fifo_is_a_problem_and_is_not_waited_for(tree: Path) -> None:
    os.mkfifo(tree / "fifo")

    assert "no file, folder or link" in look(tree).reasons["fifo"]
    with pytest.raises(ArchiveError, match="neither a file nor a directory"):
        look(tree / "fifo")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_a_problem_of_its_own(tree: Path) -> None:
    (tree / "pkg.txt").chmod(0)
    (tree / "pkg" / "sub").chmod(0)
    try:
        reasons = look(tree).reasons
    finally:
        (tree / "pkg" / "sub").chmod(0o755)

    assert set(reasons) == {"pkg.txt", "pkg/sub"}
    assert all("may not be read" in reason for reason in reasons.values())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_no_text_is_told_with_escapes(tree: Path) -> None:
    (tree / os.fsdecode(b"bad\xff")).write_bytes(b"")

    assert "bad\\xff" in look(tree).hashes


def test_depth_and_number_of_files_are_bounded(tree: Path) -> None:
    deep = look(tree, Limits(nesting=1))
    assert "limit nesting=1 was reached" in deep.reasons["pkg/sub"]
    assert set(deep.hashes) == {"pkg.txt", "pkg/core.so"}

    many = look(tree, Limits(members=1))
    assert "limit members=1 was reached" in many.reasons["pkg/core.so"]
    assert set(many.hashes) == {"pkg.txt"}


def test_a_directory_without_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(ArchiveError, match="no file in this directory; name the directory that holds"):
        look(tmp_path)


def test_a_single_elf_file_is_one_member(tmp_path: Path) -> None:
    (tmp_path / "tool").write_bytes(ELF)

    seen = look(tmp_path / "tool")

    digest = hashlib.sha256(ELF).hexdigest()
    assert (seen.inventory.kind, seen.inventory.sha256, seen.inventory.size) == (ArtifactKind.FILE, digest, len(ELF))
    assert [(m.path, m.kind, m.sha256) for m in seen.inventory.members] == [("tool", FileKind.ELF, digest)]
    assert [content.read(0, len(ELF)) for _, content in seen.elves] == [ELF]


def test_an_elf_file_with_a_zip_behind_it_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "selfextract").write_bytes(ELF + zip_bytes({"a": b"1"}))

    assert look(tmp_path / "selfextract").inventory.kind is ArtifactKind.FILE


@pytest.mark.parametrize(
    ("name", "content"), [("a.zip", b"not a zip file"), ("a-1.tar.gz", b"\x1f\x8b\x08\x00"), ("a.a", b"!<arch>\n")]
)
def test_a_file_of_no_kind_that_can_be_read_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(ArchiveError, match="no wheel, zip or ELF file"):
        look(tmp_path / name)


def test_a_wheel_that_is_no_zip_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a-1-py3-none-any.whl").write_bytes(ELF)

    with pytest.raises(ArchiveError, match="no end record of a zip file"):
        look(tmp_path / "a-1-py3-none-any.whl")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"")

    with pytest.raises(ArchiveError, match="this file is empty; build or download it again"):
        look(tmp_path / "a.whl")


@pytest.mark.parametrize("path", ["nowhere.whl", "nowhere/x.whl", "dist/*.whl"])
def test_a_path_that_does_not_exist_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ArchiveError, match="there is no such file; check the path"):
        look(tmp_path / path)


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(ArchiveError, match="names no file"):
        scan("a\0b", keep_all, lambda *_: None)


def test_the_artifact_hash_is_that_of_its_bytes(tmp_path: Path) -> None:
    content = os.urandom(300_000)
    (tmp_path / "a").write_bytes(content)

    assert hash_artifact(str(tmp_path / "a")) == hashlib.sha256(content).hexdigest()
    assert hash_artifact(str(tmp_path)) == ""
