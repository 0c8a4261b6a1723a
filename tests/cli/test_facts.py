"""``wheelproof show`` and ``wheelproof explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.report import builders as build
from tests.report import objects

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Done

    Run = Callable[..., Done]
    Write = Callable[[str, str], str]


def test_show_needs_no_verdict(run_here: Run, artifact: Write) -> None:
    done = run_here("show", artifact("a.whl", "objects"))
    assert (done.code, done.err) == (0, "")
    assert "libbar.so.2 not found\n" in done.out
    assert "relro" not in done.out
    assert "relro" in run_here("show", "a.whl", "--verbose").out


@pytest.mark.parametrize("command", [("show", "nowhere.whl"), ("explain", "nowhere.whl", "x")])
def test_a_path_that_leads_nowhere_is_wrong_usage(run_here: Run, command: tuple[str, ...]) -> None:
    done = run_here(*command)
    assert (done.code, done.err) == (2, "wheelproof: nowhere.whl: no such file or directory\n")


def test_an_artifact_of_which_nothing_can_be_read_is_exit_code_3(run_here: Run, artifact: Write) -> None:
    name = artifact("a.whl", "garbage")
    assert run_here("show", name).code == 3
    assert "neither a zip file nor an ELF file" in run_here("show", name).out
    done = run_here("explain", name, "memcpy")
    assert (done.code, done.err) == (3, "wheelproof: a.whl: neither a zip file nor an ELF file\n")


@pytest.mark.parametrize(
    ("what", "title"),
    [
        ("memcpy", "symbol memcpy\n"),
        ("memcpy@GLIBC_2.14", "symbol memcpy\n"),
        ("memcpy@@GLIBC_2.14", "symbol memcpy\n"),
        ("PyInit__core", "symbol PyInit__core\n"),
        (objects.ADD, f"symbol {objects.ADD}  foo::add(int, int)\n"),
        ("foo::add", f"symbol {objects.ADD}  foo::add(int, int)\n"),
        ("foo::add(int, int)", f"symbol {objects.ADD}  foo::add(int, int)\n"),
        ("libbar.so.2", "library libbar.so.2\n"),
        ("libc.so.6", "library libc.so.6\n"),
        ("core.py", "file pkg/core.py\n"),
        (build.CORE, f"file {build.CORE}\n"),
        ("missing-library", "rule missing-library\n"),
        (build.finding().fingerprint, f"finding {build.finding().fingerprint}\n\nerror missing-library  "),
        (build.finding().fingerprint[:8], f"finding {build.finding().fingerprint}\n"),
    ],
)
def test_explain_finds_what_is_meant(run_here: Run, artifact: Write, what: str, title: str) -> None:
    done = run_here("explain", artifact("a.whl", "objects"), what)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(title)


def test_explain_tells_everything_that_a_word_means(run_here: Run, artifact: Write) -> None:
    done = run_here("explain", artifact("a.whl", "objects"), "libfoo-1a2b3c4d.so.1")
    assert done.out.startswith(f"file {build.LIBRARY}\n")
    assert "\nlibrary libfoo-1a2b3c4d.so.1\n" in done.out


def test_explain_suggests_the_nearest_name(run_here: Run, artifact: Write) -> None:
    done = run_here("explain", artifact("a.whl", "objects"), "libbaz.so.2")
    assert (done.code, done.out) == (2, "")
    assert "has no file, library, symbol or finding named libbaz.so.2, and no rule is; did you mean libbar.so.2" in done.err


@pytest.mark.parametrize("what", ["", "/", "::", "zzzzzzzzz"])
def test_explain_of_nothing_is_wrong_usage(run_here: Run, artifact: Write, what: str) -> None:
    assert run_here("explain", artifact("a.whl", "objects"), what).code == 2


def test_a_fingerprint_that_no_finding_has_is_answered_with_those_there_are(run_here: Run, artifact: Write) -> None:
    done = run_here("explain", artifact("a.whl", "objects"), "0123456789abcdef")
    assert (done.code, done.out) == (2, "")
    told = done.err.splitlines()
    assert told[:2] == [
        f"wheelproof: {build.WHEEL} has no finding 0123456789abcdef; it is mended, or of another artifact or policy",
        "wheelproof: it has:",
    ]
    assert f"wheelproof: {build.finding().fingerprint}  missing-library  {build.CORE}: libbar.so.2" in told


def test_a_mistyped_fingerprint_is_answered_with_the_nearest(run_here: Run, artifact: Write) -> None:
    right = build.finding().fingerprint
    done = run_here("explain", artifact("a.whl", "objects"), right[:-1] + ("0" if right[-1] != "0" else "1"))
    assert done.err.splitlines()[1:] == [f"wheelproof: did you mean {right}  missing-library  {build.CORE}?"]


def test_an_artifact_without_findings_says_so(run_here: Run, artifact: Write) -> None:
    done = run_here("explain", artifact("a.whl", "fine"), "0123456789abcdef")
    assert done.err.splitlines()[1:] == ["wheelproof: under this policy it has none at all"]


@pytest.mark.parametrize("number", [10, 14])
def test_many_findings_are_listed_in_part(run_here: Run, artifact: Write, number: int) -> None:
    done = run_here("explain", artifact("a.whl", f"rules-{number}"), "0123456789abcdef")
    assert done.err.count("rule-") == 10
    assert ("and 4 more: wheelproof check --verbose lists them" in done.err) is (number == 14)
