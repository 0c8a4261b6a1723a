"""How large an artifact and its files are, by what its container says: nothing is unpacked."""

from __future__ import annotations

import os

from checker.archive.errors import ArchiveError
from checker.archive.limits import Limits
from checker.archive.scan import is_zip
from checker.archive.source import Source
from checker.model.artifact import Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.artifact import OddityKind


def artifact_sizes(path: str, limits: Limits | None = None) -> Sizes:
    """Sizes of a wheel, another zip file, a directory or a single file.

    Raises:
        ArchiveError: some of it cannot be read, so that the sum would be too small.
    """
    limits = limits or Limits()
    name = os.path.basename(os.path.abspath(path))  # noqa: PTH100, PTH119 (pathlib is slow to import)
    if os.path.isdir(path):  # noqa: PTH112
        from checker.archive.folders import folder_contents

        ledger = _Strict(path)
        members = sorted((each.path, each.size) for each in folder_contents(path, limits, ledger.note_member))
        return Sizes(name=name, size=sum(size for _, size in members), members=tuple(members))
    with Source(path) as source:
        if not is_zip(source):
            return Sizes(name=name, size=source.size, members=((name, source.size),))
        from checker.archive.zipindex import read_index

        entries = read_index(source, limits, _Strict(path))
        members = sorted((entry.path, entry.size) for entry in entries if not entry.is_folder)
        return Sizes(name=name, size=source.size, members=tuple(members))


class _Strict:
    """Takes what is told of an archive, and ends the reading at what could not be read."""

    def __init__(self, path: str) -> None:
        self._path = path

    def note(self, reason: str) -> None:
        raise ArchiveError(self._path, None, reason)

    def note_member(self, path: str, reason: str) -> None:
        raise ArchiveError(path, None, reason)

    def odd(self, kind: OddityKind, what: str) -> None:
        """What readers take differently does not change the sizes that ours takes."""

    def odd_member(self, path: str, kind: OddityKind, what: str) -> None:
        """The same."""
