"""Regular expressions that are compiled when they are first asked: a check asks few of those that its modules define."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as regex
else:

    class regex:  # noqa: N801 (used like re.compile, which it is to type checkers)
        """Stands for ``re.compile(pattern, flags)``."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self._pattern, self._flags = pattern, flags

        def __getattr__(self, name: str) -> object:
            value = getattr(re.compile(self._pattern, self._flags), name)
            setattr(self, name, value)  # a second call finds the compiled pattern's own method
            return value


__all__ = ["regex"]
