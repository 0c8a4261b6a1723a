"""Where reports and complaints go: streams of any encoding, closed pipes, terminals, files."""

from __future__ import annotations

import io
import os
import sys

from checker.cli.request import UsageError
from checker.report.text import Style, inert, line, plain, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from rich.console import Console
    from rich.text import Text

    from checker.report.text import Line


def prepare_streams() -> None:
    """Make standard output and error take every character, and write the same bytes on every system.

    Python has no stream where the caller closed the descriptor (``>&-``): what is told is swallowed, and the exit code tells.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 (it lives as long as the process)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace", newline="\n")


def complain(message: str) -> None:
    """One line on standard error."""
    _write(plain([line(f"wheelproof: {message}")]), sys.stderr)


def print_text(text: str) -> None:
    """The text on standard output as it is."""
    _write(text, sys.stdout)


def print_lines(lines: Sequence[Line], width: int | None = None) -> None:
    """The lines on standard output: coloured and wrapped on a terminal, plain otherwise.

    Args:
        lines: of a presentation.
        width: columns to wrap at wherever they go; ``None`` for the terminal's own, and elsewhere for none.
    """
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        _print_styled(lines, width)
    elif width is not None:
        print_text("".join(f"{inert(row.plain)}\n" for row in _wrapped(lines, _console(width))))
    else:
        print_text(plain(lines))


def write_file(path: str, text: str) -> None:
    """The text as a file in UTF-8.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def _write(text: str, stream: TextIO) -> None:
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        _abandon(stream, error)


def _abandon(stream: TextIO, error: OSError) -> None:
    """Let the stream swallow the rest.

    A reader that has gone (``| head``) is no fault, and the verdict stands. Any other error means that the user has not got
    what was asked for. Windows tells of a closed pipe by EINVAL.
    """
    import errno

    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    if error.errno not in {errno.EPIPE, errno.EINVAL}:
        raise UsageError(f"the output cannot be written: {error.strerror or error}") from error


_LOOKS = {
    Style.PLAIN: "",
    Style.STRONG: "bold",
    Style.DIM: "dim",
    Style.ERROR: "bold red",
    Style.WARNING: "yellow",
    Style.NOTE: "cyan",
    Style.GOOD: "green",
    Style.REMEDY: "green",
}
_NARROW = 40
"""Columns left for the body below which hanging indentation would only make ribbons."""


def _print_styled(lines: Sequence[Line], width: int | None) -> None:
    console = _console(width)
    try:
        for row in _wrapped(lines, console):
            console.print(row, soft_wrap=True)
    except OSError as error:
        _abandon(sys.stdout, error)


def _console(width: int | None) -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, width=width)


def _wrapped(lines: Sequence[Line], console: Console) -> Iterator[Text]:
    """Rows as wide as the console, further ones of a line indented to where its body begins."""
    from rich.text import Text

    for row in lines:
        lead, body = (Text.assemble(*((safe(text), _LOOKS[style]) for text, style in part)) for part in (row.lead, row.body))
        hang = lead.cell_len if console.width - lead.cell_len >= _NARROW else 2
        wrapped = body.wrap(console, console.width - hang)
        first = lead.append_text(wrapped[0]) if wrapped else lead
        for part in (first, *(Text(" " * hang).append_text(part) for part in wrapped[1:])):
            part.rstrip()
            yield part
