"""From what TOML (or the compiled JSON) can say to the typed fields of a rule's parameters, exactly and without pydantic.

Field types that a rule may use: ``str``, ``int``, ``float``, ``bool``, ``Literal`` of strings, an ``Enum`` with string values,
``tuple`` of these, ``Mapping[str, T]`` or ``dict[str, T]``, ``tuple[tuple[str, T], ...]`` (in TOML a table, for rules that want
a hashable mapping), and any of these ``| None`` (which TOML says by leaving the key out).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from enum import Enum
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from checker.model.plain import plain

_SCALARS = (str, int, float, bool)


def field_types(parameters: type[Any]) -> dict[str, Any]:
    """Field name → resolved type, in field order."""
    # Rules import Literal for type checkers only.
    hints = get_type_hints(parameters, localns={"Literal": Literal})
    return {name: hints[name] for name in parameters.__annotations__}


def toml_defaults(parameters: type[Any]) -> dict[str, Any]:
    """Field name → default as TOML would write it; ``None`` where TOML would leave the key out."""
    defaults = parameters()
    return {name: _toml_value(kind, getattr(defaults, name)) for name, kind in field_types(parameters).items()}


def descriptions(parameters: type[Any]) -> dict[str, str]:
    """Field name → what the class's docstring says of it under ``Attributes:``, in one line and without markup."""
    told: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(parameters.__doc__ or "").partition("Attributes:\n")[2].splitlines():
        head, colon, text = line.strip().partition(":")
        if colon and head in parameters.__annotations__:
            name, told[head] = head, text.strip()
        elif name and line.strip():
            told[name] += f" {line.strip()}"
    return {name: text.replace("`", "") for name, text in told.items()}


def as_toml_type(kind: Any) -> Any:  # noqa: ANN401 - a type expression
    """The type to validate a TOML value by: a tuple of pairs is written as a table, all else as it is."""
    if _is_pairs(kind):
        return dict[str, as_toml_type(get_args(get_args(kind)[0])[1])]  # type: ignore[misc] # built at run time
    return kind


def _toml_value(kind: Any, value: Any) -> Any:  # noqa: ANN401 - a type expression and a value of that type
    if _is_pairs(kind):
        inner = get_args(get_args(kind)[0])[1]
        return {key: _toml_value(inner, each) for key, each in value}
    return plain(value)


def _is_pairs(kind: Any) -> bool:  # noqa: ANN401 - a type expression
    arguments = get_args(kind)
    return (
        get_origin(kind) is tuple
        and len(arguments) == 2  # noqa: PLR2004 - tuple[element, ...]
        and arguments[1] is Ellipsis
        and get_origin(arguments[0]) is tuple
        and len(get_args(arguments[0])) == 2  # noqa: PLR2004 - a pair
        and get_args(arguments[0])[0] is str
    )


def convert(kind: Any, value: Any) -> Any:  # noqa: ANN401, PLR0911 - one return for each kind of type
    """A value of a field's type from what TOML has.

    Raises:
        TypeError: it does not fit.
        ValueError: it is no member of the field's enumeration.
    """
    origin = get_origin(kind)
    arguments = get_args(kind)
    if kind in _SCALARS:
        return _scalar(kind, value)
    if origin is Literal and value in arguments:
        return value
    if origin in (Union, UnionType):
        return _union(arguments, value)
    if _is_pairs(kind):
        inner = get_args(arguments[0])[1]
        if isinstance(value, Mapping):
            return tuple(sorted((key, convert(inner, each)) for key, each in value.items()))
    elif origin is tuple and isinstance(value, list | tuple):
        if arguments[-1] is Ellipsis:
            return tuple(convert(arguments[0], each) for each in value)
        return tuple(convert(each_kind, each) for each_kind, each in zip(arguments, value, strict=True))
    if origin in (dict, Mapping) and isinstance(value, Mapping):
        return {key: convert(arguments[1], each) for key, each in value.items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    raise TypeError(f"{value!r} cannot become {kind}")


def _scalar(kind: type[Any], value: Any) -> Any:  # noqa: ANN401 - str, int, float or bool
    if type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return float(value)
    raise TypeError(f"{value!r} is not of type {kind.__name__}")


def _union(kinds: tuple[Any, ...], value: Any) -> Any:  # noqa: ANN401 - the first alternative that fits
    for kind in kinds:
        try:
            return convert(kind, value)
        except (TypeError, ValueError):  # noqa: PERF203 - the next alternative
            continue
    raise TypeError(f"{value!r} fits none of {kinds}")
