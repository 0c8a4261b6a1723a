from __future__ import annotations

import pytest

from checker.model.closure import FoundBy, ProviderKind
from checker.model.resolution import Outcome
from checker.report import explain
from checker.report.explain import Supply
from checker.report.text import plain
from tests.report import builders as build
from tests.report import objects
from tests.report.snapshots import assert_snapshot

SUPPLY = Supply(library="libc.so.6", versions=("GLIBC_2.14", "GLIBC_2.2.5"), platforms="on glibc-2.17-x86_64 and later")


def test_the_stories_are_as_in_the_snapshots() -> None:
    report = objects.artifact()
    stories = {
        "symbol-bound": explain.symbol(report, "memcpy", "memcpy", [SUPPLY]),
        "symbol-of-a-member": explain.symbol(report, objects.ADD, "foo::add(int, int)", []),
        "symbol-missing": explain.symbol(report, "foo_open", "foo_open", []),
        "library-missing": explain.library(report, "libbar.so.2"),
        "library-of-a-member": explain.library(report, "libfoo-1a2b3c4d.so.1"),
        "file": explain.file(report, build.CORE),
    }
    told = "\n".join(f"==== {name}\n{plain(lines)}" for name, lines in stories.items())
    assert_snapshot("explain.txt", told)


def test_a_symbol_that_no_relocation_uses_is_told_to_be_idle() -> None:
    told = plain(explain.symbol(objects.artifact(), "unused", "unused", []))
    assert "no relocation uses it: never looked up" in told


def test_a_library_that_was_asked_is_not_told_to_be_out_of_scope() -> None:
    asked = build.met("libpthread.so.0", "has it in other versions only: GLIBC_2.2.5")
    missing = build.lookup(b"pthread_once", outcome=Outcome.VERSION_MISSING, path=None, provider_version=None, met=(asked,))
    failed = build.resolution(
        b"pthread_once",
        version=missing.version,
        outcome=Outcome.VERSION_MISSING,
        candidates=("libother.so.9", "libpthread.so.0"),
    )
    report = build.artifact(case=build.case(resolutions=(failed,)), lookups=(missing,))
    told = plain(explain.symbol(report, "pthread_once", "pthread_once", []))
    assert "libpthread.so.0 (platform): has it in other versions only" in told
    assert "not in scope, though they define it: libother.so.9\n" in told


def test_long_lists_are_cut_and_say_so() -> None:
    edges = tuple(build.edge(needer=f"{number:02}.so") for number in range(30))
    told = plain(explain.library(build.artifact(case=build.case(libraries=edges)), "libc.so.6"))
    assert "19.so" in told
    assert "20.so" not in told
    assert "and 10 more\n" in told


def test_a_library_can_be_told_of_for_one_needer_alone() -> None:
    edges = tuple(build.edge(needer=f"{number}.so") for number in range(3))
    report = build.artifact(case=build.case(libraries=edges))
    told = plain(explain.library_sections(report, "libc.so.6", "1.so"))
    assert "1.so" in told
    assert "2.so" not in told
    assert "2.so" in plain(explain.library_sections(report, "libc.so.6", "elsewhere.so"))


@pytest.mark.parametrize("name", ["foo_open", "foo_close"])
def test_findings_that_name_a_symbol_in_their_evidence_concern_it(name: str) -> None:
    assert "unresolved-symbol" in plain(explain.symbol(objects.artifact(), name, name, []))


def test_findings_about_other_symbols_do_not_concern_it() -> None:
    assert "unresolved-symbol" not in plain(explain.symbol(objects.artifact(), "foo", "foo", []))


def library_story(**changes: object) -> str:
    """A library that one object needs and does not find; another object, with DT_RUNPATH, brings that one in."""
    needer = build.facts("libs/libuser.so", needed=("liblost.so",), **changes)
    above = build.facts(build.CORE, needed=("libuser.so",), runpath="$ORIGIN/../libs")
    edges = (
        build.edge(soname="libuser.so", provider=ProviderKind.MEMBER, path="libs/libuser.so", how=FoundBy.RUNPATH),
        build.missing_edge(needer="libs/libuser.so", soname="liblost.so"),
    )
    case = build.case(objects=(needer, above), libraries=edges)
    return plain(explain.library(build.artifact(case=case), "liblost.so"))


def test_a_library_not_found_is_told_with_the_run_paths_that_do_not_count() -> None:
    told = library_story()
    assert "it has neither DT_RUNPATH nor DT_RPATH\n" in told
    assert f"glibc: the DT_RUNPATH $ORIGIN/../libs of {build.CORE}, which brings it in, is not inherited\n" in told


def test_a_run_path_of_its_own_shuts_out_those_above() -> None:
    told = library_story(runpath="$ORIGIN", rpath="/opt")
    assert "glibc: its DT_RPATH does not count beside its DT_RUNPATH\n" in told
    assert "no DT_RPATH of what brings it in is searched" in told
    assert "is not inherited" not in told
