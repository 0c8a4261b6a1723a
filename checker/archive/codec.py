"""DEFLATE, CRC-32 and SHA-256: the fastest that this Python has, or for a small artifact those that are there at once.

ISA-L inflates half as fast again as zlib, and OpenSSL hashes five times as fast as CPython's own code; but loading the two
takes 4.5 ms, in which zlib and CPython have done with 600 kB. ISA-L has no wheels for some platforms.
"""

from __future__ import annotations

from checker.model.digest import sha256
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Protocol

    from checker.model.digest import Digest

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


_RAW = -15
"""``wbits`` of a DEFLATE stream without a zlib header (APPNOTE 4.4.5, method 8), largest window."""
_SMALL = 1 << 18
"""Bytes of an artifact, packed."""


@record
class Codec:
    """What reads and hashes the bytes of one artifact.

    Attributes:
        decompressor: ``zlib.decompressobj`` or its like.
        InflateError: what a damaged stream raises.
        crc32: of more bytes and of those before.
        sha256: a digest to be fed.
    """

    decompressor: Callable[[int], Inflater]
    InflateError: type[Exception]
    crc32: Callable[[bytes, int], int]
    sha256: Callable[[], Digest]

    def inflater(self) -> Inflater:
        """A decompressor for one raw DEFLATE stream."""
        return self.decompressor(_RAW)


def codec_for(size: int) -> Codec:
    """The codec that is done first with an artifact of so many bytes."""
    return at_hand() if size < _SMALL else fastest()


def at_hand() -> Codec:
    """What every CPython has built in."""
    import zlib

    return Codec(decompressor=zlib.decompressobj, InflateError=zlib.error, crc32=zlib.crc32, sha256=sha256)


def fastest() -> Codec:
    """ISA-L, where it is installed, and OpenSSL."""
    try:
        # hashlib itself looks at every algorithm of OpenSSL when it is imported.
        from _hashlib import openssl_sha256
    except ImportError:
        from hashlib import sha256 as openssl_sha256
    engine = _fastest_zlib()
    return Codec(decompressor=engine.decompressobj, InflateError=engine.error, crc32=engine.crc32, sha256=openssl_sha256)


def _fastest_zlib() -> ModuleType:
    try:
        from isal import isal_zlib
    except ImportError:
        import zlib

        return zlib
    return isal_zlib
