"""From TOML values to the fields of a parameters class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from checker.model.policy import RuleSpec
from checker.policy.fieldtypes import toml_defaults
from checker.policy.parameters import build, describe_specs, plain
from tests.policy.samples import SPECS, Everything, SizeBudget, VersionTooNew


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


def test_the_description_of_the_rules_changes_with_names_types_and_defaults() -> None:
    @dataclass(frozen=True)
    class One:
        value: int = 1

    @dataclass(frozen=True)
    class OtherDefault:
        value: int = 2

    @dataclass(frozen=True)
    class OtherType:
        value: float = 1

    @dataclass(frozen=True)
    class OtherName:
        values: int = 1

    texts = [describe_specs([RuleSpec(id="x", parameters=each)]) for each in (One, OtherDefault, OtherType, OtherName)]
    texts.append(describe_specs([RuleSpec(id="y", parameters=One)]))
    assert len(set(texts)) == len(texts)
    assert describe_specs(SPECS) == describe_specs(SPECS)
