from __future__ import annotations

import copy

import pytest

from checker.model.record import defaults, field_names, ordered_record, record, replace


@record
class Point:
    """Two numbers, the second of which may be left out."""

    x: int
    y: int = 0

    @property
    def total(self) -> int:
        """Of both."""
        return self.x + self.y


@ordered_record
class Version:
    """Compared by fields, first to last."""

    major: int
    minor: int


@record
class Nothing:
    """Without fields."""


def test_fields_are_set_by_keyword_and_defaults_fill_in() -> None:
    assert (Point(x=1).x, Point(x=1).y, Point(x=1, y=2).total) == (1, 0, 3)


def test_many_instances_are_as_the_first_whichever_init_made_them() -> None:
    @record
    class Range:
        """Whose size is checked when it is made."""

        start: int
        size: int = 1

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError("a size is positive")

    shared = Range.__init__
    first, *others = [Range(start=number % 2) for number in range(200)]

    assert Range.__init__ is not shared
    assert {first, *others} == {Range(start=0), Range(start=1, size=1)}
    with pytest.raises(ValueError, match="positive"):
        Range(start=0, size=-1)


def test_the_first_instance_is_checked_as_every_other() -> None:
    @record
    class Positive:
        """A number above 0."""

        value: int

        def __post_init__(self) -> None:
            if self.value <= 0:
                raise ValueError("not positive")

    with pytest.raises(ValueError, match="positive"):
        Positive(value=0)


@pytest.mark.parametrize("arguments", [{}, {"x": 1, "z": 2}], ids=["missing", "unknown"])
def test_a_missing_or_unknown_field_is_refused_at_the_first_and_the_second_instance(arguments: dict[str, int]) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="keyword"):
            Point(**arguments)


def test_positional_arguments_are_refused() -> None:
    Point(x=1)
    with pytest.raises(TypeError, match="positional"):
        Point(1)  # type: ignore[call-arg]


def test_a_value_cannot_be_changed_extended_or_shortened() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        point.z = 2  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    assert not hasattr(point, "__dict__")


def test_equal_values_of_one_class_are_equal_and_hash_alike() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert hash(Point(x=1)) == hash(Point(x=1, y=0))
    assert Point(x=1) != Point(x=2)
    other: object = Version(major=1, minor=2)
    assert Point(x=1, y=2) != other
    assert Nothing() == Nothing()


def test_it_prints_as_the_call_that_makes_it() -> None:
    assert repr(Point(x=1)) == "Point(x=1, y=0)"


def test_replace_changes_only_what_is_named() -> None:
    assert replace(Point(x=1, y=2), x=5) == Point(x=5, y=2)
    with pytest.raises(TypeError):
        replace(Point(x=1), z=5)


def test_ordered_records_compare_by_their_fields_and_only_with_their_own_kind() -> None:
    first, second = Version(major=1, minor=9), Version(major=2, minor=0)
    assert sorted([second, first]) == [first, second]
    assert first < second
    assert second >= first
    with pytest.raises(TypeError):
        _ = first < Point(x=1)  # type: ignore[operator]


def test_a_record_tells_its_fields_and_defaults() -> None:
    assert field_names(Point) == ("x", "y")
    assert defaults(Point) == {"y": 0}


def test_records_can_be_copied() -> None:
    assert copy.deepcopy(Point(x=1, y=2)) == Point(x=1, y=2)
