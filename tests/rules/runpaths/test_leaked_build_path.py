from __future__ import annotations

import pytest

from checker.model.artifact import Document, ReadProblem
from checker.model.record import replace
from checker.rules.runpaths.leaked_build_path import RULE
from tests.rules.builders import MODULE, ask, case, elf, member, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.case import Case

TREES = (
    "$ORIGIN/../build/lib.linux-x86_64-cpython-311/pkg",
    "$ORIGIN/../_solib_k8/_U_Spkg",
    "$ORIGIN/_core.so.runfiles/__main__",
    "$ORIGIN/../_skbuild/linux-x86_64-3.11/cmake-install",
    "$ORIGIN/CMakeFiles/_core.dir",
    "$ORIGIN/../pip-req-build-1a2b3c4d/src",
    "$ORIGIN/../cmake-build-release",
)


@pytest.mark.parametrize("entry", TREES)
def test_folders_that_only_build_tools_make_fire(entry: str) -> None:
    (found,) = told(RULE, case(elf(runpath=f"{entry}:$ORIGIN")))
    assert (found.file, found.subject) == (MODULE, entry)
    assert "patchelf --set-rpath '$ORIGIN' pkg/_core.so" in found.remedy


@pytest.mark.parametrize(
    "entry", ["$ORIGIN/build", "$ORIGIN/../build/lib", "$ORIGIN/solib", "$ORIGIN/.libs", "$ORIGIN/../pkg.libs"]
)
def test_ordinary_folders_are_silent(entry: str) -> None:
    assert told(RULE, case(elf(runpath=entry))) == []


def test_all_run_paths_are_told_together() -> None:
    (found,) = told(RULE, case(elf(runpath=TREES[1]), elf("pkg/_more.so", runpath=TREES[2])))
    assert "and 1 other file" in found.message
    assert ("files", (MODULE, "pkg/_more.so")) in found.evidence
    assert ("entries", (TREES[1], TREES[2])) in found.evidence


def test_a_folder_of_that_name_in_the_artifact_is_silent() -> None:
    assert told(RULE, case(elf(runpath=TREES[1]), members=(member("_solib_k8/_U_Spkg/libfoo.so"),))) == []


def test_what_is_absolute_or_escapes_is_told_by_others() -> None:
    assert told(RULE, case(elf(runpath="/home/me/pip-req-build-1a2b3c4d/src"))) == []
    assert told(RULE, case(elf(runpath="$ORIGIN/../../../../../build/lib.linux-x86_64/pkg"))) == []


def test_directories_in_an_ignored_rpath_fire() -> None:
    (found,) = told(RULE, case(elf(rpath="/home/me/build:$ORIGIN", runpath="$ORIGIN")))
    assert found.subject == "/home/me/build"
    assert "that the loader ignores" in found.message
    assert told(RULE, case(elf(rpath="$ORIGIN", runpath="$ORIGIN"))) == []


def test_an_entry_that_is_in_force_as_well_is_absolute_run_paths() -> None:
    assert told(RULE, case(elf(rpath="/home/me/build", runpath="/home/me/build"))) == []


def test_a_soname_with_a_directory_fires() -> None:
    (found,) = told(RULE, case(elf("pkg/libfoo.so.1", soname="out/lib/libfoo.so.1")))
    assert (found.file, found.subject) == ("pkg/libfoo.so.1", "out/lib/libfoo.so.1")
    assert "patchelf --set-soname libfoo.so.1 pkg/libfoo.so.1" in found.remedy
    assert told(RULE, case(elf("pkg/libfoo.so.1", soname="libfoo.so.1"))) == []


def with_package_file(content: bytes | None, path: str = "pkg/lib/cmake/PkgTargets.cmake") -> Case:
    asked = case(elf())
    return replace(asked, inventory=replace(asked.inventory, package_files=(Document(path=path, content=content),)))


@pytest.mark.parametrize(
    "line",
    [
        b'  INTERFACE_LINK_LIBRARIES "/tmp/build-env-1/lib/libz.so;m"',
        b"prefix=/project/build/lib.linux-x86_64-cpython-311",
        b"set(PKG_INCLUDE_DIRS /__w/pkg/pkg/include)",
        b"Libs: -L/work/build/lib -lfoo",
        b"Libs: -L${libdir} -I/home/me/include",
    ],
)
def test_a_package_file_that_names_the_build_machine_fires(line: bytes) -> None:
    (found,) = told(RULE, with_package_file(b"# made by CMake\n" + line + b"\n"))
    assert found.file == "pkg/lib/cmake/PkgTargets.cmake"
    assert found.subject.startswith("/")
    assert found.subject in line.decode()


@pytest.mark.parametrize(
    "line",
    [
        b"# built in /home/me/pkg",
        b'set(X "${_IMPORT_PREFIX}/home/lib")',
        b"URL: https://example.org/project/pkg",
        b"set(CUDA /usr/local/cuda/lib64)",
        b"prefix=${pcfiledir}/../..",
        b'if(path MATCHES "^(/home/)")',
    ],
)
def test_other_paths_of_a_package_file_are_silent(line: bytes) -> None:
    assert told(RULE, with_package_file(line)) == []


def test_all_package_files_are_told_together() -> None:
    asked = with_package_file(b"prefix=/project/build/lib\n", "pkg/a.pc")
    files = (*asked.inventory.package_files, Document(path="pkg/b.pc", content=b"prefix=/project/build/other\n"))
    (found,) = told(RULE, replace(asked, inventory=replace(asked.inventory, package_files=files)))
    assert found.message.endswith("/project/build/lib (and 1 other file)")
    assert dict(found.evidence)["files"] == ("pkg/a.pc", "pkg/b.pc")


def test_a_package_file_that_was_not_kept_is_not_passed() -> None:
    (answer,) = ask(RULE, with_package_file(None))
    assert isinstance(answer, ReadProblem)
    assert answer.file == "pkg/lib/cmake/PkgTargets.cmake"
