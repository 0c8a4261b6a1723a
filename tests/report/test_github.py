from __future__ import annotations

from checker.report.github import SHOWN, render
from tests.report import builders as build
from tests.report.samples import failing, hostile, long, passing


def test_each_open_finding_is_an_annotation_gravest_first_and_the_verdict_ends_it() -> None:
    rows = render(failing()).splitlines()
    assert [row.partition(" ")[0] for row in rows] == [
        "::error",
        "::error",
        "::warning",
        "::warning",
        "::notice",
        "wheelproof:",
    ]
    assert rows[-1] == "wheelproof: fail"
    assert f"file=dist/{build.WHEEL},title=missing-library::{build.CORE}: needs libbar.so.2" in rows[1]
    assert "%0Afix: run auditwheel repair" in rows[1]


def test_what_could_not_be_checked_is_an_error() -> None:
    first = render(failing()).splitlines()[0]
    assert "title=could not check::pkg/broken.so: could not be checked" in first


def test_a_policy_s_broken_words_are_annotated_on_their_line() -> None:
    assert any("file=wheelproof.toml,line=12,title=unmatched-waiver::" in row for row in render(failing()).splitlines())


def test_what_github_would_drop_is_counted() -> None:
    rows = render(long(25)).splitlines()
    errors = [row for row in rows if row.startswith("::error")]
    assert len(errors) == SHOWN
    assert errors[-1] == "::error title=wheelproof::and 16 more errors: the report has them all"
    assert len([row for row in render(long(10)).splitlines() if "title=missing-library" in row]) == SHOWN


def test_findings_of_one_cause_share_an_annotation_and_all_are_counted() -> None:
    same = [build.finding(file=f"{number:02}.so", subject="libx.so", message="needs libx.so") for number in range(30)]
    report = build.report(build.artifact(*same, *long(25).artifacts[0].findings))
    first, *_, last, _ = render(report).splitlines()
    assert "::00.so, 01.so and 28 more files: needs libx.so%0A" in first
    assert last == "::error title=wheelproof::and 17 more errors: the report has them all"


def test_the_subjects_of_a_cause_are_lines_of_its_annotation() -> None:
    same = [build.finding(subject=name, message=f"needs {name}", remedy="") for name in ("libx.so", "liby.so")]
    first = render(build.report(build.artifact(*same))).splitlines()[0]
    assert first.endswith(f"::{build.CORE}: needs libx.so%0Alikewise liby.so")


def test_a_name_cannot_give_commands() -> None:
    rows = render(hostile()).splitlines()
    assert len(rows) == 3
    assert all(row.count("::") == 2 + row.count("\\n::error::") * 2 for row in rows[:2])
    assert "\x1b" not in render(hostile())


def test_a_passing_report_annotates_nothing() -> None:
    assert render(passing()) == "wheelproof: pass\n"
