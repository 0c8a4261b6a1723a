from __future__ import annotations

import pytest

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
        "rule": explain.rule(report, "missing-library"),
    }
    told = "\n".join(f"==== {name}\n{plain(lines)}" for name, lines in stories.items())
    assert_snapshot("explain.txt", told)


def test_a_symbol_that_no_relocation_uses_is_told_to_be_idle() -> None:
    told = plain(explain.symbol(objects.artifact(), "unused", "unused", []))
    assert "no relocation uses it: never looked up" in told


def test_long_lists_are_cut_and_say_so() -> None:
    edges = tuple(build.edge(needer=f"{number:02}.so") for number in range(30))
    told = plain(explain.library(build.artifact(case=build.case(libraries=edges)), "libc.so.6"))
    assert "19.so" in told
    assert "20.so" not in told
    assert "and 10 more\n" in told


def test_a_finding_is_told_by_its_fingerprint_with_its_evidence() -> None:
    finding = build.finding()
    told = plain(explain.finding(build.artifact(finding, build.finding(subject="other")), finding.fingerprint))
    assert told.count("error missing-library") == 1
    assert "  looked in: the system\n" in told


@pytest.mark.parametrize("name", ["foo_open", "foo_close"])
def test_findings_that_name_a_symbol_in_their_evidence_concern_it(name: str) -> None:
    assert "unresolved-symbol" in plain(explain.symbol(objects.artifact(), name, name, []))


def test_findings_about_other_symbols_do_not_concern_it() -> None:
    assert "unresolved-symbol" not in plain(explain.symbol(objects.artifact(), "foo", "foo", []))
