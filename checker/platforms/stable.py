"""The stable ABI of CPython (PEP 384): which symbols belong to it, and since when."""

from __future__ import annotations

from checker.platforms.catalogue import load_catalogue
from checker.platforms.table import load

FIRST = (3, 2)


class CPythonStableAbi:
    """Implements ``StableAbi``; its data is read at the first question."""

    def since(self, name: bytes) -> tuple[int, ...] | None:
        """The version of CPython that brought the symbol into the stable ABI; ``None`` for one that is not in it."""
        rows = load(load_catalogue().files["host", "stable-abi"]).rows(name)
        return (rows[0].since or FIRST) if rows else None
