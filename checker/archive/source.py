"""A file that is read at offsets."""

from __future__ import annotations

import os
import stat

from checker.archive.errors import ArchiveError, MemberError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

CHUNK = 1 << 17
"""Bytes read at once: large enough that calls cost nothing, small enough that it stays in the processor's cache."""

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    # A fifo put in place of the file between the look and the opening must not make us wait for its writer.
    | getattr(os, "O_NONBLOCK", 0)
)


class Source:
    """A regular file, opened for reading at offsets; a context manager.

    Reading is safe from several threads where the system has ``pread`` (not on Windows).

    Attributes:
        path: as given.
        size: in bytes, when it was opened.
        mode: permission bits.
    """

    def __init__(self, path: str, *, follow: bool = True) -> None:
        """Open the file; a symbolic link only with ``follow``.

        Raises:
            ArchiveError: the file cannot be opened or is no regular file.
        """
        self.path = path
        flags = _OPEN_FLAGS | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
        try:
            self._descriptor = os.open(path, flags)
        except OSError as error:
            raise unreadable(path, error) from None
        except ValueError:
            raise ArchiveError(path, None, "a path with a NUL character names no file", repr(path)) from None
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(self._descriptor)
            raise ArchiveError(path, None, "this is neither a file nor a directory; name a wheel, another file or a directory")
        self.size = status.st_size
        self.mode = stat.S_IMODE(status.st_mode)

    def __enter__(self) -> Source:  # noqa: PYI034 -- typing.Self needs Python 3.11
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._descriptor)

    def read_at(self, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes from ``offset`` on; fewer, or none, only at the end of the file.

        Raises:
            ArchiveError: the system could not read.
        """
        if size <= 0 or offset >= self.size:
            return b""
        try:
            data = _read(self._descriptor, size, offset)
            while 0 < len(data) < min(size, self.size - offset):
                more = _read(self._descriptor, size - len(data), offset + len(data))
                if not more:
                    break
                data += more
        except OSError as error:
            raise unreadable(self.path, error, offset) from None
        return data


def _seek_and_read(descriptor: int, size: int, offset: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


_read = getattr(os, "pread", _seek_and_read)


def unreadable(path: str, error: OSError, offset: int | None = None) -> ArchiveError:
    """What the operating system said, with a way out."""
    if isinstance(error, FileNotFoundError):
        return ArchiveError(path, offset, "there is no such file; check the path (an unmatched shell pattern stays as typed)")
    if isinstance(error, PermissionError):
        return ArchiveError(path, offset, "this may not be read; change its permissions or its owner")
    return ArchiveError(path, offset, f"the system cannot read this file: {error.strerror or type(error).__name__}")


def read_whole(source: Source) -> Iterator[bytes]:
    """A file's bytes from first to last, in chunks.

    Raises:
        ArchiveError: the system could not read.
        MemberError: the file became shorter meanwhile.
    """
    offset = 0
    while offset < source.size:
        chunk = source.read_at(offset, CHUNK)
        if not chunk:
            raise MemberError(offset, "the file became shorter while it was read")
        yield chunk
        offset += len(chunk)
