from __future__ import annotations

import itertools
import json
from importlib import metadata
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from checker import platforms
from checker.model.record import replace
from checker.platforms.assembly import PlatformBaseline
from checker.platforms.catalogue import load_catalogue
from checker.platforms.policies import promise_for, promises

if TYPE_CHECKING:
    from checker.model.platform import Baseline


def tagged(tag: str, platform: str | None = None) -> Baseline:
    asked = platforms.parse_platform(platform or tag)
    assert asked is not None
    found = platforms.baseline(asked, tag)
    assert found is not None
    return found


def test_a_tag_s_ceilings_are_its_policy_s() -> None:
    on = tagged("manylinux_2_17_x86_64")
    assert on.ceiling("GLIBC") == (2, 17)
    assert on.ceiling("GLIBCXX") == (3, 4, 19)
    assert on.ceiling("CXXABI") == (1, 3, 7)
    assert on.ceiling("OPENSSL") is None


def test_a_version_above_the_ceiling_is_not_there() -> None:
    """std::__throw_bad_array_new_length came with GLIBCXX_3.4.29."""
    name = b"_ZSt28__throw_bad_array_new_lengthv"
    for tag, there in (("manylinux_2_28_x86_64", False), ("manylinux_2_34_x86_64", True)):
        library = tagged(tag).library("libstdc++.so.6")
        assert library is not None
        assert bool(library.definitions(name)) is there
        assert (b"GLIBCXX_3.4.29" in library.versions) is there


def test_the_ceiling_of_a_tag_holds_on_every_later_platform_too() -> None:
    library = tagged("manylinux_2_28_x86_64", "glibc-2.44-x86_64").library("libstdc++.so.6")
    assert library is not None
    assert b"GLIBCXX_3.4.29" not in library.versions


@pytest.mark.parametrize("tag", [None, "glibc-2.17-x86_64"])
def test_an_exact_platform_has_the_newest_known_runtime_libraries(tag: str | None) -> None:
    asked = platforms.parse_platform("glibc-2.17-x86_64")
    assert asked is not None
    on = platforms.baseline(asked, tag)
    assert on is not None
    library = on.library("libstdc++.so.6")
    assert library is not None
    assert b"GLIBCXX_3.4.33" in library.versions
    assert on.ceiling("GLIBCXX") is None
    assert on.ceiling("GLIBC") == (2, 17)


def test_a_tag_between_two_policies_has_the_older_one_s_libraries_and_its_own_glibc() -> None:
    on = tagged("manylinux_2_30_x86_64")
    assert on.ceiling("GLIBC") == (2, 30)
    assert on.ceiling("GLIBCXX") == tagged("manylinux_2_28_x86_64").ceiling("GLIBCXX")


def test_promised_libraries_are_the_policy_s_and_the_c_library_s() -> None:
    on = tagged("manylinux_2_28_x86_64")
    assert all(on.is_promised(soname) for soname in ("libz.so.1", "libX11.so.6", "libc.so.6", "ld-linux-x86-64.so.2"))
    assert not any(on.is_promised(soname) for soname in ("libgomp.so.1", "libssl.so.3", "ld-linux.so.2"))
    assert on.library("libgomp.so.1") is not None


def test_a_promised_library_that_no_package_told_is_known_to_be_unknown() -> None:
    """As one would be that a newer policy grants before it is measured."""
    asked = platforms.parse_platform("musl-1.2.2-x86_64")
    promise = promise_for("musl", (1, 2), "x86_64")
    assert asked is not None
    assert promise is not None
    granted = replace(promise, libraries=promise.libraries | {"libnew.so.1"})
    architecture = load_catalogue().architectures["musl", "x86_64"]
    on = PlatformBaseline(asked, architecture, granted, is_limited=True)
    library = on.library("libnew.so.1")
    assert library is not None
    assert not library.symbols_known
    assert library.definitions(b"deflate") == ()
    assert on.is_promised("libnew.so.1")
    assert on.library("libstdc++.so.6") is None


def test_every_library_that_a_tag_promises_is_measured_or_known_not_to_be_there() -> None:
    catalogue = load_catalogue()
    for family, architecture in catalogue.architectures:
        for promise in promises(family, architecture):
            tag = f"{promise.tag}_{architecture}"
            asked = platforms.parse_platform(tag)
            assert asked is not None
            on = platforms.baseline(asked, tag)
            if on is not None:
                absent = [soname for soname in promise.libraries if on.library(soname) is None]
                # glibc has these on some architectures only, and auditwheel's policy names them on all.
                assert set(absent) <= {"libmvec.so.1", "libanl.so.1", "libnsl.so.1", "libutil.so.1"}, tag
                libraries = [library for soname in promise.libraries if (library := on.library(soname)) is not None]
                assert [library.soname for library in libraries if not library.symbols_known] == [], tag


@pytest.mark.parametrize("tag", ["musllinux_1_1_x86_64", "musllinux_1_2_x86_64", "musllinux_1_2_loongarch64"])
def test_musllinux_promises_zlib_as_the_oldest_alpine_has_it(tag: str) -> None:
    on = tagged(tag)
    library = on.library("libz.so.1")
    assert library is not None
    assert on.is_promised("libz.so.1")
    assert on.ceiling("ZLIB") == (1, 2, 9)
    (entry,) = library.definitions(b"inflateReset2")
    assert (entry.version, entry.hidden) == (b"ZLIB_1.2.3.4", False)
    assert library.definitions(b"crc32_combine_gen") == ()  # of 1.2.12
    assert len(library.needed) == 1
    assert on.library(library.needed[0]) is on.library("libc.so")


def test_an_exact_musl_platform_has_the_newest_known_zlib() -> None:
    library = tagged("musl-1.2.2-x86_64").library("libz.so.1")
    assert library is not None
    assert library.definitions(b"crc32_combine_gen")


def test_newer_policies_take_nothing_away() -> None:
    for family, architecture in (("glibc", "x86_64"), ("glibc", "aarch64"), ("glibc", "i686"), ("musl", "x86_64")):
        known = promises(family, architecture)
        assert len(known) > 1
        for older, newer in itertools.pairwise(known):
            assert older.release < newer.release
            assert all(words <= newer.versions[namespace] for namespace, words in older.versions.items())


def test_no_policy_is_older_than_the_first() -> None:
    assert promise_for("glibc", (2, 4), "x86_64") is None
    assert promise_for("glibc", (2, 17), "vax") is None


def test_the_condensed_policies_say_what_auditwheel_s_own_files_say() -> None:
    recorded = dict(platforms.data_versions())["auditwheel"].split(" ")[0]
    if metadata.version("auditwheel") != recorded:
        pytest.skip(f"auditwheel {metadata.version('auditwheel')} is installed, the data was made from {recorded}")
    compared = 0
    for file, family in (("manylinux-policy.json", "glibc"), ("musllinux-policy.json", "musl")):
        for policy in json.loads(files("auditwheel").joinpath("policy").joinpath(file).read_text("utf-8")):
            for architecture, spaces in policy["symbol_versions"].items():
                ours = next(one for one in promises(family, architecture) if one.tag == policy["name"])
                theirs = {namespace: frozenset(words) for namespace, words in spaces.items()}
                # For musl auditwheel knows no versions: those of zlib are measured.
                beside = {"ZLIB": ours.versions["ZLIB"]} if family == "musl" else {}
                assert ours.versions == theirs | beside
                assert ours.libraries == frozenset(policy["lib_whitelist"])
                assert ours.private == {soname: frozenset(names) for soname, names in policy["blacklist"].items()}
                assert ours.aliases == tuple(policy["aliases"])
                compared += 1
    assert compared > 80
