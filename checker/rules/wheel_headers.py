"""The headers of WHEEL and METADATA, for rules."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

REBUILD = (
    "Let the build backend write the file: build the wheel again, and change finished wheels with wheel unpack and wheel pack"
)


def values(fields: Iterable[tuple[str, str]], name: str) -> tuple[str, ...]:
    """All values of one header, in order; names compare without regard to case."""
    return tuple(value for field, value in fields if field.lower() == name.lower())
