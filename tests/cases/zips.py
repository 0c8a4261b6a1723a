"""A zip writer that writes what it is told, field by field: two headers of one entry need not agree."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.cases.form import EntryForm, HeaderForm, ZipForm

_LOCAL, _CENTRAL, _END = b"PK\3\4", b"PK\1\2", b"PK\5\6"
_STORED, _DEFLATED = 0, 8
_UNIX = 3
_UTF8 = 0x800
_PLAIN_FILE = 0o100644
# 1 January 2024, 00:00:00 as MS-DOS has it.
_TIME, _DATE = 0, (2024 - 1980) << 9 | 1 << 5 | 1


@dataclass(frozen=True, slots=True)
class _Header:
    """The fields that both headers of an entry have."""

    name: bytes
    flags: int
    method: int
    crc: int
    compressed: int
    size: int

    def packed(self) -> bytes:
        fields = (20, self.flags, self.method, _TIME, _DATE, self.crc, self.compressed, self.size, len(self.name))
        return struct.pack("<5H3LH", *fields)

    def changed(self, form: HeaderForm) -> _Header:
        return _Header(
            name=self.name if form.name is None else form.name.encode(),
            flags=self.flags if form.flags is None else form.flags,
            method=self.method if form.method is None else form.method,
            crc=self.crc if form.crc is None else form.crc,
            compressed=self.compressed if form.compressed is None else form.compressed,
            size=self.size if form.size is None else form.size,
        )


def zip_bytes(entries: Iterable[tuple[str, bytes, EntryForm]], form: ZipForm) -> bytes:
    """The archive: entries of name, content and what is odd about them, in order."""
    body, central = bytearray(form.prefix.encode()), bytearray()
    offsets: dict[str, int] = {}
    count = 0
    for name, content, entry in entries:
        method = _DEFLATED if entry.method is None else entry.method
        data = _deflated(content) if method == _DEFLATED else content
        encoded = name.encode()
        flags = 0 if encoded.isascii() else _UTF8
        header = _Header(encoded, flags, method, zlib.crc32(content), len(data), len(content)).changed(entry)
        extra = bytes.fromhex(entry.extra)
        offset = len(body)
        if entry.at is not None:
            offset = offsets[entry.at]
        else:
            local = header.changed(entry.local)
            body += _LOCAL + local.packed() + struct.pack("<H", len(extra)) + local.name + extra + data
        offsets.setdefault(name, offset)
        mode = _PLAIN_FILE if entry.mode is None else entry.mode
        central += _CENTRAL + struct.pack("<BB", 20, _UNIX) + header.packed()
        central += struct.pack("<4H2L", len(extra), 0, 0, 0, mode << 16, offset) + header.name + extra
        count += 1
    comment = form.comment.encode()
    end = struct.pack("<4s4H2LH", _END, 0, 0, count, count, len(central), len(body), len(comment)) + comment
    return bytes(body + central + end) + form.suffix.encode()


def _deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()
