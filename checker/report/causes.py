"""One cause told once: for readers, findings that say the same of several files or several subjects are one block.

A finding is kept for each rule, file and subject, since waivers, baselines and the formats for machines go by it; yet twelve
libraries linked with one wrong flag, or twenty libraries of the X Window System that one plugin needs, are one thing to mend.
"""

from __future__ import annotations

from checker.model.record import record
from checker.report.text import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checker.model.finding import Finding

FILE = "FILE"
"""Stands in a message or remedy for the name of each file concerned, where there are several."""

_SHOWN_FILES = 2
_SHOWN_SUBJECTS = 20
_SHOWN_PLACES = 10
"""So much is named before the rest is only counted."""

_FILE_MARK, _SUBJECT_MARK = "\0\2", "\0\3"


@record
class Place:
    """Subjects and the files that they concern, each sorted."""

    subjects: tuple[str, ...]
    files: tuple[str, ...]


@record
class Cause:
    """Findings that read the same up to the file and the subject.

    Attributes:
        findings: all of them, at least one, in the report's order.
        told: one of them; rule and level are those of all.
        message, remedy: its own, with :data:`FILE` for the file where several are concerned.
        files: that it concerns, sorted.
        likewise: the other subjects of which message and remedy hold, by their files; those with most files first.
    """

    findings: tuple[Finding, ...]
    told: Finding
    message: str
    remedy: str
    files: tuple[str, ...]
    likewise: tuple[Place, ...]


def causes(findings: Iterable[Finding]) -> tuple[Cause, ...]:
    """The findings by cause, in the order of each cause's first."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        told = (_pattern(finding.message, finding), _pattern(finding.remedy, finding))
        alike.setdefault((finding.rule, finding.level, finding.waived, finding.policy_line, *told), []).append(finding)
    return tuple(_cause(members, by_subject=_SUBJECT_MARK in f"{key[-2]}{key[-1]}") for key, members in alike.items())


def single(finding: Finding) -> Cause:
    """The finding by itself, word for word."""
    return Cause(
        findings=(finding,),
        told=finding,
        message=finding.message,
        remedy=finding.remedy,
        files=(finding.file,),
        likewise=(),
    )


def _cause(members: list[Finding], *, by_subject: bool) -> Cause:
    if len(members) == 1:
        return single(members[0])
    files: dict[str, set[str]] = {}
    for each in members:
        files.setdefault(each.subject if by_subject else "", set()).add(each.file)
    leading = min(files, key=lambda subject: (-len(files[subject]), subject))
    told = next(each for each in members if not by_subject or each.subject == leading)
    several = len({each.file for each in members}) > 1
    return Cause(
        findings=tuple(members),
        told=told,
        message=_replaced(told.message, told.file, FILE) if several else told.message,
        remedy=_replaced(told.remedy, told.file, FILE) if several else told.remedy,
        files=tuple(sorted(files[leading])),
        likewise=_places((subject, tuple(sorted(found))) for subject, found in sorted(files.items()) if subject != leading),
    )


def _places(subjects: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[Place, ...]:
    together: dict[tuple[str, ...], list[str]] = {}
    for subject, files in subjects:
        together.setdefault(files, []).append(subject)
    places = [Place(subjects=tuple(names), files=files) for files, names in together.items()]
    return tuple(sorted(places, key=lambda place: (-len(place.files), place.files)))


def _pattern(text: str, finding: Finding) -> str:
    """The text with marks for the finding's own file and subject; no text of an artifact looks like a mark."""
    escaped = _replaced(text.replace("\0", "\0\1"), finding.file, _FILE_MARK)
    return _replaced(escaped, finding.subject, _SUBJECT_MARK)


_OF_NAMES = "_.+-"
"""What names of files, libraries and symbols hold besides letters and digits."""


def _replaced(text: str, name: str, mark: str) -> str:
    """The text with a mark for the name where it stands by itself; ``libx.so`` is not meant in ``libx.so.1`` nor ``mylibx.so``.

    A library's name is also meant at the end of its path; a path is not in a longer one.
    """
    rows, start = [], 0
    found = text.find(name) if name else -1
    while found >= 0:
        end = found + len(name)
        joined = _joins(text[found - 1 : found], "/" if "/" in name else "") or _joins(text[end : end + 1], "/")
        rows += [text[start:found], name if joined else mark]
        start, found = end, text.find(name, end)
    return "".join(rows) + text[start:]


def _joins(neighbour: str, more: str) -> bool:
    return neighbour.isalnum() or (neighbour != "" and neighbour in _OF_NAMES + more)


def files_named(files: Sequence[str]) -> str:
    """``a``, ``a, b`` or ``a, b and 17 more files``."""
    if len(files) <= _SHOWN_FILES:
        return ", ".join(files)
    return f"{', '.join(files[:_SHOWN_FILES])} and {counted(len(files) - _SHOWN_FILES, 'more file')}"


def likewise(cause: Cause) -> Iterator[str]:
    """A line for each further place: its subjects, and its files where they are others than the cause's own."""
    for place in cause.likewise[:_SHOWN_PLACES]:
        subjects = _subjects_named(place.subjects)
        yield subjects if place.files == cause.files else f"{subjects} in {files_named(place.files)}"
    rest = [subject for place in cause.likewise[_SHOWN_PLACES:] for subject in place.subjects]
    if rest:
        yield f"{_subjects_named(rest)} in other files"


def _subjects_named(subjects: Sequence[str]) -> str:
    left = len(subjects) - _SHOWN_SUBJECTS
    return ", ".join(subjects[:_SHOWN_SUBJECTS]) + (f" and {left:,} more" if left > 0 else "")
