"""Names of C++ and Rust symbols as their authors wrote them."""

from __future__ import annotations

from functools import lru_cache

from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_RUST_HASH = regex(r"17h[0-9a-f]{16}E(?:\.|\Z)")
_RUST_PARTS = regex(r"(\d+)")
_RUST_ESCAPES = {
    "$SP$": "@", "$BP$": "*", "$RF$": "&", "$LT$": "<", "$GT$": ">", "$LP$": "(", "$RP$": ")", "$C$": ",", "..": "::",
}  # fmt: skip
_MOST_DIGITS = 6
_RUST_ESCAPE = regex(r"\$(?:SP|BP|RF|LT|GT|LP|RP|C)\$|\$u[0-9a-f]{1,6}\$|\.\.")


@lru_cache(maxsize=16384)
def demangled(name: str) -> str:
    """The name as in the source, in the manner of ``c++filt``; ``name`` itself where it cannot be read.

    Rust's newer scheme (``_R…``) is shown as it is; of its older one, the hash at the end is left out.
    """
    if not name.startswith("_Z"):
        return name
    if name.startswith("_ZN") and _RUST_HASH.search(name):
        return _rust(name)
    from checker.model.itanium import Parser
    from checker.model.itanium_tree import Unreadable

    try:
        return Parser(name).demangled()
    except Unreadable:
        return name


def _rust(name: str) -> str:
    """``_ZN3std2io5Write9write_fmt17h0123456789abcdefE`` → ``std::io::Write::write_fmt``."""
    parts: list[str] = []
    at = 3
    while found := _RUST_PARTS.match(name, at):
        size = int(found[1]) if len(found[1]) < _MOST_DIGITS else len(name)
        parts.append(name[found.end() : found.end() + size])
        at = found.end() + size
    if not name.startswith("E", at):
        return name
    return "::".join(_RUST_ESCAPE.sub(_unescaped, part.removeprefix("_") if part[1:2] == "$" else part) for part in parts[:-1])


def _unescaped(found: re.Match[str]) -> str:
    text = found[0]
    if text in _RUST_ESCAPES:
        return _RUST_ESCAPES[text]
    character = chr(min(int(text[2:-1], 16), 0xFF))
    return character if character.isascii() and character.isprintable() else text
