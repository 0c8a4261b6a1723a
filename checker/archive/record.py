"""RECORD: one line for each file of the wheel (PyPA specification "Recording installed projects")."""

from __future__ import annotations

from checker.archive.headers import each_line, first_few, shorten
from checker.model.artifact import RecordEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.archive.limits import Limits

_FIELDS = 3
_LONGEST_SIZE = 20
"""Digits of 2**64: no size is longer, and Python refuses to convert very long numbers."""


def parse_record(text: str, limits: Limits) -> tuple[tuple[RecordEntry, ...], list[str]]:
    """The lines in order, and the faults, each with its line number.

    The file is in the dialect of Python's ``csv``. Only lines with a quotation mark go through it; one path with a line break
    in it is told as two bad lines.

    Raises:
        MemberError: there are more lines than the artifact may have members; each is named once.
    """
    entries: list[RecordEntry] = []
    faults: list[str] = []
    for number, line in enumerate(each_line(text), 1):
        if number > limits.members:
            raise limits.exceeded("members", f"it has more than {limits.members} lines")
        if not line:
            continue
        fields = line.split(",") if '"' not in line else _quoted(line)
        if len(fields) != _FIELDS or not fields[0]:
            faults.append(f"line {number}: {shorten(line)} has not the three fields path, hash and size")
            continue
        path, hashed, size = fields
        if size and not (size.isascii() and size.isdigit() and len(size) <= _LONGEST_SIZE):
            faults.append(f"line {number}: the size {shorten(size)} is no number of bytes")
            continue
        entries.append(RecordEntry(path=path, hash=hashed, size=int(size) if size else None, line=number))
    return tuple(entries), first_few(faults)


def _quoted(line: str) -> list[str]:
    import csv

    try:
        return next(csv.reader([line], strict=True))
    except csv.Error:
        return []
