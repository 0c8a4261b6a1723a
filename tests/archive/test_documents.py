"""Which texts of a wheel are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.archive import Limits, scan
from checker.archive.documents import Documents, is_package_file
from checker.model.artifact import Document
from checker.model.record import replace
from tests.engine.artifacts import wheel

if TYPE_CHECKING:
    from pathlib import Path

KEPT = ("pkg/lib/pkgconfig/foo.pc", "pkg/cmake/FooConfig.cmake", "pkg/cmake/foo-config.cmake", "share/FooTargets-release.cmake")
OTHERS = ("pkg/foo.py", "pkg/Modules/FindFoo.cmake", "pkg/config.txt", "pkg/targets.py", "pkg/foo.pcap", "pkg/epc")


@pytest.mark.parametrize("path", KEPT)
def test_what_other_builds_read_is_a_package_file(path: str) -> None:
    assert is_package_file(path)


@pytest.mark.parametrize("path", OTHERS)
def test_other_files_are_none(path: str) -> None:
    assert not is_package_file(path)
    assert not Documents(Limits()).wants(path, 1)


def test_the_inventory_holds_them_sorted_and_tells_what_was_too_much(tmp_path: Path) -> None:
    path = wheel(tmp_path, {"pkg/b.pc": b"prefix=/b", "pkg/a.pc": b"prefix=/a", "pkg/FindFoo.cmake": b""})
    inventory = scan(str(path), lambda _head, _size: None, lambda *_: None)
    assert inventory.package_files == (
        Document(path="pkg/a.pc", content=b"prefix=/a"),
        Document(path="pkg/b.pc", content=b"prefix=/b"),
    )
    small = scan(str(path), lambda _head, _size: None, lambda *_: None, replace(Limits(), documents_size=10))
    assert [(one.path, one.content) for one in small.package_files] == [("pkg/a.pc", None), ("pkg/b.pc", b"prefix=/b")]
