"""Which line each key of a TOML document stands on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.policy.locate import key_lines

if TYPE_CHECKING:
    from checker.policy.problems import KeyPath

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def lines_of(text: str) -> dict[KeyPath, int]:
    """Key path → line."""
    return key_lines(text, tomllib.loads)


DOCUMENTS: dict[str, tuple[str, dict[KeyPath, int]]] = {
    "empty": ("", {}),
    "only comments": ("# a = 1\n\n# b = 2\n", {}),
    "plain keys": ("a = 1\n\nb = 2 # c = 3\n", {("a",): 1, ("b",): 3}),
    "no newline at the end": ("a = 1", {("a",): 1}),
    "windows newlines": ("a = 1\r\nb = 2\r\n", {("a",): 1, ("b",): 2}),
    "a table": ("[t]\na = 1\n", {("t",): 1, ("t", "a"): 2}),
    "a deep header": ("\n[a.b.c]\nd = 1\n", {("a",): 2, ("a", "b"): 2, ("a", "b", "c"): 2, ("a", "b", "c", "d"): 3}),
    "a header with spaces": ("[ a . b ] # x\nc = 1", {("a",): 1, ("a", "b"): 1, ("a", "b", "c"): 2}),
    "a table opened twice": ("[a.b]\n[a.c]\n", {("a",): 1, ("a", "b"): 1, ("a", "c"): 2}),
    "dotted keys": ("a.b.c = 1\na . d = 2\n", {("a",): 1, ("a", "b"): 1, ("a", "b", "c"): 1, ("a", "d"): 2}),
    "quoted keys": (
        '"a.b" = 1\n\'c"d\'."e\\u0066" = 2\n["x y".z]\n',
        {("a.b",): 1, ('c"d',): 2, ('c"d', "ef"): 2, ("x y",): 3, ("x y", "z"): 3},
    ),
    "an empty key": ('"" = 1\n', {("",): 1}),
    "arrays of tables": (
        "[[w]]\na = 1\n[[w]]\n\na = 2\n",
        {("w",): 1, ("w", 0): 1, ("w", 0, "a"): 2, ("w", 1): 3, ("w", 1, "a"): 5},
    ),
    "a table in an array of tables": (
        "[[o]]\n[o.r.x]\nl = 1\n[[o]]\n[o.r.y]\nl = 2\n",
        {
            ("o",): 1,
            ("o", 0): 1,
            ("o", 0, "r"): 2,
            ("o", 0, "r", "x"): 2,
            ("o", 0, "r", "x", "l"): 3,
            ("o", 1): 4,
            ("o", 1, "r"): 5,
            ("o", 1, "r", "y"): 5,
            ("o", 1, "r", "y", "l"): 6,
        },
    ),
    "nested arrays of tables": (
        "[[a]]\n[[a.b]]\n[[a.b]]\n[[a]]\n[[a.b]]\nc = 1\n",
        {
            ("a",): 1,
            ("a", 0): 1,
            ("a", 0, "b"): 2,
            ("a", 0, "b", 0): 2,
            ("a", 0, "b", 1): 3,
            ("a", 1): 4,
            ("a", 1, "b"): 5,
            ("a", 1, "b", 0): 5,
            ("a", 1, "b", 0, "c"): 6,
        },
    ),
    "an array over lines": (
        "a = [ # x, y ]\n  1,\n\n  2, # ]\n]\nb = 1\n",
        {("a",): 1, ("a", 0): 2, ("a", 1): 4, ("b",): 6},
    ),
    "nested arrays": (
        "a = [[1], [\n2,\n3]]",
        {("a",): 1, ("a", 0): 1, ("a", 0, 0): 1, ("a", 1): 1, ("a", 1, 0): 2, ("a", 1, 1): 3},
    ),
    "inline tables": (
        "a = { b = 1, c.d = [\n{ e = 2 }] }\nf = {}\n",
        {
            ("a",): 1,
            ("a", "b"): 1,
            ("a", "c"): 1,
            ("a", "c", "d"): 1,
            ("a", "c", "d", 0): 2,
            ("a", "c", "d", 0, "e"): 2,
            ("f",): 3,
        },
    ),
    "strings with everything in them": (
        'a = "x = 1 # ] } \\" "\nb = \'] = \\\'\nc = 1\n',
        {("a",): 1, ("b",): 2, ("c",): 3},
    ),
    "a multi-line basic string": (
        'a = """\n[t]\nb = 1 \\""" "" \\\\"""\nc = 1\n',
        {("a",): 1, ("c",): 4},
    ),
    "a multi-line literal string": ("a = '''\n[t]\n'' \\'''\nc = 1\n", {("a",): 1, ("c",): 4}),
    "quotes before the closing quotes": (
        "a = \"\"\"x\"\"\"\"\"\nb = '''y'''''\nc = 1\n",
        {("a",): 1, ("b",): 2, ("c",): 3},
    ),
    "empty strings": (
        "a = \"\"\nb = ''\nc = \"\"\"\"\"\"\nd = ''''''\ne = 1",
        {("a",): 1, ("b",): 2, ("c",): 3, ("d",): 4, ("e",): 5},
    ),
    "dates with a space, floats, booleans": (
        "a = 1979-05-27 07:32:00Z\nb = [1.5e3, true,\n inf]\n",
        {("a",): 1, ("b",): 2, ("b", 0): 2, ("b", 1): 2, ("b", 2): 3},
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_key_is_found_on_its_line(name: str) -> None:
    text, expected = DOCUMENTS[name]
    assert lines_of(text) == expected


def _paths(value: object, path: KeyPath = ()) -> set[KeyPath]:
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return {path} - {()} | {found for key, each in inner for found in _paths(each, (*path, key))}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_keys_found_are_those_that_the_parser_finds(name: str) -> None:
    text, _ = DOCUMENTS[name]
    assert set(lines_of(text)) == _paths(tomllib.loads(text))


KEYS = st.sampled_from(["a", "b-1", '"c.d"', "'e'", '"\\u0066"', "a.b", "g . 'h'"])
SCALARS = st.sampled_from(
    [
        "1",
        "true",
        '"x # ] } = [t]"',
        "'\\'",
        '"""\n[t]\n""" "\\""""',
        "'''\n]'''",
        '"""q"""""',
        "1979-05-27 07:32:00",
        "-1_0.5e3",
        '""',
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: "[ # c ]\n" + ",\n".join(each) + "]")
        | st.lists(st.tuples(KEYS, inner), max_size=3).map(lambda each: "{" + ", ".join(f"{k} = {v}" for k, v in each) + "}")
    ),
    max_leaves=6,
)
LINES = (
    st.tuples(KEYS, VALUES).map(lambda each: f"{each[0]} = {each[1]} # = [x]")
    | KEYS.map(lambda key: f"[ {key} ]")
    | KEYS.map(lambda key: f"[[{key}]]#")
    | st.just("")
)


@given(st.lists(LINES, max_size=8))
def test_whatever_the_parser_accepts_the_locator_follows(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    found = lines_of(text)
    assert set(found) == _paths(document)
    assert all(1 <= line <= text.count("\n") + 1 for line in found.values())
