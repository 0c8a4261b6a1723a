"""The fixtures of ``testdata/``: they are what their sources build, and do what their tables say.

Nothing here asks the product anything; see ``test_defects.py`` and ``founding/`` for that.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import subprocess
import sys
import sysconfig
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from tools.fixtures import defects, sample
from tools.fixtures.recipes import TESTDATA
from tools.fixtures.toml import read_toml
from tools.fixtures.toolchain import dynamic_facts, identity, missing, without_section_headers
from tools.fixtures.truth import dlopen
from tools.fixtures.wheels import Wheel, wheel_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

EXPECTED: dict[str, Any] = read_toml(defects.FOLDER / "expected.toml")
MANIFEST: dict[str, Any] = json.loads(defects.MANIFEST.read_text())
WHEELS = sorted(MANIFEST["wheels"])
CANNOT_BUILD = missing(*defects.PROGRAMS, "readelf")
on_x86_64_glibc = pytest.mark.skipif(
    sysconfig.get_config_var("MULTIARCH") != "x86_64-linux-gnu", reason="the fixtures are for glibc on x86_64"
)
can_build = pytest.mark.skipif(bool(CANNOT_BUILD), reason=CANNOT_BUILD)


def unpack(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def wheel_of(name: str, state: str) -> Path:
    (path,) = (defects.FOLDER / name).glob(f"*-{defects.VERSIONS[state]}-*.whl")
    return path


def test_every_case_has_a_recipe_an_expectation_and_two_wheels() -> None:
    assert list(defects.cases()) == sorted(EXPECTED)
    found = sorted(p.relative_to(defects.FOLDER).as_posix() for p in defects.FOLDER.glob("*/*.whl"))
    assert found == WHEELS
    assert sorted({w.partition("/")[0] for w in WHEELS}) == sorted(EXPECTED)
    assert len(WHEELS) == 2 * len(EXPECTED)


@pytest.mark.parametrize("name", WHEELS)
def test_a_checked_in_wheel_is_the_one_of_the_manifest(name: str) -> None:
    path = defects.FOLDER / name
    assert hashlib.sha256(path.read_bytes()).hexdigest() == MANIFEST["wheels"][name]["sha256"]
    assert defects.member_digests(path) == MANIFEST["wheels"][name]["members"]
    assert path.stat().st_size < 8192


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_record_is_wrong_only_where_that_is_the_defect(name: str) -> None:
    for state in defects.VERSIONS:
        wrong = []
        with zipfile.ZipFile(wheel_of(name, state)) as archive:
            (record,) = (n for n in archive.namelist() if n.endswith(".dist-info/RECORD"))
            rows = list(csv.reader(archive.read(record).decode().splitlines()))
            assert sorted(r[0] for r in rows) == sorted(archive.namelist())
            for path, told, size in rows:
                data = archive.read(path)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                if path != record and (told, size) != (f"sha256={digest}", str(len(data))):
                    wrong.append(path)
        defect = (name, state) == ("wrong-record-hash", "broken")
        assert wrong == ([EXPECTED[name]["file"]] if defect else [])


@on_x86_64_glibc
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_dlopen_says_of_each_case_what_its_table_says(name: str, tmp_path: Path) -> None:
    case = EXPECTED[name]
    broken = dlopen(unpack(wheel_of(name, "broken"), tmp_path / "broken") / case["file"])
    if case["dlopen"] == "loads":
        assert broken.error == ""
    else:
        assert case["dlopen"] in broken.error
    assert dlopen(unpack(wheel_of(name, "mended"), tmp_path / "mended") / case["file"]).error == ""


@on_x86_64_glibc
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_mended_module_can_be_imported(name: str, tmp_path: Path) -> None:
    unpack(wheel_of(name, "mended"), tmp_path)
    package = name.replace("-", "_")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {package}._core as m; print(m.answer())"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().lstrip("-").isdigit()


@can_build
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_sources_build_what_is_checked_in(name: str, tmp_path: Path) -> None:
    same_tools = identity(*defects.PROGRAMS) == MANIFEST["built_with"]
    for state, path in defects.build_case(name, tmp_path).items():
        kept = wheel_of(name, state)
        if same_tools:
            assert defects.member_digests(path) == defects.member_digests(kept)
        else:
            assert facts_of(path, tmp_path / f"new-{state}") == facts_of(kept, tmp_path / f"kept-{state}")


def facts_of(wheel: Path, folder: Path) -> Mapping[str, tuple[str, ...]]:
    unpack(wheel, folder)
    elves = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.read_bytes().startswith(b"\x7fELF"))
    return {p.relative_to(folder).as_posix(): dynamic_facts(p) for p in elves}


@can_build
def test_facts_that_are_compared_hold_names_versions_and_run_paths(tmp_path: Path) -> None:
    facts = facts_of(wheel_of("bundled-library-too-old", "broken"), tmp_path)
    core = facts["bundled_library_too_old/_core.abi3.so"]
    assert "NEEDED: libshape.so.1" in core
    assert "RUNPATH: $ORIGIN/../bundled_library_too_old.libs" in core
    assert "GLOBAL FUNC undefined: shape_area@SHAPE_2" in core
    assert "GLOBAL FUNC defined: PyInit__core" in core


def test_the_case_without_section_headers_has_none() -> None:
    with zipfile.ZipFile(wheel_of("new-glibc-without-section-headers", "broken")) as archive:
        data = archive.read(EXPECTED["new-glibc-without-section-headers"]["file"])
    assert data[0x28:0x30] == bytes(8)
    assert data[0x3A:0x40] == bytes(6)
    assert b".shstrtab" in data  # the names stay: they are reached through the table only
    assert without_section_headers(data) == data


def test_the_same_wheel_is_written_twice_alike() -> None:
    wheel = Wheel(distribution="a_b", version="1", tag="py2.py3-none-any", files={"z": b"1", "a": b"2"}, pure=True)
    assert wheel_bytes(wheel) == wheel_bytes(wheel)
    assert wheel.file_name == "a_b-1-py2.py3-none-any.whl"


@on_x86_64_glibc
def test_the_measuring_process_tells_the_loaders_words(tmp_path: Path) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(b"not ELF")
    assert dlopen(path).error == "x.so: file too short"
    assert not dlopen(path).loads


def sample_facts(folder: Path, wheel: Path) -> tuple[str, ...]:
    return facts_of(wheel, folder)["wheelproof_sample.abi3.so"]


@pytest.mark.skipif(bool(CANNOT_BUILD) or not (sample.headers() / "Python.h").exists(), reason="needs gcc and Python.h")
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="made with older headers, whose macros call other functions")
def test_the_samples_source_builds_the_sample(tmp_path: Path) -> None:
    built = sample.build(tmp_path)
    assert built.name == sample.checked_in().name
    # The order of the symbols is the compiler's choice, and differs with the headers of another Python.
    assert sorted(sample_facts(tmp_path / "new", built)) == sorted(sample_facts(tmp_path / "kept", sample.checked_in()))


@can_build
def test_the_sample_needs_memcpy_of_glibc_2_14_and_nothing_newer(tmp_path: Path) -> None:
    facts = sample_facts(tmp_path, sample.checked_in())
    versions = {f.partition("@")[2] for f in facts if "@" in f}
    assert versions == {"GLIBC_2.2.5", "GLIBC_2.14"}
    assert [f for f in facts if f.startswith("NEEDED")] == ["NEEDED: libc.so.6"]
    assert [f for f in facts if "defined: PyInit" in f] == ["GLOBAL FUNC defined: PyInit_wheelproof_sample"]


@on_x86_64_glibc
def test_the_sample_works(tmp_path: Path) -> None:
    unpack(sample.checked_in(), tmp_path)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import wheelproof_sample as s; print(s.repeat(b'ab', 3))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("b'ababab'\n", "")
    assert sample.checked_in().stat().st_size < 8192


def test_the_builders_command_names_each_group_of_fixtures() -> None:
    command = [sys.executable, "-m", "tools.fixtures", "--help"]
    done = subprocess.run(command, cwd=TESTDATA.parent, capture_output=True, text=True, check=True)
    groups = {
        path.name for path in TESTDATA.iterdir() if (path / "recipe.toml").exists() or path.name in ("defects", "founding")
    }
    assert groups == {"defects", "founding", "sample"}
    for group in groups:
        assert group in done.stdout
