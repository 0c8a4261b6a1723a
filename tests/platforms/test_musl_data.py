from __future__ import annotations

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


def exports(platform: str, name: bytes) -> bool:
    library = baseline(platform).library("libc.so")
    assert library is not None
    return bool(library.definitions(name))


def test_a_tag_is_judged_on_the_oldest_measured_release_of_its_series() -> None:
    assert str(baseline("musllinux_1_2_x86_64", "musllinux_1_2_x86_64").id) == "musl-1.2.2-x86_64"


def test_musl_has_no_glibc_only_names() -> None:
    for release in ("1.2.2", "1.2.6"):
        assert exports(f"musl-{release}-x86_64", b"memcpy")
        assert not exports(f"musl-{release}-x86_64", b"__cxa_thread_atexit_impl")
        assert not exports(f"musl-{release}-x86_64", b"gnu_get_libc_version")


@pytest.mark.parametrize(("release", "there"), [("1.2.3", True), ("1.2.4", False), ("1.2.5", False)])
def test_large_file_names_are_exported_up_to_1_2_3(release: str, *, there: bool) -> None:
    assert exports(f"musl-{release}-x86_64", b"open64") is there


def test_alpine_s_name_for_musl_is_musl() -> None:
    on = baseline("musl-1.2.5-x86_64")
    assert on.library("libc.musl-x86_64.so.1") is on.library("libc.so")
    assert on.is_promised("libc.musl-x86_64.so.1")
    assert on.library("libc.musl-aarch64.so.1") is None
    assert on.library("libm.so.6") is None


def test_symbols_of_musl_have_no_versions() -> None:
    library = baseline("musl-1.2.5-x86_64").library("libc.so")
    assert library is not None
    assert library.versions == ()
    (entry,) = library.definitions(b"memcpy")
    assert (entry.version, entry.index, entry.hidden) == (None, 1, False)
