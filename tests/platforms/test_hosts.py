from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING

import pytest

from checker import platforms
from checker.platforms.interpreters import suffixes

if TYPE_CHECKING:
    from checker.platforms.interpreters import Interpreter

ARCHITECTURES = ("x86_64", "i686", "aarch64", "armv7l", "ppc64le", "s390x", "riscv64", "loongarch64")


def host(tag: str, release: tuple[int, ...] | None = None) -> Interpreter:
    found = platforms.host(tag, "x86_64", "glibc", release)
    assert found is not None
    return found


def test_exports_follow_the_version() -> None:
    assert not host("cp38").definitions(b"PyObject_CallNoArgs")
    assert host("cp39").definitions(b"PyObject_CallNoArgs")
    assert host("cp38").definitions(b"_PyObject_FastCallDict")
    assert host("cp313").name == "cpython-3.13"


def test_the_build_without_the_lock_exports_what_shared_counts_need() -> None:
    assert host("cp313t").definitions(b"_Py_DecRefShared")
    assert not host("cp313").definitions(b"_Py_DecRefShared")
    assert host("cp313t").name == "cpython-3.13t"


def test_pypy_exports_the_api_under_names_of_its_own() -> None:
    assert host("pp311_pp73").definitions(b"PyPyList_New")
    assert not host("pp311_pp73").definitions(b"PyList_New")
    assert host("pp311_pp73").libraries == ("libm.so.6", "libc.so.6")


def test_file_names_follow_version_and_architecture() -> None:
    found = {(version, architecture): names for version, architecture, names in suffixes("cpython")}
    assert found[(3, 8), "x86_64"] == (".abi3.so", ".cpython-38-x86_64-linux-gnu.so")
    assert found[(3, 14), "armv7l"] == (".abi3.so", ".cpython-314-arm-linux-gnueabihf.so")
    assert ".abi3t.so" in found[(3, 15), "x86_64"]
    assert {architecture for version, architecture in found if version == (3, 14)} == set(ARCHITECTURES)


def test_data_symbols_are_exports_too() -> None:
    (entry,) = host("cp311").definitions(b"PyExc_ValueError")
    assert (entry.version, entry.index, entry.hidden) == (None, 1, False)
    assert entry.type == 1


def test_a_name_never_measured_is_not_exported() -> None:
    assert host("cp311").definitions(b"PyNoSuchThing") == ()
    assert not host("cp311").maybe(b"PyNoSuchThing")


def test_what_only_some_builds_export_is_no_definition_but_maybe() -> None:
    from checker.platforms.catalogue import load_catalogue
    from checker.platforms.table import load

    table = load(load_catalogue().files["host", "cpython"])
    sometimes = [name for name in table.names() if host("cp311").maybe(name)]
    assert sometimes
    assert all(host("cp311").definitions(name) == () for name in sometimes)


@pytest.mark.parametrize("tag", ["pp310", "pp311_pp74", "graalpy311", "py3", "cp37", "cp314t", "cp399", "cp3", "abi3", ""])
def test_an_interpreter_that_was_not_measured_is_no_host(tag: str) -> None:
    assert platforms.host(tag, "x86_64", "glibc") is None


def test_no_host_is_known_on_an_unknown_architecture() -> None:
    assert platforms.host("cp311", "vax", "glibc") is None


def test_an_interpreter_brings_threads_and_dlopen_where_they_are_libraries_of_their_own() -> None:
    assert host("cp311", (2, 17)).libraries[:2] == ("libpthread.so.0", "libdl.so.2")
    assert host("cp311", (2, 34)).libraries == host("cp311").libraries == ("libm.so.6", "libc.so.6")


def test_on_musl_it_brings_musl() -> None:
    found = platforms.host("cp312", "aarch64", "musl")
    assert found is not None
    assert found.libraries == ("libc.so",)
    assert found.definitions(b"PyModule_Create2")


@pytest.mark.skipif(
    sys.implementation.name != "cpython" or sys.platform != "linux" or sys.version_info[:2] > (3, 14),
    reason="the running interpreter is no measured CPython on Linux",
)
def test_the_running_interpreter_exports_all_that_data_tells_of_its_version() -> None:
    from checker.platforms.catalogue import load_catalogue
    from checker.platforms.table import load

    mine = host(f"cp{sys.version_info[0]}{sys.version_info[1]}")
    table = load(load_catalogue().files["host", "cpython"])
    told = [name for name in table.names() if name.startswith(b"Py") and mine.definitions(name)]
    assert len(told) > 1000
    assert [name for name in told if not hasattr(ctypes.pythonapi, name.decode())] == []
