"""Values that describe the keys of their JSON object."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest

from buildtool.core.value import Described, Value, computed, described


class Part(Value):
    """A value without descriptions."""

    x: int


class Whole(Described):
    """A value with fields of each kind, one of which is not printed."""

    path: Annotated[Path, "where it is"]
    hidden: int
    ok: Annotated[bool, "whether it is there"] = computed(lambda self: self.hidden > 0)
    parts: Annotated[tuple[Part, ...], "its parts"] = ()
    numbers: Annotated[dict[str, tuple[int, ...]], "numbers by name"] = {}  # noqa: RUF012


class More(Whole):
    """A subclass with another key."""

    name: Annotated[str | None, "its name"] = None


def test_described_fields_are_the_keys_in_the_order_of_the_source() -> None:
    value = More(Path("a"), 1, (Part(2),), {"n": (3,)})

    assert list(value.as_json().items()) == [
        ("path", "a"),
        ("ok", True),
        ("parts", [{"x": 2}]),
        ("numbers", {"n": [3]}),
        ("name", None),
    ]
    assert [*described(More)] == [*value.as_json()]


def test_what_is_computed_is_no_field() -> None:
    assert Whole._fields == ("path", "hidden", "parts", "numbers")
    assert Whole(Path("a"), 0).ok is False
    with pytest.raises(TypeError):
        Whole(path=Path("a"), hidden=0, ok=True)  # type: ignore[call-arg]
