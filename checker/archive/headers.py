"""The headers of WHEEL and METADATA: ``Name: value`` lines in the manner of RFC 822, up to the first blank line.

The standard library's ``email`` reads the same, but takes longer to import than a small wheel takes to check.
"""

from __future__ import annotations

import re

from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.archive.limits import Limits

_FIELD = regex(r"([!-9;-~]+)[ \t]*:[ \t]*(.*)", re.ASCII | re.DOTALL)
"""RFC 5322, 2.2 and 3.6.8: a field name is printable ASCII without a colon; space before the colon is obsolete syntax (4.5)."""
_MOST_BAD = 20
"""Bad lines that are told one by one."""


def decode_text(data: bytes) -> tuple[str, str]:
    """Text, and what is wrong with it (empty when nothing is): these files are in UTF-8 by their standards."""
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return data.decode(
            "utf-8", "backslashreplace"
        ), f"line {line}: byte {data[error.start]:#04x} is no UTF-8; write the file in UTF-8"


def parse_headers(text: str, limits: Limits) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """The headers in order as (name, value), and the faults, each with its line number.

    A folded value keeps its line breaks, without the indentation.

    Raises:
        MemberError: there are more lines than the limit allows.
    """
    fields: list[tuple[str, list[str]]] = []
    faults: list[str] = []
    for number, raw in enumerate(each_line(text), 1):
        if not raw:
            break
        if number > limits.headers:
            raise limits.exceeded("headers", f"its headers have more than {limits.headers} lines")
        if raw[0] in " \t":
            if fields:
                fields[-1][1].append(raw.strip())
            else:
                faults.append(f"line {number}: a continuation before any header")
            continue
        match = _FIELD.fullmatch(raw)
        if match is None:
            faults.append(f"line {number}: {shorten(raw)} is no header of the form 'Name: value'")
        else:
            fields.append((match[1], [match[2].strip()]))
    return tuple((name, "\n".join(lines)) for name, lines in fields), first_few(faults)


def each_line(text: str) -> Iterator[str]:
    """The lines, which end in LF or CR LF (``str.splitlines`` would also cut at form feeds and the like), one by one."""
    start = 0
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        yield text[start:stop].removesuffix("\r")
        start = stop + 1


def shorten(line: str) -> str:
    """A line as a message shows it."""
    longest = 80
    return repr(line if len(line) <= longest else line[:longest] + "…")


def first_few(faults: list[str]) -> list[str]:
    """The first faults, and how many more there are."""
    more = len(faults) - _MOST_BAD
    return [*faults[:_MOST_BAD], f"{more} further faults of this kind"] if more > 0 else faults
