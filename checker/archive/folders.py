"""The files below a directory as streams."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import partial

from checker.archive.content import Content
from checker.archive.errors import ArchiveError, MemberError
from checker.archive.source import Source, read_whole, unreadable
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.archive.content import Odd
    from checker.archive.limits import Limits

FileNote = Callable[[str, str], None]
"""Takes the path below the directory and a reason."""


@record
class _Place:
    """A file or folder that the walk met: its path for the system, its path in the artifact, and what it is."""

    system: str
    path: str
    status: os.stat_result


def folder_contents(root: str, limits: Limits, note: FileNote) -> Iterator[Content]:
    """Every file and symbolic link below ``root``, sorted by folder; links are told and never followed.

    Args:
        root: the directory.
        limits: bounds the number of files and the depth.
        note: is told which path could not be looked at.

    Raises:
        ArchiveError: the directory itself cannot be listed.
    """
    found = 0
    folders = [(root, "")]
    while folders:
        system, prefix = folders.pop()
        below: list[tuple[str, str]] = []
        for place in _listed(system, prefix, note):
            if stat.S_ISDIR(place.status.st_mode):
                if place.path.count("/") < limits.nesting:
                    below.append((place.system, place.path + "/"))
                else:
                    note(place.path, str(limits.exceeded("nesting", "what lies below this folder was not read")))
                continue
            if found == limits.members:
                note(place.path, str(limits.exceeded("members", "this file and those after it were not read")))
                return
            found += 1
            yield _content(place)
        folders += reversed(below)


def _listed(system: str, prefix: str, note: FileNote) -> list[_Place]:
    try:
        with os.scandir(system) as entries:
            names = sorted(entry.name for entry in entries)
    except OSError as error:
        if not prefix:
            raise unreadable(system, error) from None
        note(prefix.rstrip("/"), unreadable(system, error).message)
        return []
    places = []
    for name in names:
        at = os.path.join(system, name)  # noqa: PTH118 -- pathlib costs more than the look itself
        # A name that is no text on this system must not break the reports' encoding.
        path = prefix + os.fsencode(name).decode("utf-8", "backslashreplace")
        try:
            places.append(_Place(system=at, path=path, status=os.lstat(at)))
        except OSError as error:
            note(path, unreadable(at, error).message)
    return places


def _content(place: _Place) -> Content:
    is_link = stat.S_ISLNK(place.status.st_mode)
    return Content(
        path=place.path,
        mode=stat.S_IMODE(place.status.st_mode),
        size=place.status.st_size,
        packed=place.status.st_size,
        crc=None,
        is_link=is_link,
        open=partial(_read_link if is_link else _read_file, place),
    )


def _read_link(place: _Place, _: Odd) -> Iterator[bytes]:
    try:
        target = os.readlink(place.system)  # noqa: PTH115 -- the same
    except OSError as error:
        raise MemberError(None, unreadable(place.system, error).message) from None
    return iter([os.fsencode(target)] if target else [])


def _read_file(place: _Place, _: Odd) -> Iterator[bytes]:
    if not stat.S_ISREG(place.status.st_mode):
        raise MemberError(None, "this is no file, folder or link (a device, fifo or socket); remove it")
    try:
        with Source(place.system, follow=False) as source:
            yield from read_whole(source)
    except ArchiveError as error:
        raise MemberError(error.offset, error.message, error.value) from None
