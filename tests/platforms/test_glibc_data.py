from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from checker import platforms

if TYPE_CHECKING:
    from checker.platforms.assembly import PlatformBaseline


def baseline(platform: str, tag: str | None = None) -> PlatformBaseline:
    asked = platforms.parse_platform(platform)
    assert asked is not None
    found = platforms.baseline(asked, tag)
    assert found is not None
    return found


def versions(platform: str, soname: str, name: str) -> list[str]:
    """``name@V`` for hidden versions, ``name@@V`` for the default one, as binutils writes them."""
    library = baseline(platform).library(soname)
    assert library is not None
    return [f"{'@' if entry.hidden else '@@'}{(entry.version or b'').decode()}" for entry in library.definitions(name.encode())]


@pytest.mark.parametrize("name", ["pthread_create", "shm_open", "dlopen", "openpty", "getaddrinfo_a"])
def test_symbols_moved_to_libc_in_2_34(name: str) -> None:
    old = {"pthread_create": "libpthread.so.0", "shm_open": "librt.so.1", "dlopen": "libdl.so.2"}
    soname = old.get(name, "libutil.so.1" if name == "openpty" else "libanl.so.1")
    for release in ("2.5", "2.17", "2.33"):
        assert versions(f"glibc-{release}-x86_64", soname, name)[-1].startswith("@@GLIBC_2.")
        assert versions(f"glibc-{release}-x86_64", "libc.so.6", name) == []
    for release in ("2.34", "2.44"):
        assert versions(f"glibc-{release}-x86_64", soname, name) == []
        assert versions(f"glibc-{release}-x86_64", "libc.so.6", name)[-1] == "@@GLIBC_2.34"


def test_what_moved_is_in_libc_under_its_old_version_too() -> None:
    assert versions("glibc-2.34-x86_64", "libc.so.6", "pthread_create") == ["@GLIBC_2.2.5", "@@GLIBC_2.34"]
    assert versions("glibc-2.32-x86_64", "libc.so.6", "pthread_sigmask") == ["@GLIBC_2.2.5", "@@GLIBC_2.32"]


def test_an_architecture_begins_with_the_version_of_its_first_release() -> None:
    assert versions("glibc-2.34-x86_64", "libc.so.6", "memcpy") == ["@GLIBC_2.2.5", "@@GLIBC_2.14"]
    assert versions("glibc-2.13-x86_64", "libc.so.6", "memcpy") == ["@@GLIBC_2.2.5"]
    assert versions("glibc-2.34-i686", "libc.so.6", "memcpy") == ["@@GLIBC_2.0"]
    assert versions("glibc-2.34-aarch64", "libc.so.6", "memcpy") == ["@@GLIBC_2.17"]
    assert versions("glibc-2.44-loongarch64", "libc.so.6", "memcpy") == ["@@GLIBC_2.36"]
    assert versions("glibc-2.44-loongarch64", "libc.so.6", "pthread_create") == ["@@GLIBC_2.36"]


def test_scalbln_is_in_libm_only() -> None:
    assert versions("glibc-2.17-x86_64", "libm.so.6", "scalbln") == ["@@GLIBC_2.2.5"]
    assert baseline("glibc-2.17-x86_64").definers(b"scalbln") == ("libm.so.6",)


def test_what_can_no_longer_be_linked_is_hidden_under_every_version() -> None:
    assert all(version.startswith("@GLIBC") for version in versions("glibc-2.44-x86_64", "libc.so.6", "sys_errlist"))
    assert versions("glibc-2.31-x86_64", "libc.so.6", "sys_errlist")[-1] == "@@GLIBC_2.12"


def test_the_default_is_not_always_the_newest_version() -> None:
    assert versions("glibc-2.36-s390x", "libc.so.6", "_setjmp") == ["@@GLIBC_2.2", "@GLIBC_2.19"]


def test_the_loader_has_the_architecture_s_soname() -> None:
    for platform, soname in (("glibc-2.36-x86_64", "ld-linux-x86-64.so.2"), ("glibc-2.36-s390x", "ld64.so.1")):
        on = baseline(platform)
        loader, libc = on.library(soname), on.library("libc.so.6")
        assert loader is not None
        assert libc is not None
        assert loader.definitions(b"_rtld_global")
        assert libc.needed == (soname,)
        assert on.is_promised(soname)
    assert versions("glibc-2.5-x86_64", "ld-linux-x86-64.so.2", "__tls_get_addr") == ["@@GLIBC_2.3"]
    assert baseline("glibc-2.36-x86_64").library("ld-linux.so.2") is None


def test_version_nodes_come_in_file_order_with_the_base_first() -> None:
    libc = baseline("glibc-2.36-x86_64").library("libc.so.6")
    assert libc is not None
    assert libc.versions[:4] == (b"libc.so.6", b"GLIBC_2.2.5", b"GLIBC_2.2.6", b"GLIBC_2.3")
    assert libc.versions[-3:] == (b"GLIBC_2.36", b"GLIBC_ABI_DT_RELR", b"GLIBC_PRIVATE")
    assert libc.definitions(b"free")[0].index == 2
    older = baseline("glibc-2.35-x86_64").library("libc.so.6")
    assert older is not None
    assert b"GLIBC_ABI_DT_RELR" not in older.versions


def test_nodes_that_came_with_moved_symbols_are_dated_by_the_move() -> None:
    for release, there in (("2.33", False), ("2.34", True)):
        libc = baseline(f"glibc-{release}-x86_64").library("libc.so.6")
        assert libc is not None
        assert (b"GLIBC_2.31" in libc.versions) is there


def test_needed_libraries_follow_the_merge_of_2_34() -> None:
    before, after = (baseline(f"glibc-{release}-x86_64").library("librt.so.1") for release in ("2.33", "2.34"))
    assert before is not None
    assert after is not None
    assert before.needed == ("libpthread.so.0", "libc.so.6")
    assert after.needed == ("libc.so.6",)


def test_a_library_is_absent_before_the_release_that_brought_it() -> None:
    assert baseline("glibc-2.21-x86_64").library("libmvec.so.1") is None
    assert baseline("glibc-2.22-x86_64").library("libmvec.so.1") is not None
    assert baseline("glibc-2.36-i686").library("libmvec.so.1") is None


def test_releases_of_a_symbol_are_found_by_name_version_and_library() -> None:
    first = platforms.first_release_with
    assert first("glibc", "x86_64", b"shm_open", b"GLIBC_2.34") == (2, 34)
    assert first("glibc", "x86_64", b"shm_open", None) == (2, 5)
    assert first("glibc", "x86_64", b"shm_open", None, "libc.so.6") == (2, 34)
    assert first("glibc", "x86_64", b"no_such_symbol", None) is None


def test_who_defines_names_library_and_version() -> None:
    assert platforms.who_defines(b"shm_open", baseline("glibc-2.28-x86_64")) == (("librt.so.1", "GLIBC_2.2.5"),)
    assert ("libstdc++.so.6", "GLIBCXX_3.4") in platforms.who_defines(b"_ZSt4cout", baseline("glibc-2.28-x86_64"))


@pytest.mark.parametrize("soname", ["../index", "libc.so.6.txt", "", "/etc/passwd", "libc.so.6\0"])
def test_a_strange_soname_is_no_library(soname: str) -> None:
    assert baseline("glibc-2.28-x86_64").library(soname) is None


@pytest.mark.parametrize("architecture", ["x86_64", "i686", "aarch64", "armv7l", "ppc64le", "s390x", "riscv64", "loongarch64"])
def test_a_newer_glibc_defines_all_that_an_older_one_does(architecture: str) -> None:
    """Somewhere: symbols move between libraries, and libc loses only what its developers withdrew."""
    withdrawn = {b"malloc_get_state", b"malloc_set_state", b"__libc_memalign"}
    releases = [
        release
        for release in platforms.releases("glibc", architecture)
        if release in {(2, 5), (2, 17), (2, 33), (2, 34), (2, 44)}
    ]
    for older, newer in itertools.pairwise(releases):
        before, after = (baseline(f"glibc-{release[0]}.{release[1]}-{architecture}") for release in (older, newer))
        lost = _public(before) - _public(after)
        assert {name for name, _ in lost if name not in withdrawn and b"placeholder" not in name} == set()


def _public(on: PlatformBaseline) -> set[tuple[bytes, bytes | None]]:
    from checker.platforms.catalogue import load_catalogue
    from checker.platforms.table import load

    found: set[tuple[bytes, bytes | None]] = set()
    for (group, name), path in load_catalogue().files.items():
        library = on.library(name) if group == "glibc" and name != "ld.so" else None
        if library is not None:
            entries = ((symbol, entry.version) for symbol in load(path).names() for entry in library.definitions(symbol))
            found.update((symbol, version) for symbol, version in entries if version != b"GLIBC_PRIVATE")
    return found
