"""A rule's parameters: made from what a policy says.

What needs the fields' types is in ``fieldtypes``, which is imported only where a policy sets a parameter: typing is slow to
import.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


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
