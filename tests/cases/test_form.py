"""The format tells each mistake with its place, and what it promises about names holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cases.form import ROOT, CaseError, load_case

if TYPE_CHECKING:
    from pathlib import Path

ABOUT = 'about = "Something that a reader wants to know."\n'


def told(folder: Path, text: str, name: str = "silent-x.toml") -> list[str]:
    """The lines of the error."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CaseError) as caught:
        load_case(path)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag = 1\n", ["silent-x.toml:1: about is required", "silent-x.toml:1: tag: Input should be a valid string"]),
        (ABOUT + "[elf.a]\nneded = []\n", ['silent-x.toml:3: elf.a.neded: there is no such key; did you mean "needed"?']),
        (ABOUT + '[elf.a]\nneeded = ["x", 2]\n', ["silent-x.toml:3: elf.a.needed[1]: Input should be a valid string"]),
        (
            ABOUT + '[elf.a]\nimports = ["f@V of"]\n',
            ["silent-x.toml:3: elf.a.imports[0]: is to be spelled NAME, NAME@VERSION or NAME@VERSION of LIBRARY"],
        ),
        (
            ABOUT + '[elf.a]\nentries = [\n{ tag = "DT_NOSUCH", value = 1 }]\n',
            ["silent-x.toml:4: elf.a.entries[0]: DT_NOSUCH is no tag of the dynamic array"],
        ),
        (ABOUT + "[zip]\nprefx = ''\n", ['silent-x.toml:3: zip.prefx: there is no such key; did you mean "prefix"?']),
        (ABOUT + 'kind = "file"\n', ['silent-x.toml:1: kind = "file" holds one elf and nothing else']),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert told(tmp_path, text) == expected


def test_what_is_no_toml_is_told_as_the_parser_says_it(tmp_path: Path) -> None:
    (line,) = told(tmp_path, ABOUT + "a = 1 1\n")
    assert line.startswith("silent-x.toml: ")
    assert "line 2" in line


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("wrong-x.toml", ABOUT, "the name must start with fires-, silent-, unchecked- and say what the case is"),
        ("fires.toml", ABOUT, "the name must start with fires-, silent-, unchecked- and say what the case is"),
        ("fires-x.toml", ABOUT, "a case that fires has an [[expect]]"),
        ("silent-x.toml", ABOUT + '[[expect]]\nfile = "a"\nsubject = "b"\n', "a silent case has no [[expect]]"),
        ("unchecked-x.toml", ABOUT, "a case that cannot be checked has an [[unchecked]]"),
        (
            "silent-x.toml",
            ABOUT + '[[unchecked]]\nfile = "a"\nreason = "b"\n',
            "a case with an [[unchecked]] is named unchecked-…",
        ),
    ],
)
def test_the_name_and_the_content_agree(tmp_path: Path, name: str, text: str, expected: str) -> None:
    assert told(tmp_path, text, name) == [f"{name}: {expected}"]


def test_the_case_in_the_readme_is_one(tmp_path: Path) -> None:
    readme = (ROOT / "testdata" / "README.md").read_text(encoding="utf-8")
    path = tmp_path / "fires-x.toml"
    path.write_text(readme.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    assert load_case(path).expect[0].subject == "SHAPE_2"


def test_symbols_have_a_short_spelling(tmp_path: Path) -> None:
    path = tmp_path / "silent-x.toml"
    path.write_text(ABOUT + '[elf.a]\nimports = ["f", "g@V_1 of l.so", "h@V_2"]\nexports = ["p", "q@@V", "r@V"]\n')
    elf = load_case(path).elf["a"]
    assert [(one.name, one.version, one.file) for one in elf.imports] == [
        ("f", None, "libc.so.6"),
        ("g", "V_1", "l.so"),
        ("h", "V_2", "libc.so.6"),
    ]
    assert [(one.name, one.version, one.hidden) for one in elf.exports] == [
        ("p", None, False),
        ("q", "V", False),
        ("r", "V", True),
    ]
