from __future__ import annotations

import pytest

from checker.report.text import Line, Style, counted, decoded, evidence_rows, line, plain, safe


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("plain é 日本", "plain é 日本"),
        ("a\x00b", r"a\x00b"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("one\ntwo\r\tthree", r"one\ntwo\r\tthree"),
        ("\x7f\x9b", r"\x7f\u009b"),
        ("\u202eevil", r"\u202eevil"),
        ("\ufeff\u200b", r"\ufeff\u200b"),
        ("\U000e0041", r"\U000e0041"),
        (decoded(b"\xff\xc3"), r"\xff\xc3"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_could_deceive_is_escaped(raw: str, told: str) -> None:
    assert safe(raw) == told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("::error::all fine", "\\x3a:error::all fine\n"),
        ("##[error]x", "\\x23#[error]x\n"),
        ("a ##[group]b", "a \\x23#[group]b\n"),
        ("std::string", "std::string\n"),
    ],
)
def test_a_name_is_no_command_for_a_ci_service(name: str, told: str) -> None:
    assert plain([line(name)]) == told
    assert plain([line(name, indent=2)]) == "  " + told


def test_lines_end_without_blanks() -> None:
    assert plain([line(indent=4), Line(body=(("a  ", Style.PLAIN), ("  ", Style.DIM)))]) == "\na\n"


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(number, "note") for number in (0, 1, 1234)] == ["0 notes", "1 note", "1,234 notes"]


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        ("text, as it is", ("text, as it is",)),
        (7, ("7",)),
        ((), ()),
        (("a", "b"), ("a, b",)),
        (("f(int, int)", "b"), ("f(int, int)", "b")),
        (("x" * 60, "y" * 60), ("x" * 60, "y" * 60)),
    ],
)
def test_short_lists_of_plain_names_stand_on_one_line(value: str | int | tuple[str, ...], rows: tuple[str, ...]) -> None:
    assert evidence_rows(value) == rows
