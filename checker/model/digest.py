"""SHA-256 without OpenSSL, which takes 3 ms to load: for what is short."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Digest(Protocol):
        """What ``hashlib.sha256`` returns."""

        def update(self, data: bytes, /) -> None:
            """Take more bytes."""

        def hexdigest(self) -> str:
            """Lower-case hexadecimal."""


__all__ = ["sha256"]

try:
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found] # CPython's own, since 3.12
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found] # and before
    except ImportError:
        from hashlib import sha256 as _sha256

sha256: Callable[..., Digest] = _sha256
