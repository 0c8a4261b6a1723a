"""Files of detached debug information (``objcopy --only-keep-debug``): headers of a library whose segments have no bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from checker.engine import audit
from checker.model.report import Verdict
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.engine.artifacts import library, wheel

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "pkg/_core.cpython-311-x86_64-linux-gnu.so"
_HEADERS, _HEADER = 64, 56


def detached(image: bytes) -> bytes:
    """The same program headers, every ``p_filesz`` 0."""
    data = bytearray(image)
    (count,) = struct.unpack_from("<H", data, 56)
    for header in range(_HEADERS, _HEADERS + _HEADER * count, _HEADER):
        data[header + 32 : header + 40] = bytes(8)
    return bytes(data)


def test_a_wheel_may_hold_what_no_loader_opens(tmp_path: Path) -> None:
    """As intel_openmp 2026.2.0 has libiomp5.dbg."""
    module = library(defines=("PyInit__core",), needed=("libc.so.6",))
    made = wheel(tmp_path, {MODULE: module, f"{MODULE}.debug": detached(module)})
    for name in ("recommended", "strict"):
        report = audit(str(made), load_policy([name], specs(), directory=str(tmp_path)))
        told = [finding for finding in report.findings if finding.file.endswith(".debug")]
        assert (told, [each for each in report.unchecked if each.file.endswith(".debug")]) == ([], [])
        assert [root.path for root in report.case.roots] == [MODULE]


def test_it_is_no_library_that_another_could_be_given(tmp_path: Path) -> None:
    """glibc: "object file has no dynamic section"."""
    module = library(defines=("PyInit__core",), needed=("libshape.so", "libc.so.6"), runpath="$ORIGIN")
    shape = detached(library(soname="libshape.so", defines=("shape",)))
    report = audit(
        str(wheel(tmp_path, {MODULE: module, "pkg/libshape.so": shape})),
        load_policy(["recommended"], specs(), directory=str(tmp_path)),
    )
    assert report.verdict is Verdict.FAIL
    assert ("missing-library", "libshape.so") in {(finding.rule, finding.subject) for finding in report.findings}
