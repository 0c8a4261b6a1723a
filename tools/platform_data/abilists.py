"""Reads the ``abilists`` file of the ziglang wheel: every public glibc symbol, by library, version and architecture.

The file consolidates the ``.abilist`` files of all glibc releases. Its layout (that of the reader in zig's
``src/libs/glibc.zig``):

* one byte: number of libraries, then their names, each ended by a zero byte;
* one byte: number of versions, then three bytes (major, minor, patch) for each, ascending;
* one byte: number of targets, then their names, each ended by a zero byte;
* two bytes (little endian): number of function inclusions, then these; the same for objects and for thread-local objects.

An inclusion is a symbol's name (written once for all inclusions of it), a ULEB128 set of targets, for data a ULEB128 size, a
byte with the library's index (bit 7: the last inclusion of that symbol) and bytes with version indices (bit 7: the last one).
A version stands for the release in which the symbol came *to that library*: what moved later to another library does not appear
there under its old versions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LAST = 0x80


@dataclass(frozen=True, slots=True, kw_only=True)
class Inclusion:
    """One symbol in one library.

    Attributes:
        name: the symbol.
        library: short name, such as ``pthread``.
        targets: names such as ``x86_64-linux-gnu``.
        versions: the GLIBC versions under which it is defined, ascending.
        kind: ``F`` function, ``D`` data, ``T`` thread-local data.
    """

    name: str
    library: str
    targets: tuple[str, ...]
    versions: tuple[tuple[int, ...], ...]
    kind: str


class _Cursor:
    """A position in the file's bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def word(self) -> int:
        return self.byte() | self.byte() << 8

    def text(self) -> str:
        end = self.data.index(0, self.at)
        value = self.data[self.at : end].decode("ascii")
        self.at = end + 1
        return value

    def uleb(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & LAST:
                return value


def read(data: bytes) -> Iterator[Inclusion]:
    """Every inclusion of the file ``data``, functions first.

    Raises:
        ValueError: bytes are left after the last inclusion, so the layout is not the known one.
    """
    cursor = _Cursor(data)
    libraries = [cursor.text() for _ in range(cursor.byte())]
    versions = [_version(cursor.byte(), cursor.byte(), cursor.byte()) for _ in range(cursor.byte())]
    targets = [cursor.text() for _ in range(cursor.byte())]
    for kind in "FDT":
        name = None
        for _ in range(cursor.word()):
            name = name if name is not None else cursor.text()
            wanted = cursor.uleb()
            if kind != "F":
                cursor.uleb()
            library = cursor.byte()
            indices = [cursor.byte()]
            while not indices[-1] & LAST:
                indices.append(cursor.byte())
            yield Inclusion(
                name=name,
                library=libraries[library & ~LAST],
                targets=tuple(target for bit, target in enumerate(targets) if wanted >> bit & 1),
                versions=tuple(versions[index & ~LAST] for index in indices),
                kind=kind,
            )
            if library & LAST:
                name = None
    if cursor.at != len(data):
        raise ValueError(f"{len(data) - cursor.at} bytes after the last inclusion")


def _version(major: int, minor: int, patch: int) -> tuple[int, ...]:
    return (major, minor, patch) if patch else (major, minor)
