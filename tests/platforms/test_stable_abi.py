from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from checker import platforms
from checker.platforms.catalogue import load_catalogue
from checker.platforms.table import load
from tests.platforms.test_generators import tool

if TYPE_CHECKING:
    from pathlib import Path

    from tests.platforms.test_generators import Tool

__all__ = ["tool"]

NO_RELEASE_BUILD = {b"_Py_RefTotal", b"_Py_NegativeRefcount", b"PyOS_CheckStack"}
"""Of builds with Py_REF_DEBUG or USE_STACKCHECK."""


def test_symbols_are_dated() -> None:
    abi = platforms.stable_abi()
    assert abi.since(b"PyArg_Parse") == (3, 2)
    assert abi.since(b"PyType_GetModule") == (3, 10)
    assert abi.since(b"PyExc_ValueError") == (3, 2)
    assert abi.since(b"_PyObject_GC_New") == (3, 2)
    assert abi.since(b"PyUnicode_New") is None


@pytest.mark.parametrize("minor", range(8, 15))
def test_every_measured_interpreter_exports_the_stable_abi_of_its_version(minor: int) -> None:
    host = platforms.host(f"cp3{minor}", "x86_64", "glibc")
    assert host is not None
    abi = platforms.stable_abi()
    names = load(load_catalogue().files["host", "stable-abi"]).names()
    mine = [name for name in names if (since := abi.since(name)) is not None and since <= (3, minor)]
    lacking = {name for name in mine if not host.definitions(name)} - NO_RELEASE_BUILD
    # The measured builds of 3.9 have it as a macro alone.
    assert lacking <= ({b"PyCFunction_New"} if minor == 9 else set())


SOURCE = """
_FUNCTIONS: Final = {
    Symbol(name="PyA", visibility=None): Function(
        symbol=Symbol(name="PyA", visibility=None), added=PyVersion(major=3, minor=10), ifdef=None, abi_only=False),
    Symbol(name="PyErr_SetFromWindowsErr", visibility=None): Function(
        symbol=Symbol(name="PyErr_SetFromWindowsErr", visibility=None), added=PyVersion(major=3, minor=2),
        ifdef=_FEATURE_MACROS["MS_WINDOWS"], abi_only=False),
}
_DATAS: Final = {
    Symbol(name="PyB", visibility=None): Data(
        symbol=Symbol(name="PyB", visibility=None), added=PyVersion(major=3, minor=2), ifdef=None, abi_only=False),
}
"""


def test_the_generator_reads_the_tables_and_leaves_out_windows(tool: Tool, tmp_path: Path) -> None:
    path = tmp_path / "abi3info.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("abi3info/_internal.py", SOURCE)
    made = tool("stable_abi")
    assert made.lines(made.from_wheel(path)) == ["PyA - F since=3.10", "PyB - D"]


def test_the_generator_refuses_another_layout(tool: Tool, tmp_path: Path) -> None:
    path = tmp_path / "abi3info.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("abi3info/_internal.py", "_FUNCTIONS: Final = {}")
    with pytest.raises(ValueError, match="no _DATAS"):
        tool("stable_abi").from_wheel(path)
