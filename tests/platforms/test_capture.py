"""What is found in a root file system: layouts, caches, configuration, interpreters, and hostile ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from checker.capturing import Wish, capture
from checker.model.platform import PlatformId
from checker.platforms import ldconfig
from checker.platforms.capture import render
from checker.platforms.rootfs import CaptureError, RootFs
from tests.elfwriter import AARCH64, DEFINED, I686, Hash, Machine, Symbol, Visibility
from tests.elfwriter.spec import S390X
from tests.platforms.roots import LOADER, MULTIARCH, cache, debian, libc, library, root

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from checker.platforms.capture import Capture, CapturedFile


_ZLIB: dict[str, bytes | str] = {"libz.so.1": "libz.so.1.2", "libz.so.1.2": library("libz.so.1", "inflate")}


def captured(folder: Path, files: Mapping[str, bytes | str], **wish: object) -> Capture:
    return capture(str(root(folder, files)), Wish(**wish))  # type: ignore[arg-type]


def by_name(capture: Capture) -> dict[str, CapturedFile]:
    return {name: file for file in capture.libraries for name in file.names}


def test_a_merged_usr_debian_is_captured_by_real_paths_and_every_name(tmp_path: Path) -> None:
    found = captured(tmp_path, debian(**_ZLIB))
    assert found.id == PlatformId(family="glibc", release=(2, 36), architecture="x86_64")
    assert found.system == ("Test GNU/Linux", "1 (one)")
    assert [(file.path, file.names) for file in found.libraries] == [
        (f"/{MULTIARCH}/{LOADER}", (LOADER,)),
        (f"/{MULTIARCH}/libc.so.6", ("libc.so.6",)),
        (f"/{MULTIARCH}/libz.so.1.2", ("libz.so.1", "libz.so.1.2")),
    ]


@pytest.mark.parametrize(
    ("machine", "loader", "directory", "platform"),
    [
        (AARCH64, "lib/ld-linux-aarch64.so.1", "lib64", "glibc-2.17-aarch64"),
        (AARCH64, "lib/ld-linux-aarch64.so.1", "usr/lib/aarch64-linux-gnu", "glibc-2.17-aarch64"),
        (S390X, "lib/ld64.so.1", "usr/lib64", "glibc-2.17-s390x"),
        (I686, "lib/ld-linux.so.2", "lib", "glibc-2.17-i686"),
        (I686, "lib/ld-linux.so.2", "lib/i386-linux-gnu", "glibc-2.17-i686"),
    ],
)
def test_default_directories_are_those_of_the_architecture(
    tmp_path: Path, machine: Machine, loader: str, directory: str, platform: str
) -> None:
    name = loader.rpartition("/")[2]
    files = {loader: library(name, machine=machine), f"{directory}/libc.so.6": libc("2.17", machine=machine)}
    found = captured(tmp_path, files)
    assert str(found.id) == platform
    assert {"libc.so.6", name} <= by_name(found).keys()


def test_a_32_bit_process_does_not_look_into_lib64(tmp_path: Path) -> None:
    files = {"lib/ld-linux.so.2": library("ld-linux.so.2", machine=I686), "lib64/libc.so.6": libc(machine=I686)}
    with pytest.raises(CaptureError, match=r"would not find libc\.so\.6"):
        captured(tmp_path, files)


def test_the_cache_is_asked_before_the_default_directories(tmp_path: Path) -> None:
    files = debian(**{"liba.so.1": library("liba.so.1", "old")})
    files["opt/liba.so.1"] = library("liba.so.1", "new")
    files["etc/ld.so.cache"] = cache(("liba.so.1", "/opt/liba.so.1"))
    assert by_name(captured(tmp_path, files))["liba.so.1"].path == "/opt/liba.so.1"


def test_an_entry_of_the_cache_that_leads_nowhere_or_elsewhere_is_passed_over(tmp_path: Path) -> None:
    files = debian(**{"liba.so.1": library("liba.so.1")})
    files["opt/liba.so.1"] = library("liba.so.1", machine=I686)
    files["etc/ld.so.cache"] = cache(("liba.so.1", "/gone/liba.so.1"), ("liba.so.1", "/opt/liba.so.1"))
    assert by_name(captured(tmp_path, files))["liba.so.1"].path == f"/{MULTIARCH}/liba.so.1"


def test_libraries_for_some_processors_only_are_not_the_platforms(tmp_path: Path) -> None:
    files = debian(**{"liba.so.1": library("liba.so.1")})
    fast = "/opt/glibc-hwcaps/x86-64-v3/liba.so.1"
    files[fast[1:]] = library("liba.so.1", "fast")
    files["etc/ld.so.cache"] = cache(("liba.so.1", fast), hwcap={fast: 1 << 62})
    assert by_name(captured(tmp_path, files))["liba.so.1"].path == f"/{MULTIARCH}/liba.so.1"


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("order", ["<", ">"])
def test_both_forms_and_byte_orders_of_the_cache_are_read(old: bool, order: str) -> None:  # noqa: FBT001 (a parameter)
    entries = (("liba.so.1", "/a/liba.so.1"), ("liba.so.1", "/b/liba.so.1"))
    assert ldconfig.read_cache(cache(*entries, old=old, order=order)) == entries


def test_every_cut_of_a_cache_is_no_cache_or_loses_strings_only() -> None:
    whole = cache(("liba.so.1", "/a/liba.so.1"))
    for size in range(len(whole)):
        assert ldconfig.read_cache(whole[:size]) in {None, ()}
    assert ldconfig.read_cache(b"glibc-ld.so.cache1.1" + b"\xff" * 28) is None


def test_without_a_cache_the_configuration_is_followed_with_its_includes(tmp_path: Path) -> None:
    files = debian()
    files["etc/ld.so.conf"] = b"# ours\ninclude ld.so.conf.d/*.conf\n/opt/last\n"
    files["etc/ld.so.conf.d/b.conf"] = b"/opt/b/\n"
    files["etc/ld.so.conf.d/a.conf"] = b"/opt/a # first\ninclude /etc/ld.so.conf\n"
    files["etc/ld.so.conf.d/no.txt"] = b"/opt/no\n"
    for name in ("a", "b", "last", "no"):
        files[f"opt/{name}/lib{name}.so"] = library(None, name)
    folder = root(tmp_path, files)
    assert ldconfig.configuration(RootFs(str(folder))) == ("/opt/a", "/opt/b", "/opt/last")
    found = by_name(capture(str(folder), Wish()))
    assert {"liba.so", "libb.so", "liblast.so"} <= found.keys()
    assert "libno.so" not in found


def test_musl_is_found_by_its_loader_and_reads_its_path_file(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {
        "lib/ld-musl-x86_64.so.1": library("libc.so", "malloc", comment=b"musl libc (x86_64)\0J*1.2.5\0\0"),
        "opt/liba.so.1": library("liba.so.1", "here"),
        "lib/libb.so.1": library("libb.so.1", "there"),
        "etc/ld-musl-x86_64.path": b"/opt\n/more:/again\n",
    }
    found = captured(tmp_path / "path", files)
    assert str(found.id) == "musl-1.2.5-x86_64"
    assert by_name(found).keys() == {"ld-musl-x86_64.so.1", "libc.so", "libc.musl-x86_64.so.1", "liba.so.1"}
    del files["etc/ld-musl-x86_64.path"]
    assert by_name(captured(tmp_path / "default", files)).keys() >= {"libb.so.1"}


def test_of_several_architectures_the_wide_one_is_taken_or_the_one_asked_for(tmp_path: Path) -> None:
    files = debian()
    files["usr/lib/ld-linux.so.2"] = library("ld-linux.so.2", machine=I686)
    files["usr/lib/i386-linux-gnu/libc.so.6"] = libc("2.36", machine=I686)
    folder = str(root(tmp_path, files))
    assert capture(folder, Wish()).id.architecture == "x86_64"
    narrow = capture(folder, Wish(architecture="i686"))
    assert narrow.id.architecture == "i686"
    assert by_name(narrow).keys() == {"ld-linux.so.2", "libc.so.6"}
    with pytest.raises(CaptureError, match=r"no C library for aarch64; there are: x86_64 \(glibc\), i686 \(glibc\)"):
        capture(folder, Wish(architecture="aarch64"))


def test_a_library_behind_another_ones_run_path_is_private(tmp_path: Path) -> None:
    files = debian(**{"liba.so.1": library("liba.so.1", needed=("libin.so.1",), runpath="$ORIGIN/private")})
    files[f"{MULTIARCH}/private/libin.so.1"] = library("libin.so.1", "inner")
    (private,) = (file for file in captured(tmp_path, files).libraries if file.is_private)
    assert (private.path, private.names) == (f"/{MULTIARCH}/private/libin.so.1", ())


def test_a_limited_capture_knows_of_all_others_that_they_are_there(tmp_path: Path) -> None:
    files = debian(**{name: library(name, "f") for name in ("libz.so.1", "libx.so.1", "libstdc++.so.6")})
    found = by_name(captured(tmp_path, files, libraries=("libz.*",)))
    assert {name for name, file in found.items() if file.facts is not None} == {
        LOADER,
        "libc.so.6",
        "libz.so.1",
        "libstdc++.so.6",
    }
    assert found["libx.so.1"].unmeasured == "not asked for"


def test_a_library_that_cannot_be_read_is_there_all_the_same(tmp_path: Path) -> None:
    broken = library("liba.so.1", *(f"name{number}" for number in range(50)))
    found = by_name(captured(tmp_path, debian(**{"liba.so.1": broken[: len(broken) // 3]})))
    assert found["liba.so.1"].facts is None
    assert found["liba.so.1"].unmeasured.startswith("not readable: ")


def test_an_interpreter_is_its_program_and_the_libpython_behind_its_run_path(tmp_path: Path) -> None:
    files = debian(**{"libm.so.6": library("libm.so.6", "cos", needed=("libc.so.6",))})
    files["opt/py/bin/python3"] = "python3.11"
    files["opt/py/bin/python3.11"] = library(
        None, "main_only", needed=("libpython3.11.so.1.0", "libc.so.6"), runpath="/opt/py/bin/../lib"
    )
    files["opt/py/lib/libpython3.11.so.1.0"] = library("libpython3.11.so.1.0", "Py_IncRef", needed=("libm.so.6", "libc.so.6"))
    interpreter = captured(tmp_path, files, python="/opt/py/bin/python3").interpreter
    assert interpreter is not None
    assert interpreter.name == "cpython-3.11"
    assert [file.path for file in interpreter.files] == ["/opt/py/bin/python3.11", "/opt/py/lib/libpython3.11.so.1.0"]
    assert interpreter.loads == ("libc.so.6", "libm.so.6")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/usr/bin/gone", "no such file inside the root"),
        ("/usr", "no such file inside the root"),
        ("/usr/bin/script3.11", "is no ELF file for this architecture"),
        ("/usr/bin/tool", "neither its name nor that of its library tells"),
        ("/usr/bin/python3.11", r"needs libgone\.so\.1, which its loader would not find"),
    ],
)
def test_what_is_no_interpreter_is_told(tmp_path: Path, path: str, message: str) -> None:
    files = debian()
    files["usr/bin/script3.11"] = b"#!/bin/sh\n"
    files["usr/bin/tool"] = library(None, "main")
    files["usr/bin/python3.11"] = library(None, "main", needed=("libgone.so.1",))
    with pytest.raises(CaptureError, match=message):
        captured(tmp_path, files, python=path)


def test_a_root_without_a_c_library_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="no C library found"):
        captured(tmp_path, {"usr/lib/libz.so.1": library("libz.so.1")})
    with pytest.raises(CaptureError, match="no such directory"):
        capture(str(tmp_path / "gone"), Wish())
    with pytest.raises(CaptureError, match="is not a directory"):
        capture(str(tmp_path / "usr/lib/libz.so.1"), Wish())


def test_a_c_library_that_does_not_tell_its_release_is_refused(tmp_path: Path) -> None:
    files = debian(**{"libc.so.6": library("libc.so.6", "malloc", version="GLIBC_2.36")})
    with pytest.raises(CaptureError, match="does not tell its release"):
        captured(tmp_path, files)


def test_no_link_leads_out_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.so").write_bytes(library("secret.so", "secret"))
    files = debian(
        **{
            "libup.so": "../" * 40 + str(tmp_path / "outside/secret.so"),
            "libabsolute.so": str(tmp_path / "outside/secret.so"),
            "libloop.so": "libloop.so",
        }
    )
    found = captured(tmp_path / "root", files)
    assert by_name(found).keys() == {LOADER, "libc.so.6"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    folder = root(tmp_path, debian())
    for name in ("etc/ld.so.conf", "etc/ld.so.cache", f"{MULTIARCH}/libpipe.so.1"):
        os.mkfifo(folder / name)
    assert by_name(capture(str(folder), Wish())).keys() == {LOADER, "libc.so.6"}


def test_a_configuration_beyond_its_bound_is_not_read(tmp_path: Path) -> None:
    folder = root(tmp_path, {"etc/ld.so.conf": b"/opt/a\n" + b"#" * (1 << 20)})
    assert ldconfig.configuration(RootFs(str(folder))) == ()


def test_a_directory_beyond_its_bound_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.platforms.rootfs._MOST_ENTRIES", 1)
    with pytest.raises(CaptureError, match="more than 1 entries"):
        captured(tmp_path, debian())


def test_more_than_can_be_held_is_told_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.capturing._TOTAL_KEPT", 10)
    with pytest.raises(CaptureError, match="--library"):
        captured(tmp_path, debian())


def test_the_same_root_elsewhere_gives_the_same_bytes(tmp_path: Path) -> None:
    files = debian(**{"libz.so.1": library("libz.so.1", "inflate", "deflate")})
    one, other = (
        captured(tmp_path / name, dict(order)) for name, order in (("a", files.items()), ("b", reversed(files.items())))
    )
    assert "".join(render(one)) == "".join(render(other))
    assert str(tmp_path) not in "".join(render(one))


def test_only_what_a_hash_table_leads_to_is_told_with_all_that_a_lookup_weighs(tmp_path: Path) -> None:
    symbols = (
        Symbol(name="kept", shndx=DEFINED, visibility=Visibility.PROTECTED, binding=2, type=1),
        Symbol(name="lost", shndx=DEFINED, hashed=False),
        Symbol(name="odd name%", shndx=DEFINED, type=10, binding=10),
        Symbol(name="wanted"),
    )
    text = "".join(render(captured(tmp_path, debian(**{"liba.so.1": library("liba.so.1", symbols=symbols)}))))
    (section,) = (part for part in text.split("\n\n") if "soname liba.so.1" in part)
    assert section.splitlines()[-3:] == ["symbols 2", "kept D weak protected", "odd%20name%25 I unique"]


def test_a_library_without_a_hash_table_exports_nothing(tmp_path: Path) -> None:
    from tests.elfwriter import Elf, write

    bare = write(Elf(soname="liba.so.1", symbols=(Symbol(name="lost", shndx=DEFINED),), gnu_hash=Hash.EMPTY))
    text = "".join(render(captured(tmp_path, debian(**{"liba.so.1": bare}))))
    assert "lost" not in text
