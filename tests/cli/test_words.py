"""The small parser and typer's must understand the same words in the same way."""

from __future__ import annotations

from importlib import import_module
from typing import get_args

import pytest
import typer.main

from checker.cli import request
from checker.cli.app import app, parse
from checker.cli.main import COMMANDS
from checker.cli.request import CheckRequest, Target
from checker.cli.words import CHECK_OPTIONS, FAIL_ON, parse_check

UNDERSTOOD = [
    ["a.whl"],
    ["a.whl", "b.whl"],
    [""],
    ["a.whl", "--policy", "recommended"],
    ["--policy=recommended", "--policy=./x.toml", "a.whl"],
    ["--format", "json", "a.whl"],
    ["--format=json=out.json", "--format", "terminal", "a.whl"],
    ["--fail-on", "note", "a.whl"],
    ["--fail-on=warning", "--fail-on", "error", "a.whl"],
    ["--platform", "manylinux_2_28_x86_64", "--python=cp311", "a.whl"],
    ["--platform", "glibc-2.17-x86_64", "--platform", "glibc-2.36-x86_64", "a.whl"],
    ["--root", "a/b.so", "--root=c d.so", "a.whl"],
    ["--provider", "torch=t.whl", "--provider=x=y=z", "a.whl"],
    ["--preload", "a/b.so:global", "--preload=torch:lib/c.so", "a.whl"],
    ["--library-path", "a/lib", "--library-path=b", "--executable", "bin/x", "--executable=bin/y", "a.whl"],
    ["--limit", "members=5", "--limit=ratio=9", "a.whl"],
    ["--baseline", "old.whl", "--baseline=older.whl", "a.whl"],
    ["--bindings", "a.whl", "-v"],
    ["numpy==2.4.6", "--all-platforms", "--index-url=file:///x", "--index-url", "file:///y"],
    ["--from-file", "-", "--from-file=list.txt", "--output-width", "72"],
    ["-q", "a.whl", "--quiet"],
    ["--verbose", "--quiet", "a.whl"],
]
REPEATABLE = {"from_files", "policies", "formats", "roots", "providers", "preloads", "library_path", "limits"}
LEFT_TO_TYPER = [
    [],
    ["--help"],
    ["a.whl", "-h"],
    ["a.whl", "--polic", "x"],
    ["a.whl", "--no-such-option"],
    ["a.whl", "--fail-on", "never"],
    ["a.whl", "--policy"],
    ["a.whl", "--policy", "--verbose"],
    ["a.whl", "--policy", ""],
    ["a.whl", "--policy="],
    ["a.whl", "--output-width", "19"],
    ["a.whl", "--output-width", "wide"],
    ["a.whl", "-vq"],
    ["a.whl", "--verbose=yes"],
    ["--", "-a.whl"],
    ["-"],
]


@pytest.mark.parametrize("words", UNDERSTOOD, ids=" ".join)
def test_both_parsers_make_the_same_request(words: list[str]) -> None:
    quick = parse_check(words)
    assert quick is not None
    assert quick == parse(["check", *words])


@pytest.mark.parametrize("words", LEFT_TO_TYPER, ids=" ".join)
def test_what_is_not_plainly_right_is_left_to_typer(words: list[str]) -> None:
    assert parse_check(words) is None


def test_the_option_tables_name_the_same_flags() -> None:
    command = typer.main.get_command(app).commands["check"]  # type: ignore[attr-defined]
    options = {tuple(p.opts): p for p in command.params if p.param_type_name == "option"}
    assert set(options) - {("--help",)} == {option.flags for option in CHECK_OPTIONS}
    for option in CHECK_OPTIONS:
        parameter = options[option.flags]
        assert parameter.is_flag is not option.takes_value
        assert parameter.multiple is (option.field in REPEATABLE)


@pytest.mark.parametrize("level", FAIL_ON)
def test_every_level_that_the_small_parser_takes_is_one_for_typer(level: str) -> None:
    assert isinstance(parse(["check", "a.whl", "--fail-on", level]), CheckRequest)


def test_a_mistake_is_exit_code_2() -> None:
    assert parse(["check", "a.whl", "--fail-on", "never"]) == 2


def test_a_request_holds_what_was_said() -> None:
    words = ["--policy", "p", "a.whl", "--python", "cp311", "--bindings", "--fail-on=note"]
    target = Target(policies=("p",), python="cp311")
    assert parse_check(words) == CheckRequest(artifacts=("a.whl",), target=target, bindings=True, fail_on="note")


def test_words_after_two_dashes_are_artifacts() -> None:
    assert parse(["check", "--", "-a.whl"]) == CheckRequest(artifacts=("-a.whl",))


def test_every_kind_of_request_has_its_function() -> None:
    kinds = {kind.__name__ for kind in get_args(request.Request)}
    assert set(COMMANDS) == kinds
    for module, function in COMMANDS.values():
        assert callable(getattr(import_module(f"checker.cli.{module}"), function))
