"""On which line each key of a TOML document stands.

:mod:`tomllib` keeps no positions. This scanner walks over a document that it has already accepted, so it need not judge
anything: it follows TOML 1.0's grammar only as far as telling keys, strings, arrays and inline tables apart asks for.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.policy.problems import KeyPath

_SPACE = regex(r"[ \t]*")
_BLANK = regex(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE_KEY = regex(r"[A-Za-z0-9_-]+")
_STRING = regex(
    r'"""(?:[^"\\]|\\.|"(?!"")|"(?="""))*"""|'
    r"'''(?:[^']|'(?!'')|'(?='''))*'''|"
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'[^'\n]*'",
    re.DOTALL,
)
_BARE_VALUE = regex(r"[^,\]}#\n]*")


def key_lines(text: str, parse: Callable[[str], dict[str, object]]) -> dict[KeyPath, int]:
    """Key path → line (from 1) of every key, table and array element of a document.

    A table that is opened more than once (``[a.b]`` and later ``[a.c]`` both open ``a``) stands where it is first met.

    Args:
        text: a document that ``parse`` accepts.
        parse: ``tomllib.loads``.
    """
    scanner = _Scanner(text, parse)
    scanner.document()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str, parse: Callable[[str], dict[str, object]]) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self._parse = parse
        self._newlines = [match.start() for match in re.finditer("\n", text)]
        self._arrays: dict[KeyPath, int] = {}

    def document(self) -> None:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self.at < len(self.text):
            if self.text.startswith("[[", self.at):
                table = self._header(2)
            elif self.text[self.at] == "[":
                table = self._header(1)
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _header(self, brackets: int) -> KeyPath:
        start = self.at
        self.at += brackets
        keys = self._dotted_key()
        self._skip(_SPACE)
        self.at += brackets
        path = self._note_keys((), keys[:-1], start)
        path = (*path, keys[-1])
        self._note(path, start)
        if brackets == 1:
            return path
        index = self._arrays[path] = self._arrays.get(path, -1) + 1
        self._note((*path, index), start)
        return (*path, index)

    def _pair(self, table: KeyPath) -> None:
        start = self.at
        path = self._note_keys(table, self._dotted_key(), start)
        self._skip(_SPACE)
        self.at += 1  # =
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        character = self.text[self.at]
        if character == "[":
            self._array(path)
        elif character == "{":
            self._inline_table(path)
        elif character in "\"'":
            self._skip(_STRING)
        else:
            self._skip(_BARE_VALUE)

    def _array(self, path: KeyPath) -> None:
        self.at += 1
        self._skip(_BLANK)
        index = 0
        while self.text[self.at] != "]":
            self._note((*path, index), self.at)
            self._value((*path, index))
            self._skip_comma()
            index += 1
        self.at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self.at += 1
        self._skip(_BLANK)
        while self.text[self.at] != "}":
            self._pair(path)
            self._skip_comma()
        self.at += 1

    def _skip_comma(self) -> None:
        self._skip(_BLANK)
        if self.text[self.at] == ",":
            self.at += 1
            self._skip(_BLANK)

    def _dotted_key(self) -> list[str]:
        keys = []
        while True:
            self._skip(_SPACE)
            keys.append(self._key())
            self._skip(_SPACE)
            if self.text[self.at] != ".":
                return keys
            self.at += 1

    def _key(self) -> str:
        start = self.at
        if self.text[start] in "\"'":
            self._skip(_STRING)
            return str(self._parse(f"key = {self.text[start : self.at]}")["key"])
        self._skip(_BARE_KEY)
        return self.text[start : self.at]

    def _note_keys(self, base: KeyPath, keys: list[str], at: int) -> KeyPath:
        path = base
        for key in keys:
            path = (*path, key)
            self._note(path, at)
            if path in self._arrays:  # [a.b] after [[a]] is in the last a
                path = (*path, self._arrays[path])
        return path

    def _note(self, path: KeyPath, at: int) -> None:
        self.lines.setdefault(path, bisect_right(self._newlines, at - 1) + 1)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
