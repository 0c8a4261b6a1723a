from __future__ import annotations

import pytest

from checker.model.case import Because, ComputedPlatform
from checker.model.closure import Closure
from checker.model.record import replace
from checker.report.show import lines
from checker.report.text import plain
from tests.report import builders as build
from tests.report import objects
from tests.report.snapshots import assert_snapshot


@pytest.mark.parametrize("verbose", [False, True])
def test_the_picture_is_as_in_the_snapshot(verbose: bool) -> None:  # noqa: FBT001
    assert_snapshot(f"show-{'verbose' if verbose else 'normal'}.txt", plain(lines(objects.artifact(), verbose=verbose)))


def test_an_artifact_without_native_code_has_only_a_header() -> None:
    case = build.case("pure.whl", objects=(), promises=(), roots=(), libraries=(), computed=None)
    told = plain(lines(build.artifact(case=case)))
    assert "needed libraries" not in told
    assert "0 ELF objects" in told


def test_symbols_that_hold_a_platform_back_are_told_by_file_and_version() -> None:
    rows = tuple(Because(file="a.so", soname="libc.so.6", symbol=f"f{n}", version="GLIBC_2.34") for n in range(3))
    more = tuple(Because(file=f"{n:02}.so", soname="libc.so.6", symbol="g", version="GLIBC_2.3") for n in range(20))
    computed = ComputedPlatform(platform="manylinux_2_34_x86_64", by_file=(), because=(*rows, *more))
    report = build.artifact(case=build.case(computed=computed))
    told = plain(lines(report))
    assert "a.so needs f0@GLIBC_2.34 and 2 more of libc.so.6\n" in told
    assert "and 11 more (--verbose)\n" in told
    assert "19.so needs" in plain(lines(report, verbose=True))


def test_the_platforms_judged_are_listed_with_one_and_before_the_last() -> None:
    judged = tuple(replace(build.OLDEST, release=(2, minor)) for minor in (17, 30, 34))
    (only,) = build.case().promises
    told = plain(lines(build.artifact(case=build.case(promises=(replace(only, judged=judged),)))))
    assert "(judged on glibc-2.17-x86_64, glibc-2.30-x86_64 and glibc-2.34-x86_64)\n" in told


def test_a_library_that_holds_a_platform_back_is_told_without_a_symbol() -> None:
    because = (Because(file="a.so", soname="libz.so.1", symbol="", version=""),)
    computed = ComputedPlatform(platform=None, by_file=(), because=because)
    told = plain(lines(build.artifact(case=build.case(computed=computed))))
    assert "no platform tag is true of it\n" in told
    assert "a.so needs libz.so.1\n" in told


def test_a_cycle_of_libraries_ends() -> None:
    there = build.member_edge()
    back = replace(there, needer=build.LIBRARY, soname="_core.so", path=build.CORE)
    closure = Closure(root=build.CORE, platform=build.OLDEST, scope=(), edges=(there, back), fatal=())
    assert plain(lines(build.artifact(closures=(closure,)))).count("_core.so => ") == 1


def test_a_very_deep_chain_is_told_in_bounded_space() -> None:
    chain = [replace(build.member_edge(), needer=f"{n}", soname=f"{n + 1}", path=f"{n + 1}") for n in range(5000)]
    first = replace(chain[0], needer=build.CORE)
    closure = Closure(root=build.CORE, platform=build.OLDEST, scope=(), edges=(first, *chain[1:]), fatal=())
    told = plain(lines(build.artifact(closures=(closure,))))
    assert "5000  member" in told
    assert max(map(len, told.splitlines())) < 200
