from __future__ import annotations

import pytest

from checker.model.artifact import Tag
from checker.model.case import Promise
from checker.model.platform import PlatformId
from checker.promises import host, interpreter_of, promises, python_folder, python_tag, unjudged_platforms


def tags(text: str) -> tuple[Tag, ...]:
    python, abi, platform = text.split("-")
    return tuple(Tag(python=python, abi=one, platform=on) for one in abi.split(".") for on in platform.split("."))


def glibc(release: tuple[int, ...], architecture: str = "x86_64") -> PlatformId:
    return PlatformId(family="glibc", release=release, architecture=architecture)


def test_a_compressed_tag_set_promises_its_oldest_platform() -> None:
    (promise,) = promises(tags("cp311-cp311-manylinux_2_26_x86_64.manylinux_2_28_x86_64"), ())
    assert promise.oldest == glibc((2, 26))
    assert promise.tag == "manylinux_2_26_x86_64"


def test_legacy_names_are_their_releases() -> None:
    found = promises(tags("cp311-cp311-manylinux1_x86_64.manylinux2014_aarch64"), ())
    assert [promise.oldest for promise in found] == [glibc((2, 5)), glibc((2, 17), "aarch64")]


def test_a_set_of_both_libcs_promises_both() -> None:
    found = promises(tags("py3-none-manylinux_2_17_x86_64.musllinux_1_2_x86_64"), ())
    assert {promise.oldest.family for promise in found} == {"glibc", "musl"}


def test_a_promise_begins_where_the_architecture_does() -> None:
    (promise,) = promises(tags("cp311-cp311-manylinux_2_17_riscv64"), ())
    assert promise.oldest == glibc((2, 27), "riscv64")


@pytest.mark.parametrize("tag", ["py3-none-any", "cp311-cp311-macosx_11_0_arm64", "cp311-cp311-win_amd64"])
def test_other_systems_are_no_promise_of_ours(tag: str) -> None:
    assert promises(tags(tag), ()) == ()


@pytest.mark.parametrize(
    ("platform", "system"),
    [
        ("win32", "Windows"),
        ("win_amd64", "Windows"),
        ("macosx_11_0_arm64", "macOS"),
        ("android_24_arm64_v8a", "Android"),
        ("ios_13_0_arm64_iphoneos", "iOS"),
        ("pyodide_2025_0_wasm32", "Pyodide"),
        ("pyemscripten_2025_0_wasm32", "Pyodide"),
        ("emscripten_3_1_58_wasm32", "Emscripten"),
        ("freebsd_14_amd64", "FreeBSD"),
    ],
)
def test_a_tag_of_another_system_is_told_as_not_judged(platform: str, system: str) -> None:
    (problem,) = unjudged_platforms(tags(f"cp313-cp313-{platform}"), (), "x.whl")
    assert problem.file == "x.whl"
    assert problem.reason == (
        f"the platform tag '{platform}' promises {system}, whose loader is not known here: "
        "only the archive, its names and its metadata were checked"
    )


def test_a_tag_that_promises_no_release_is_told_with_what_was_judged() -> None:
    mine = tags("cp313-cp313-linux_x86_64")
    (problem,) = unjudged_platforms(mine, promises(mine, ()), "x.whl")
    assert problem.reason == (
        "the platform tag 'linux_x86_64' is what a build gives: it promises no C library and no release of one, and "
        "PyPI refuses it; what hangs on no platform was checked, and how it loads on glibc-2.44-x86_64, the newest known; "
        "run auditwheel repair WHEEL and check the wheel that it writes, or say on what systems this one is to run: "
        "--platform manylinux_2_28_x86_64"
    )
    (problem,) = unjudged_platforms(tags("cp313-cp313-linux_vax"), (), "x.whl")
    assert "no platform was checked; run auditwheel repair WHEEL" in problem.reason


def test_a_wheel_for_musl_that_has_just_been_built_is_told_of_a_musllinux_tag() -> None:
    mine = tags("cp313-cp313-linux_aarch64")
    judged = Promise(
        tag="linux_aarch64",
        oldest=PlatformId(family="musl", release=(1, 2, 5), architecture="aarch64"),
        judged=(),
        baseline=None,
    )
    (problem,) = unjudged_platforms(mine, (judged,), "x.whl")
    assert problem.reason.endswith("--platform musllinux_1_2_aarch64")


def test_a_tag_that_may_be_misspelt_is_told() -> None:
    (problem,) = unjudged_platforms(tags("cp313-cp313-manylinux2020_x86_64"), (), "x.whl")
    assert problem.reason == "the platform tag 'manylinux2020_x86_64' names no known platform: what it promises was not checked"


def test_of_judged_platforms_and_any_nothing_is_told() -> None:
    mine = tags("py3-none-any.manylinux_2_17_x86_64.musllinux_1_2_x86_64")
    assert unjudged_platforms(mine, promises(mine, ()), "x.whl") == ()


def test_an_option_replaces_the_tags() -> None:
    (promise,) = promises(tags("cp311-cp311-manylinux_2_17_x86_64"), (), "glibc-2.36-x86_64")
    assert promise.oldest == glibc((2, 36))


def test_a_platform_that_is_none_is_refused_with_what_is_expected() -> None:
    with pytest.raises(ValueError, match=r"manylinux_2_28_x86_64"):
        promises((), (), "debian12")


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("cp311-cp311-manylinux_2_17_x86_64", "cp311"),
        ("cp39-abi3-manylinux_2_17_x86_64", "cp39"),
        ("cp313-cp313t-manylinux_2_17_x86_64", "cp313t"),
        ("cp315-abi3t-manylinux_2_17_x86_64", "cp315t"),
        ("cp315-abi3.abi3t-manylinux_2_17_x86_64", "cp315"),
        ("cp313-none-manylinux_2_17_x86_64", "cp313"),
        ("pp311-pypy311_pp73-manylinux_2_17_x86_64", "pp311_pp73"),
        ("pp311-none-manylinux_2_17_x86_64", "pp311"),
        ("graalpy311-graalpy242_311_native-manylinux_2_17_x86_64", "graalpy311"),
    ],
)
def test_the_oldest_interpreter_of_the_tags_counts(tag: str, expected: str) -> None:
    assert python_tag(tags(tag)) == expected


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("x.cpython-312-x86_64-linux-gnu.so", "cp312"),
        ("pkg/x.cpython-313t-x86_64-linux-gnu.so", "cp313t"),
        ("x.cpython-37m-x86_64-linux-gnu.so", "cp37"),
        ("x.cpython-313td-x86_64-linux-gnu.so", "cp313t"),
        ("x.pypy311-pp73-x86_64-linux-gnu.so", "pp311_pp73"),
        ("x.pypy39.so", "pp39"),
        ("x.graalpy240-311-native-x86_64-linux.so", "graalpy311"),
        ("x.abi3.so", "cp38"),
        ("x.so", "cp38"),
        ("libx.so.1", "cp38"),
        ("x.pypy3-71-x86_64-linux-gnu.so", "cp38"),
        ("x.cpython-3-x86_64-linux-gnu.so", "cp38"),
    ],
)
def test_a_file_name_tells_the_interpreter_that_alone_imports_it(file: str, expected: str) -> None:
    assert interpreter_of(file, "cp38") == expected


def test_the_library_folder_follows_the_interpreter() -> None:
    assert (python_folder("cp311"), python_folder("cp39"), python_folder("py3")) == ("python3.11", "python3.9", "python3")
    assert python_folder("cp313t") == "python3.13t"


@pytest.mark.parametrize(
    ("tag", "relative"),
    [
        ("cp36-cp36m-manylinux1_x86_64", "cpython-3.8"),
        ("cp399-cp399-manylinux_2_17_x86_64", "cpython-3.15"),
        ("cp314-cp314t-manylinux_2_17_x86_64", "cpython-3.13t and cpython-3.14"),
    ],
)
def test_a_cpython_that_was_not_measured_has_the_nearest_one_in_its_place_and_says_so(tag: str, relative: str) -> None:
    found = host(python_tag(tags(tag)), glibc((2, 17)))
    assert found is not None
    assert not found.is_measured
    assert relative in found.name
    assert found.definitions(b"PyLong_FromLong")


def test_a_stand_in_without_the_lock_has_what_either_relative_has() -> None:
    found = host(python_tag(tags("cp314-cp314t-manylinux_2_17_x86_64")), glibc((2, 17)))
    assert found is not None
    assert found.definitions(b"_Py_DecRefShared")
    assert found.definitions(b"PyUnicodeWriter_Create")
    assert not found.definitions(b"PyNoSuchThing")


def test_a_pypy_that_was_not_measured_has_the_nearest_pypy_in_its_place() -> None:
    found = host(python_tag(tags("pp310-pypy310_pp73-manylinux_2_17_x86_64")), glibc((2, 17)))
    assert found is not None
    assert (found.name, found.is_measured) == ("pp310_pp73 (pypy-3.9 (pp73) in its place)", False)
    assert found.definitions(b"PyPyLong_FromLong")


def test_of_another_interpreter_nothing_is_known_but_its_libraries() -> None:
    found = host(python_tag(tags("graalpy311-graalpy242_311_native-manylinux_2_17_x86_64")), glibc((2, 17)))
    assert found is not None
    assert not found.is_measured
    assert found.definitions(b"PyLong_FromLong") == ()
    assert "libc.so.6" in found.libraries


def test_a_measured_interpreter_is_itself() -> None:
    found = host(python_tag(tags("cp311-cp311-manylinux_2_17_x86_64")), glibc((2, 17)))
    assert found is not None
    assert (found.name, found.is_measured) == ("cpython-3.11", True)


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("cp313-cp313t-manylinux_2_17_x86_64", "cpython-3.13t"),
        ("pp311-pypy311_pp73-manylinux_2_17_x86_64", "pypy-3.11 (pp73)"),
        ("pp311-pypy311_pp80-manylinux_2_17_x86_64", "pypy-3.11 (pp80)"),
        ("pp311-none-manylinux_2_17_x86_64", "pypy-3.11 (pp73)"),
    ],
)
def test_the_abi_tells_which_build_of_an_interpreter_is_meant(tag: str, name: str) -> None:
    found = host(python_tag(tags(tag)), glibc((2, 17)))
    assert found is not None
    assert (found.name, found.is_measured) == (name, True)


def test_a_tag_denies_what_its_policy_denies_and_an_exact_platform_nothing() -> None:
    (promise,) = promises(tags("cp311-cp311-manylinux_2_17_x86_64"), ())
    assert ("libc.so.6", "__cxa_thread_atexit_impl") in promise.private
    (exact,) = promises(tags("cp311-cp311-manylinux_2_17_x86_64"), (), "glibc-2.17-x86_64")
    assert exact.private == ()
