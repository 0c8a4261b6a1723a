from __future__ import annotations

import pytest

from checker import platforms
from checker.model.platform import PlatformId


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("manylinux1_x86_64", "glibc-2.5-x86_64"),
        ("manylinux2010_i686", "glibc-2.12-i686"),
        ("manylinux2014_aarch64", "glibc-2.17-aarch64"),
        ("manylinux_2_28_x86_64", "glibc-2.28-x86_64"),
        ("manylinux_2_31_riscv64", "glibc-2.31-riscv64"),
        ("musllinux_1_2_armv7l", "musl-1.2-armv7l"),
        ("glibc-2.36-x86_64", "glibc-2.36-x86_64"),
        ("musl-1.2.5-aarch64", "musl-1.2.5-aarch64"),
    ],
)
def test_a_linux_tag_names_the_oldest_platform_that_it_promises(text: str, expected: str) -> None:
    assert str(platforms.parse_platform(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["any", "linux_x86_64", "macosx_11_0_arm64", "win_amd64", "win32", "android_24_arm64_v8a", "ios_13_0_arm64_iphoneos"],
)
def test_a_tag_without_a_linux_c_library_names_no_platform(text: str) -> None:
    assert platforms.parse_platform(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "manylinux_2_x86_64",
        "manylinux2020_x86_64",
        "glibc-2-x86_64",
        "glibc-2.36",
        "../etc",
        "musllinux2_1_x86_64",
        "winter",
    ],
)
def test_what_names_nothing_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="manylinux_2_28_x86_64"):
        platforms.parse_platform(text)


def test_releases_begin_where_an_architecture_begins() -> None:
    assert platforms.releases("glibc", "x86_64")[0] == (2, 5)
    assert platforms.releases("glibc", "aarch64")[0] == (2, 17)
    assert platforms.releases("glibc", "riscv64")[0] == (2, 27)
    assert platforms.releases("glibc", "loongarch64")[0] == (2, 36)
    assert platforms.newest("glibc", "s390x") == (2, 44)
    assert platforms.releases("glibc", "vax") == ()
    assert platforms.newest("bionic", "x86_64") is None


def test_a_tag_older_than_its_architecture_is_judged_on_the_oldest_system_there_is() -> None:
    asked = platforms.parse_platform("manylinux_2_17_riscv64")
    assert asked is not None
    found = platforms.baseline(asked, "manylinux_2_17_riscv64")
    assert found is not None
    assert str(found.id) == "glibc-2.27-riscv64"


@pytest.mark.parametrize("platform", ["glibc-2.4-x86_64", "glibc-9.1-x86_64", "glibc-2.36-ppc64", "musl-1.2.99-x86_64"])
def test_a_platform_without_data_has_no_baseline(platform: str) -> None:
    asked = platforms.parse_platform(platform)
    assert asked is not None
    assert platforms.baseline(asked) is None


def test_the_oldest_true_tag_is_told_with_what_keeps_it_from_being_older() -> None:
    needs = ["GLIBC_2.14", "GLIBCXX_3.4.20", "OPENSSL_3.0.0"]
    choice = platforms.tag_for("glibc", "x86_64", needs, ["libc.so.6", "libstdc++.so.6", "ld-linux-x86-64.so.2"])
    assert (choice.tag, choice.aliases) == ("manylinux_2_24_x86_64", ())
    assert (choice.versions, choice.sonames) == (("GLIBCXX_3.4.20",), ())


def test_needs_of_the_first_policy_have_its_alias_and_nothing_older() -> None:
    choice = platforms.tag_for("glibc", "x86_64", ["GLIBC_2.2.5"], ["libc.so.6"])
    assert (choice.tag, choice.aliases, choice.versions) == ("manylinux_2_5_x86_64", ("manylinux1_x86_64",), ())


def test_a_library_of_no_policy_leaves_no_tag() -> None:
    choice = platforms.tag_for("glibc", "aarch64", [], ["libssl.so.3"])
    assert choice.tag is None
    assert choice.sonames == ("libssl.so.3",)


def test_names_of_exact_platforms_are_ordered_by_release() -> None:
    older = PlatformId(family="glibc", release=(2, 9), architecture="x86_64")
    assert older < PlatformId(family="glibc", release=(2, 10), architecture="x86_64")


def test_a_symbol_that_a_policy_denies_refuses_its_tag() -> None:
    wanted = ("libc.so.6", "__cxa_thread_atexit_impl")
    assert wanted in platforms.denied_anywhere("glibc", "x86_64")
    choice = platforms.tag_for("glibc", "x86_64", ["GLIBC_2.2.5"], ["libc.so.6"], [wanted])
    assert (choice.tag, choice.symbols) == ("manylinux_2_24_x86_64", (wanted,))
    assert wanted in platforms.private_symbols("manylinux_2_17_x86_64")
    assert wanted not in platforms.private_symbols("manylinux_2_28_x86_64")


@pytest.mark.parametrize("name", ["glibc-2.17-x86_64", "any", "win_amd64", "linux_x86_64"])
def test_what_is_no_promise_denies_nothing(name: str) -> None:
    assert platforms.private_symbols(name) == ()
