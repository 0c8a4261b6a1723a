"""A rule's parameters: made from what a policy says, described, and written down.

What needs the fields' types is in ``fieldtypes``, which is imported only where a policy sets a parameter: typing is slow to
import.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import NoneType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from checker.model.policy import RuleSpec


def build(parameters: type[Any], values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - each rule has a class of its own
    """An instance of a rule's parameters class from TOML values; fields that are not named keep their defaults.

    Raises:
        ValueError: the class refuses the values (its ``__post_init__``).
        TypeError: a value does not have the type of its field, or a field's type is none that a rule may use.
    """
    if not values:
        return parameters()
    from checker.policy.fieldtypes import convert, field_types

    types = field_types(parameters)
    return parameters(**{name: convert(types[name], value) for name, value in values.items()})


def plain(value: Any) -> Any:  # noqa: ANN401 - any parameter value
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


def describe_specs(specs: Sequence[RuleSpec]) -> str:
    """The rules' parameters in words that change whenever a policy could mean something else."""
    lines = []
    for spec in specs:
        lines.append(spec.id)
        defaults = spec.parameters()
        for name, kind in spec.parameters.__annotations__.items():
            lines.append(f"  {name}: {kind} = {plain(getattr(defaults, name))!r}")
    return "\n".join(lines)
