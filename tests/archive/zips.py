"""Zip files for the tests: whole ones through the standard library, broken ones by patching their records."""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checker.archive import Limits, scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from checker.archive import Reread
    from checker.model.artifact import Inventory, Member
    from checker.model.sparse import SparseBytes

ELF = b"\x7fELF" + bytes(range(256)) * 300
"""Bytes that are told as ELF; longer than the head that a planner sees at least."""
WHEEL_NAME = "demo-1.0-py3-none-any.whl"
DIST_INFO = "demo-1.0.dist-info"
LOCAL, ENTRY, END, LOCATOR, END64 = b"PK\3\4", b"PK\1\2", b"PK\5\6", b"PK\6\7", b"PK\6\6"


def zip_bytes(files: Mapping[str, bytes], *, method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> bytes:
    """A good zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content, compress_type=method)
        archive.comment = comment
    return buffer.getvalue()


def wheel_files(**extra: bytes) -> dict[str, bytes]:
    """The files of a small good wheel (RECORD without hashes, which the archive layer does not compare)."""
    files = {
        "demo/__init__.py": b"",
        "demo/_core.so": ELF,
        f"{DIST_INFO}/METADATA": b"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\nRequires-Dist: torch>=2\n\nText: body\n",
        f"{DIST_INFO}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n",
        f"{DIST_INFO}/RECORD": b"demo/__init__.py,,0\ndemo/_core.so,sha256=abc,76804\n",
    }
    return files | extra


def patched(data: bytes, magic: bytes, occurrence: int, offset: int, layout: str, *values: int) -> bytes:
    """The same bytes with a field of the n-th record of that signature replaced."""
    at = -1
    for _ in range(occurrence + 1):
        at = data.index(magic, at + 1)
    at += offset
    packed = struct.pack(f"<{layout}", *values)
    return data[:at] + packed + data[at + len(packed) :]


def raw_zip(entries: Iterable[tuple[bytes, bytes, int]], *, extras: Mapping[int, bytes] | None = None) -> bytes:
    """A stored zip of ``(name, content, CRC)`` written field by field; ``extras`` go into central entries by position."""
    body, central = bytearray(), bytearray()
    count = 0
    for name, content, crc in entries:
        extra = (extras or {}).get(count, b"")
        sizes = (crc, len(content), len(content))
        central += struct.pack("<4s6H3L5H2L", ENTRY, 20, 20, 0, 0, 0, 0, *sizes, len(name), len(extra), 0, 0, 0, 0, len(body))
        central += name + extra
        body += struct.pack("<4s5H3L2H", LOCAL, 20, 0, 0, 0, 0, *sizes, len(name), 0) + name + content
        count += 1
    end = struct.pack("<4s4H2LH", END, 0, 0, count, count, len(central), len(body), 0)
    return bytes(body + central + end)


@dataclass
class Seen:
    """What a scan told: the inventory, and each ELF member with its kept ranges."""

    inventory: Inventory
    elves: list[tuple[Member, SparseBytes]] = field(default_factory=list)

    @property
    def reasons(self) -> dict[str, str]:
        """The problems by file; several of one file are joined."""
        reasons: dict[str, str] = {}
        for problem in self.inventory.problems:
            reasons[problem.file] = f"{reasons[problem.file]}; {problem.reason}" if problem.file in reasons else problem.reason
        return reasons

    @property
    def oddities(self) -> dict[tuple[str, str], str]:
        """What readers could take differently, by file and kind; several of one kind are joined."""
        told: dict[tuple[str, str], str] = {}
        for oddity in self.inventory.oddities:
            key = (oddity.file, oddity.kind.value)
            told[key] = f"{told[key]}; {oddity.what}" if key in told else oddity.what
        return told

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 by path."""
        return {member.path: member.sha256 for member in self.inventory.members}


def keep_all(_: bytes, size: int) -> list[tuple[int, int]]:
    """A plan that keeps the whole file."""
    return [(0, size)]


def look(path: Path, limits: Limits | None = None) -> Seen:
    """Scan and keep every ELF member whole."""
    elves: list[tuple[Member, SparseBytes]] = []

    def on_elf(member: Member, content: SparseBytes, _: Reread) -> None:
        elves.append((member, content))

    return Seen(scan(str(path), keep_all, on_elf, limits), elves)


def look_at(tmp_path: Path, data: bytes, name: str = "demo.zip", limits: Limits | None = None) -> Seen:
    """Write the bytes under that name and scan them."""
    path = tmp_path / name
    path.write_bytes(data)
    return look(path, limits)
