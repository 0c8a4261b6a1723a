"""Lines of styled segments, and how names from artifacts are made safe to print.

A presentation is a tuple of :class:`Line`; whoever prints it decides about colour and width. Every segment is escaped when it
is rendered, so that no caller can forget it: names, messages and remedies hold text that an artifact's author chose.
"""

from __future__ import annotations

import re
from enum import Enum

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Style(Enum):
    """What a segment is, not how it looks."""

    PLAIN = "plain"
    STRONG = "strong"
    DIM = "dim"
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    GOOD = "good"
    REMEDY = "remedy"


Segment = tuple[str, Style]
"""Raw text and its style."""


@record
class Line:
    """One line.

    Attributes:
        lead: printed once; where the body is too long for a terminal, its further lines are indented to the lead's end.
        body: the text that may be wrapped.
    """

    lead: tuple[Segment, ...] = ()
    body: tuple[Segment, ...] = ()

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Lead and body."""
        return self.lead + self.body


def line(text: str = "", *, style: Style = Style.PLAIN, indent: int = 0) -> Line:
    """A line of one style, indented by so many spaces."""
    lead = ((" " * indent, Style.PLAIN),) if indent else ()
    return Line(lead=lead, body=((text, style),) if text else ())


def plain(lines: Iterable[Line]) -> str:
    """The text without styles, each line ended by a newline and as long as it is: for files, pipes and logs."""
    rows = ("".join(safe(text) for text, _ in row.segments).rstrip() for row in lines)
    return "".join(inert(row) + "\n" for row in rows)


def safe(text: str) -> str:
    r"""The text with everything escaped that could steer a terminal or deceive a reader's eye.

    Control characters, direction marks, other invisible characters and lone surrogates become ``\n``, ``\x1b``, ``\u202e`` …;
    a byte that was not UTF-8 becomes ``\xff``.
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    byte = undecoded(character)
    if byte is not None:
        return f"\\x{byte:02x}"
    code = ord(character)
    if character.isascii():
        return repr(character)[1:-1]
    return f"\\u{code:04x}" if code <= _BASIC_PLANE else f"\\U{code:08x}"


_BASIC_PLANE = 0xFFFF


def undecoded(character: str) -> int | None:
    """The byte for which a lone surrogate stands (the error handler ``surrogateescape``, PEP 383); ``None`` for others."""
    byte = ord(character) - 0xDC00
    return byte if 0x80 <= byte <= 0xFF else None  # noqa: PLR2004 (bytes that are not ASCII)


_WORKFLOW_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\[)")


def inert(row: str) -> str:
    """The line so that a CI service does not take it for a command.

    GitHub's runner obeys a line of any step's output that begins with ``::`` (after spaces), or holds ``##[``
    (actions/runner ``src/Runner.Common/ActionCommand.cs``); a member's name must not have that power.
    """
    return _WORKFLOW_COMMAND.sub(lambda found: f"{found[1] or ''}\\x{ord(found[0][-1]):02x}", row)


def decoded(name: bytes) -> str:
    """A symbol's or version's name as text; bytes that are not UTF-8 become surrogates, which every output escapes."""
    return name.decode("utf-8", "surrogateescape")


_ROW = 100


def evidence_rows(value: str | int | tuple[str, ...]) -> tuple[str, ...]:
    """The value of a piece of evidence in lines: a short list of plain names on one, other lists an item a line."""
    if not isinstance(value, tuple):
        return (str(value),)
    joined = ", ".join(value)
    plain_names = not any(" " in item or "," in item for item in value)
    return (joined,) if value and plain_names and len(joined) <= _ROW else value


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 object``, ``3 objects``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
