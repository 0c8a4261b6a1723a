"""Stands for the stable ABI of CPython."""

from __future__ import annotations

from checker.model.artifact import Tag


class StableAbi:
    """A few symbols."""

    _since = {b"PyArg_Parse": (3, 2), b"PyType_GetModule": (3, 10), b"PyBuffer_Release": (3, 11)}  # noqa: RUF012 - a constant

    def since(self, name: bytes) -> tuple[int, ...] | None:
        """As in CPython."""
        return self._since.get(name)


def tagged(python: str, abi: str) -> tuple[Tag, ...]:
    """One tag for x86-64."""
    return (Tag(python=python, abi=abi, platform="manylinux_2_17_x86_64"),)
