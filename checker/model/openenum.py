"""Enumerations that keep values which nobody has named yet.

ELF is an open format: a machine, tag or flag that is newer than this program must survive reading and be shown, not be refused.
"""

from __future__ import annotations

from enum import IntEnum


class OpenIntEnum(IntEnum):
    """An ``IntEnum`` that makes a nameless member of any integer; it prints as ``Class(0x1234)``."""

    @classmethod
    def _missing_(cls, value: object) -> OpenIntEnum | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"{cls.__name__}({value:#x})"
        member._value_ = value
        return member

    def __str__(self) -> str:
        return self.name
