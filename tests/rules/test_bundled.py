from __future__ import annotations

import pytest

from checker.model.elf import View
from checker.rules.bundled import is_library, plain_name
from tests.rules.builders import elf


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("libfoo-0a1b2c3d.so.1.2", "libfoo.so.1.2"),
        ("pkg.libs/libopenblasp-r0-c9541ae0.3.9.dev.so", "libopenblasp-r0.3.9.dev.so"),
        ("libcudart.faf08d9a.so.13", "libcudart.so.13"),
        ("libfoo.so.1", "libfoo.so.1"),
        ("libdate-20240101x.so", "libdate-20240101x.so"),
        ("libgfortran-040039e1-0352e75f.so.5", "libgfortran.so.5"),
    ],
)
def test_the_hash_of_a_repair_tool_is_taken_off(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("path", "changes", "expected"),
    [
        ("pkg/libfoo.so.1", {}, True),
        ("pkg/plugin.so", {"soname": "plugin.so"}, True),
        ("pkg/plugin.so", {}, False),
        ("pkg/_core.abi3.so", {"soname": "_core.abi3.so"}, False),
        ("pkg/libfoo.so", {"exports": [b"PyInit_libfoo"]}, False),
        ("pkg/tool", {"soname": "x", "interpreter": "/lib64/ld-linux-x86-64.so.2"}, False),
        ("pkg/libc.so.6", {"interpreter": "/lib64/ld-linux-x86-64.so.2"}, True),
        ("pkg/libfoo.so", {"view": View.SECTIONS}, False),
    ],
)
def test_libraries_are_told_from_modules_and_programs(path: str, changes: dict[str, object], expected: bool) -> None:  # noqa: FBT001
    assert is_library(elf(path, **changes)) is expected
