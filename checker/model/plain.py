"""Values as :mod:`json` takes them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import NoneType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def plain(value: Any) -> Any:  # noqa: ANN401 - any value of a policy
    """A parameter value, or a whole record or dataclass, as a value for :mod:`json`."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, str | int | float | NoneType):
        return value
    return {name: plain(getattr(value, name)) for name in type(value).__annotations__}
