"""Values, compared with named tuples."""

from __future__ import annotations

import copy
import typing
from functools import cached_property

import pytest

from buildtool.core.value import Value


class Point(Value):
    """A class of values with a default."""

    x: int
    y: int = 2


class Named(Point):
    """A subclass with another field, and another default."""

    y: int = 3
    name: str = ""

    @cached_property
    def twice(self) -> list[int]:
        return [2 * self.x]


class Likeness(typing.NamedTuple):
    """The named tuple with which `Point` is compared."""

    x: int
    y: int = 2


@pytest.mark.parametrize("cls", [Point, Likeness])
def test_it_is_as_a_named_tuple(cls: type) -> None:
    value = cls(1)
    assert (value.x, value.y) == (1, 2)
    assert value == cls(x=1, y=2) == cls(1, 2) == (1, 2)
    assert hash(value) == hash((1, 2))
    assert value != cls(2)
    assert value < cls(2)
    x, y = value
    assert (x, y) == (1, 2)
    assert value._replace(y=5) == (1, 5)
    assert value._asdict() == {"x": 1, "y": 2}
    assert repr(value) == f"{cls.__name__}(x=1, y=2)"
    assert copy.deepcopy(value) == copy.copy(value) == value


def test_a_pattern() -> None:
    match Point(1):
        case Point(first, y=second):
            assert (first, second) == (1, 2)
        case _:
            pytest.fail("a pattern did not match")


@pytest.mark.parametrize("cls", [Point, Likeness])
@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), ((), {"y": 1}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})],
)
def test_wrong_fields_are_refused(cls: type, given: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        cls(*given, **named)
    with pytest.raises((TypeError, ValueError)):
        cls(1)._replace(z=1)


@pytest.mark.parametrize("cls", [Point, Likeness])
def test_fields_cannot_be_set(cls: type) -> None:
    with pytest.raises(AttributeError):
        cls(1).x = 2


def test_derived_classes_add_fields_and_change_defaults() -> None:
    value = Named(1, name="a")
    assert value == (1, 3, "a")
    assert Named(1, 2, "a")._replace(x=5) == (5, 2, "a")
    assert isinstance(value, Point)
    assert Point(1).y == 2


def test_cached_properties_are_computed_once() -> None:
    value = Named(4)
    assert value.twice == [8]
    assert value.twice is value.twice
    assert value._replace(x=5).twice == [10]
