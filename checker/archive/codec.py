"""The fastest DEFLATE, CRC-32 and SHA-256 that this Python has.

ISA-L inflates about twice as fast as zlib, and its CRC-32 is four times as fast; it has no wheels for some platforms.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Protocol

    class Inflater(Protocol):
        """What ``zlib.decompressobj`` returns."""

        @property
        def eof(self) -> bool:
            """The stream has ended."""

        @property
        def unconsumed_tail(self) -> bytes:
            """Input that the length limit left over."""

        @property
        def unused_data(self) -> bytes:
            """Input behind the end of the stream."""

        def decompress(self, data: bytes, max_length: int = ..., /) -> bytes:
            """At most ``max_length`` further bytes."""

    class Digest(Protocol):
        """What ``hashlib.sha256`` returns."""

        def update(self, data: bytes, /) -> None:
            """Take more bytes."""

        def hexdigest(self) -> str:
            """Lower-case hexadecimal."""


__all__ = ["InflateError", "crc32", "inflater", "sha256"]


def _fastest() -> ModuleType:
    try:
        from isal import isal_zlib
    except ImportError:
        import zlib

        return zlib
    return isal_zlib


_engine = _fastest()

try:
    # hashlib itself looks at every algorithm of OpenSSL when it is imported.
    from _hashlib import openssl_sha256
except ImportError:
    from hashlib import sha256 as openssl_sha256

InflateError: type[Exception] = _engine.error
"""What a damaged stream raises."""
crc32: Callable[[bytes, int], int] = _engine.crc32
_decompressobj: Callable[[int], Inflater] = _engine.decompressobj
sha256: Callable[[], Digest] = openssl_sha256

_RAW = -15
"""``wbits`` of a DEFLATE stream without a zlib header (APPNOTE 4.4.5, method 8), largest window."""


def inflater() -> Inflater:
    """A decompressor for one raw DEFLATE stream."""
    return _decompressobj(_RAW)
