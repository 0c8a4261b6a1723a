"""From TOML values to the fields of a parameters class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from checker.model.plain import plain
from checker.policy.fieldtypes import toml_defaults
from checker.policy.parameters import build
from tests.policy.samples import Everything, SizeBudget, VersionTooNew


@pytest.mark.parametrize(
    ("parameters", "values"),
    [
        (SizeBudget, {"bytes": True}),
        (SizeBudget, {"bytes": 1.0}),
        (SizeBudget, {"bytes": "1"}),
        (SizeBudget, {"growth": True}),
        (SizeBudget, {"members": "1"}),
        (Everything, {"schema": 1}),
        (Everything, {"table": {"a": "1"}}),
        (Everything, {"table": []}),
        (VersionTooNew, {"ceilings": [["GLIBC", "2.28"]]}),
    ],
)
def test_a_value_of_another_type_is_a_type_error(parameters: type[Any], values: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        build(parameters, values)


@pytest.mark.parametrize("values", [{"colour": "blue"}, {"pair": ["a"]}])
def test_a_value_outside_the_type_is_a_value_error(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"blue|zip"):
        build(Everything, values)


def test_a_field_of_a_type_that_toml_cannot_say_is_refused() -> None:
    @dataclass(frozen=True)
    class Odd:
        value: complex = 0

    with pytest.raises(TypeError, match="complex"):
        build(Odd, {"value": 1})


def test_defaults_are_told_as_toml_would_write_them() -> None:
    assert toml_defaults(SizeBudget) == {"bytes": 1000, "growth": 0.1, "members": None, "strict": False}
    assert toml_defaults(VersionTooNew) == {"ceilings": {}}
    everything = toml_defaults(Everything)
    assert (everything["colour"], everything["pair"], everything["nested"]) == ("red", ["a", 1], {})


def test_plain_values_are_what_json_can_hold() -> None:
    assert plain(VersionTooNew(ceilings=(("GLIBC", "2.28"),))) == {"ceilings": [["GLIBC", "2.28"]]}
