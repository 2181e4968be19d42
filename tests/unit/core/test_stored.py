"""Values in files: they are read as they were written, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest

from buildtool.core.errors import UsageError
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.stored import read_value, write_value
from buildtool.core.value import Described, Value


class Even(Value):
    number: int

    def as_json(self) -> int:
        return self.number

    @staticmethod
    def from_json(data: Any) -> Even:
        if data % 2:
            raise UsageError(f"{data} is odd")
        return Even(data)


class Part(Described):
    name: Annotated[str, "its name"]
    sizes: Mapping[str, tuple[int, float]]


class Whole(Value):
    ok: bool
    parts: tuple[Part, ...]
    names: frozenset[str]
    place: Path
    even: Even
    fields: Mapping[str, Any]


WHOLE = Whole(
    True,
    (Part("a", {"x": (1, 0.5)}), Part("b", {})),
    frozenset({"n", "m"}),
    Path("/a/b"),
    Even(2),
    {"any": [1, None, "text"]},
)


def test_a_value_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_value(tmp_path / "file", WHOLE, 3)

    found = read_value(tmp_path / "file", Whole, 3)

    assert found == WHOLE
    assert found is not None
    assert isinstance(found.parts[0], Part)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 4),
        ("ok", 1),
        ("parts", {}),
        ("parts", [["a", {}]]),
        ("parts", [{"name": "a"}]),
        ("parts", [{"name": 1, "sizes": {}}]),
        ("parts", [{"name": "a", "sizes": {"x": [1]}}]),
        ("parts", [{"name": "a", "sizes": {"x": [1, 10**400]}}]),
        ("parts", [{"name": "a", "sizes": {"x": [True, 1]}}]),
        ("names", "text"),
        ("place", None),
        ("even", 3),
        ("even", "text"),
    ],
)
def test_any_other_value_is_none(key: str, value: Any, tmp_path: Path) -> None:
    write_value(tmp_path / "file", WHOLE, 3)
    write_checksummed(tmp_path / "file", {**read_checksummed(tmp_path / "file"), key: value})

    assert read_value(tmp_path / "file", Whole, 3) is None


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b"[" * 100_000])
def test_a_file_that_is_damaged_is_none(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)

    assert read_value(tmp_path / "file", Whole, 3) is None
    assert read_value(tmp_path / "none", Whole, 3) is None
