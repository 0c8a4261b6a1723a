"""``explain`` of findings in whole artifacts, from the bytes to the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.cli.main import main
from checker.engine import audit
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.cases.artifacts import write_artifact
from tests.cases.form import FOLDER, load_case

if TYPE_CHECKING:
    from pathlib import Path

RECOMMENDED = load_policy(["recommended"], specs())


def story(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What ``explain`` tells of the first finding of a case's rule."""
    path = write_artifact(load_case(FOLDER / f"{case}.toml"), folder)
    found = next(one for one in audit(str(path), RECOMMENDED).findings if one.rule == case.partition("/")[0])
    code = main(["explain", "--policy", "recommended", str(path), found.fingerprint])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    assert captured.out.startswith(f"finding {found.fingerprint}\n")
    return captured.out


def test_a_symbol_is_followed_to_who_would_have_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = story("unresolved-cxx-runtime-symbol/fires-linked-with-gcc", tmp_path, capsys)
    for words in (
        "fails on glibc-2.17-x86_64 and later (symbol: _",
        "symbol _Znwm  operator new(unsigned long)\n",
        "nobody in scope defines it",
        "not in scope, though they define it: libstdc++.so.6",
        "libstdc++.so.6  GLIBCXX_3.4, as manylinux_2_17_x86_64 promises it",
        "and 2 symbols like it: wheelproof explain ARTIFACT SYMBOL",
        "causes and fixes\n  - The gcc driver",
        'rule = "unresolved-cxx-runtime-symbol"\n',
    ):
        assert words in told, words


def test_a_symbol_in_a_newer_version_is_told_since_when_it_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = story("platform-tag-too-old/fires-newer-glibc", tmp_path, capsys)
    assert "symbol pthread_once\n" in told
    assert "fails before glibc-2.34-x86_64 (version: GLIBC_2.34 of libc.so.6" in told
    assert "bound to libc.so.6 (platform), version GLIBC_2.34, from glibc-2.34-x86_64 on" in told
    assert "GLIBC_2.34" in told.partition("defined by\n")[2].partition("\n\n")[0]


def test_a_library_is_told_with_every_place_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = story("unreachable-bundled-library/fires-no-run-path", tmp_path, capsys)
    assert "library libshape.so.1\n" in told
    assert "it has neither DT_RUNPATH nor DT_RPATH" in told
    assert "demo.libs/libshape.so.1, a member" in told


def test_a_property_of_a_file_is_told_with_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = story("executable-stack/fires-rwx", tmp_path, capsys)
    assert "file demo/_core.cpython-311-x86_64-linux-gnu.so\n" in told
    assert told.count("fails from glibc-2.41-x86_64 on (property: it asks for an executable stack") == 1


def test_a_rule_that_finds_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_artifact(load_case(FOLDER / "missing-library" / "silent-found-beside-it.toml"), tmp_path)
    assert main(["explain", "--policy", "recommended", str(path), "missing-library"]) == 0
    assert "it finds nothing in this artifact\n" in capsys.readouterr().out


@pytest.mark.parametrize(("word", "near"), [("missing-libary", "missing-library"), ("executable-stak", "executable-stack")])
def test_a_misspelt_rule_is_answered_with_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str, near: str
) -> None:
    path = write_artifact(load_case(FOLDER / "missing-library" / "silent-found-beside-it.toml"), tmp_path)
    assert main(["explain", "--policy", "recommended", str(path), word]) == 2
    assert f"did you mean {near}" in capsys.readouterr().err
