"""A root file system that is only looked at: paths and symbolic links are followed within it, as in a chroot.

It may be an unpacked image from anywhere. So no link leads out of it, only regular files are opened, and every size is bounded.
"""

# Links must be followed by hand, which pathlib does not make easier:
# ruff: noqa: PTH115, PTH118, PTH123

from __future__ import annotations

import os
import stat

_MOST_LINKS = 40
"""MAXSYMLINKS of Linux."""
_MOST_PARTS = 4096
_MOST_ENTRIES = 100_000
"""Of one directory. Debian's largest library directory has 3,000 with many development packages."""


class CaptureError(Exception):
    """A root that cannot be captured; the message says what is missing or wrong."""


class RootFs:
    """The files below one directory of this machine, by their paths inside."""

    def __init__(self, root: str) -> None:
        """Look at a root.

        Raises:
            CaptureError: it is no directory.
        """
        if not os.path.isdir(root):  # noqa: PTH112 (see the top of the file)
            what = "is not a directory" if os.path.lexists(root) else "no such directory"
            raise CaptureError(f"{root}: {what}; a root is /, or the directory of an unpacked image")
        self._root = root
        self._kinds: dict[str, tuple[int, str]] = {}

    def located(self, path: str) -> str | None:
        """The real path inside the root, links resolved as in a chroot; ``None`` where nothing is, or links go in circles."""
        parts = path.split("/")[::-1]
        place = ""
        followed = 0
        while parts:
            part = parts.pop()
            if part in {"", "."}:
                continue
            if part == "..":
                place = place.rpartition("/")[0]
                continue
            mode, target = self._kind(f"{place}/{part}")
            if stat.S_ISLNK(mode):
                followed += 1
                if followed > _MOST_LINKS or len(parts) > _MOST_PARTS:
                    return None
                place = "" if target.startswith("/") else place
                parts += target.split("/")[::-1]
            elif mode:
                place = f"{place}/{part}"
            else:
                return None
        return place or "/"

    def is_file(self, real: str) -> bool:
        """A real path is a regular file."""
        return stat.S_ISREG(self._kind(real)[0])

    def names(self, directory: str) -> tuple[str, ...]:
        """What a directory holds, sorted; empty where there is none that can be read.

        Raises:
            CaptureError: it holds more than any directory of libraries does.
        """
        real = self.located(directory)
        if real is None:
            return ()
        found = []
        try:
            with os.scandir(self._host(real)) as entries:
                for entry in entries:
                    found.append(entry.name)
                    if len(found) > _MOST_ENTRIES:
                        raise CaptureError(f"{real}: more than {_MOST_ENTRIES} entries; that is no directory of libraries")
        except OSError:
            return ()
        return tuple(sorted(found))

    def read(self, path: str, limit: int) -> bytes | None:
        """A whole regular file of ``limit`` bytes at most; ``None`` where there is none such that can be read."""
        real = self.located(path)
        if real is None or not self.is_file(real):
            return None
        try:
            with open(self._host(real), "rb") as stream:
                data = stream.read(limit + 1)
        except OSError:
            return None
        return data if len(data) <= limit else None

    def host_path(self, real: str) -> str:
        """Where a real path inside the root is on this machine; for opening it, never for telling it."""
        return self._host(real)

    def _host(self, real: str) -> str:
        return os.path.join(self._root, real.lstrip("/"))

    def _kind(self, place: str) -> tuple[int, str]:
        """The mode of what is at a place, 0 for nothing, and the target of a link."""
        known = self._kinds.get(place)
        if known is None:
            try:
                mode = os.lstat(self._host(place)).st_mode
                known = (mode, os.readlink(self._host(place)) if stat.S_ISLNK(mode) else "")
            except (OSError, ValueError):
                known = (0, "")
            self._kinds[place] = known
        return known
