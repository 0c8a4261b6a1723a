from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from checker.model.finding import Finding, Level
from checker.model.record import replace
from checker.model.report import Report, Verdict
from checker.report.terminal import Verbosity, lines
from checker.report.text import plain
from tests.report import builders as build
from tests.report.snapshots import assert_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator


def text(report: Report, verbosity: Verbosity = Verbosity.NORMAL) -> str:
    return plain(lines(report, verbosity))


def busy_report() -> Report:
    """A wheel with something of everything, between two that are fine, and one that could not be read in full."""
    symbols = [
        build.finding(
            "unresolved-symbol",
            subject=f"foo_{number:02}",
            message=f"symbol {number} is defined by nothing that is loaded before it is called",
            remedy="name the library that defines it after the objects: -lfoo",
        )
        for number in range(13)
    ]
    failing = build.artifact(
        build.finding(),
        *symbols,
        build.finding("small-page-alignment", Level.WARNING, file=build.LIBRARY, remedy="-Wl,-z,max-page-size=65536"),
        build.finding("unused-needed-library", Level.NOTE, remedy="link with -Wl,--as-needed"),
        build.finding("record-mismatch", file=build.WHEEL, remedy="build the wheel anew"),
        build.finding("executable-stack", waived=build.waived()),
        build.finding("text-relocations", waived=build.waived(owner="", expires="")),
        unchecked=(build.problem(), build.problem(build.WHEEL, "more than 200,000 members")),
    )
    return build.report(build.artifact(), failing, build.artifact(unchecked=(build.problem(),)), build.artifact())


@pytest.mark.parametrize("verbosity", list(Verbosity))
def test_a_busy_report_is_as_in_the_snapshot(verbosity: Verbosity) -> None:
    assert_snapshot(f"busy-{verbosity.name.lower()}.txt", text(busy_report(), verbosity))


def test_success_is_one_line() -> None:
    expected = f"dist/{build.WHEEL}: ok (1 ELF object, manylinux_2_17_x86_64)\n"
    assert text(build.report(build.artifact())) == expected
    assert text(build.report(build.artifact()), Verbosity.VERBOSE) == expected


def test_success_is_silent_when_quiet() -> None:
    assert text(build.report(build.artifact(build.finding(level=Level.WARNING)), build.artifact()), Verbosity.QUIET) == ""


def test_a_wheel_without_native_code_says_so() -> None:
    case = build.case("pure.whl", objects=(), promises=())
    assert text(build.report(build.artifact(case=case))) == "pure.whl: ok (no ELF object)\n"


def test_notes_are_counted_unless_asked_for() -> None:
    report = build.report(build.artifact(build.finding("unused-needed-library", Level.NOTE)))
    assert text(report).endswith("; 1 note (--verbose tells them all)\n")
    assert "unused-needed-library" not in text(report)
    assert "unused-needed-library" in text(report, Verbosity.VERBOSE)


def test_notes_are_told_where_they_alone_make_it_fail() -> None:
    report = build.report(build.artifact(build.finding("unused-needed-library", Level.NOTE), verdict=Verdict.FAIL))
    assert "unused-needed-library" in text(report)
    assert "unused-needed-library" in text(report, Verbosity.QUIET)


def test_waived_findings_do_not_make_notes_silent() -> None:
    note = build.finding("unused-needed-library", Level.NOTE)
    report = build.report(build.artifact(build.finding(waived=build.waived()), note, verdict=Verdict.FAIL))
    assert "unused-needed-library" in text(report)


def test_evidence_is_told_when_asked_for() -> None:
    report = build.report(build.artifact(build.finding()))
    assert "site-packages/pkg" not in text(report)
    assert "looked in: site-packages/pkg\n" in text(report, Verbosity.VERBOSE)
    assert "soname: libbar.so.2\n" in text(report, Verbosity.VERBOSE)


def test_an_artifact_of_which_nothing_could_be_read_says_so() -> None:
    case = build.case("a.whl", objects=(), promises=())
    told = text(build.report(build.artifact(case=case, unchecked=(build.problem("a.whl", "it is empty"),))))
    assert told.startswith("a.whl: could not be checked\n  the wheel as a whole\n    unchecked  it is empty\n")


def test_findings_that_are_mended_alike_tell_the_remedy_once() -> None:
    same = [build.finding(subject=name, remedy="do this") for name in ("a", "b", "c")]
    assert text(build.report(build.artifact(*same))).count("fix: do this") == 1
    other = build.finding(subject="d", remedy="do that")
    assert text(build.report(build.artifact(*same, other))).count("fix: ") == 2


def test_a_remedy_told_before_is_not_told_again() -> None:
    both = [build.finding(file=f"{word}.so", message=f"is {word}", remedy="do this") for word in ("bad", "worse")]
    told = text(build.report(build.artifact(*both)))
    assert told.count("fix: do this\n") == 1
    assert told.count("fix: as above\n") == 1


def test_one_defect_of_many_files_is_told_once_under_their_names() -> None:
    same = [build.finding(file=f"{letter}.so") for letter in "dcba"]
    other = build.finding("executable-stack", file="a.so", message="is bad")
    report = build.report(build.artifact(*same, other, unchecked=tuple(build.problem(f"{number}.so") for number in range(2))))
    told = text(report)
    assert "  a.so, b.so and 2 more files\n    error      missing-library  " in told
    assert "  a.so\n    error      executable-stack  is bad\n" in told
    assert "  0.so, 1.so\n    unchecked  " in told
    assert told.count("missing-library") == 1
    assert told.endswith("fails: 5 errors, 2 unchecked (--verbose tells them all)\n")
    each = text(report, Verbosity.VERBOSE)
    assert each.count("missing-library") == each.count("fingerprint: ") - 1 == 4
    assert each.endswith("fails: 5 errors, 2 unchecked\n")


def test_one_defect_of_many_subjects_is_told_once_with_each_subject_and_where_it_is() -> None:
    where = {"libX11.so.6": ("a.so", "b.so", "c.so"), "libxcb.so.1": ("a.so", "b.so", "c.so"), "libXi.so.6": ("d.so",)}
    same = [
        build.finding(file=file, subject=name, message=f"needs {name} (X11)", remedy=f"patchelf --remove-needed {name} {file}")
        for name, files in where.items()
        for file in files
    ]
    told = text(build.report(build.artifact(*same)))
    assert (
        "  a.so, b.so and 1 more file\n"
        "    error      missing-library  needs libX11.so.6 (X11)\n"
        "               likewise: libxcb.so.1\n"
        "               likewise: libXi.so.6 in d.so\n"
        "               fix: patchelf --remove-needed libX11.so.6 FILE\n"
        "\nfails: 7 errors (--verbose tells them all)\n"
    ) in told
    each = text(build.report(build.artifact(*same)), Verbosity.VERBOSE)
    assert all(finding.remedy in each and finding.fingerprint in each for finding in same)


def test_an_open_finding_and_a_waived_one_are_told_apart() -> None:
    report = build.report(build.artifact(build.finding(file="a.so"), build.finding(file="b.so", waived=build.waived())))
    told = text(report, Verbosity.VERBOSE)
    assert "  a.so\n    error " in told
    assert "  b.so\n    waived " in told


def test_the_gravest_file_comes_first() -> None:
    report = build.report(build.artifact(build.finding(level=Level.WARNING, file="a.so"), build.finding(file="b.so")))
    assert text(report).index("b.so\n") < text(report).index("a.so\n")


@pytest.mark.parametrize("verbosity", list(Verbosity))
@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.UNCHECKED])
def test_no_verbosity_hides_a_verdict(verbosity: Verbosity, verdict: Verdict) -> None:
    word = {Verdict.FAIL: "fails", Verdict.UNCHECKED: "could not be checked"}[verdict]
    assert word in text(build.report(build.artifact(verdict=verdict)), verbosity)


@pytest.mark.parametrize("verbosity", list(Verbosity))
def test_every_thing_unchecked_is_told_with_its_reason(verbosity: Verbosity) -> None:
    report = build.report(build.artifact(build.finding(), unchecked=(build.problem(reason="no good"),)))
    assert "unchecked  no good" in text(report, verbosity)


@pytest.mark.parametrize("verbosity", list(Verbosity))
def test_names_from_an_artifact_cannot_steer_the_terminal(verbosity: Verbosity) -> None:
    hostile = "\x1b[2J\r\n\x07\x9b31m\u202e\u2028\udcff"
    everywhere: dict[str, Any] = {"file": hostile, "subject": hostile, "message": hostile, "remedy": hostile}
    finding = build.finding(evidence=(("key", hostile), ("list", (hostile,))), **everywhere)
    hidden = build.finding("text-relocations", waived=build.waived(hostile, hostile, hostile))
    report = build.report(build.artifact(finding, hidden, unchecked=(build.problem(hostile, hostile),)))
    told = text(report, verbosity)
    assert all(row.isprintable() for row in told.split("\n"))
    assert r"\x1b[2J\r\n\x07\u009b31m\u202e\u2028\xff" in told


class Walked(tuple[Finding, ...]):
    """Findings that count how often they are gone through."""

    __slots__ = ()
    times = 0

    def __iter__(self) -> Iterator[Finding]:
        Walked.times += 1
        return super().__iter__()


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FAIL])
def test_findings_are_gone_through_a_few_times_however_many_notes_there_are(verdict: Verdict) -> None:
    notes = Walked(build.finding(level=Level.NOTE, subject=str(number)) for number in range(300))
    report = build.report(replace(build.artifact(verdict=verdict), findings=notes))
    Walked.times = 0
    text(report)
    assert Walked.times < 20
