"""A file with output, compared with a reference element by element."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest

from buildtool.measure.sample import CHUNK_ELEMENTS, compare_elements
from buildtool.project.benches import ELEMENT_CODES, ELEMENT_TYPES, Check


def problem(folder: Path, check: Check, found: list[float], wanted: list[float]) -> str:
    paths = folder / "found", folder / "wanted"
    for path, values in zip(paths, (found, wanted), strict=True):
        path.write_bytes(struct.pack(f"<{len(values)}{ELEMENT_CODES[check.type]}", *values))
    return compare_elements(check, *paths)


@pytest.mark.parametrize("kind", ELEMENT_TYPES)
def test_each_type_has_a_format_of_its_size(tmp_path: Path, kind: str) -> None:
    assert 8 * struct.calcsize(f"<{ELEMENT_CODES[kind]}") == int(kind[1:])
    check = Check(type=kind)
    assert not problem(tmp_path, check, [1, 2, 3], [1, 2, 3])
    decimal = ".0" if kind.startswith("f") else ""
    assert problem(tmp_path, check, [1, 7, 3], [1, 2, 3]) == (
        f"element 1 is 7{decimal} instead of 2{decimal}; 1 of 3 differ"
    )


@pytest.mark.parametrize(
    ("value", "close"), [(100.9, True), (101.2, False), (99.1, True), (math.nan, False)]
)
def test_tolerances_are_added(tmp_path: Path, value: float, close: bool) -> None:
    check = Check(type="f64", absolute=0.5, relative=0.005)  # 1.0 for 100
    assert (not problem(tmp_path, check, [value], [100.0])) is close


def test_special_values_are_compared_as_such(tmp_path: Path) -> None:
    check = Check(type="f32", absolute=1.0)
    special = [math.inf, -math.inf, math.nan, 0.0]
    assert not problem(tmp_path, check, special, special)
    assert "element 0 is -inf instead of inf" in problem(
        tmp_path, check, [-math.inf, 0, 0, 0], [math.inf, 0, 0, 0]
    )


def test_an_infinite_reference_has_no_tolerance(tmp_path: Path) -> None:
    check = Check(type="f32", relative=1e-3)
    wanted = [math.inf, -math.inf]
    assert "2 of 2 differ" in problem(tmp_path, check, [5.0, -1e9], wanted)


def test_nothing_is_checked_by_an_empty_reference(tmp_path: Path) -> None:
    assert problem(tmp_path, Check(), [], []) == "wanted is empty, so nothing is checked"


def test_the_index_counts_beyond_the_first_chunk(tmp_path: Path) -> None:
    wanted = [1.0] * (CHUNK_ELEMENTS + 10)
    found = [*wanted]
    found[CHUNK_ELEMENTS + 3] = 0.0
    assert problem(tmp_path, Check(type="f32"), found, wanted) == (
        "element 65,539 is 0.0 instead of 1.0; 1 of 65,546 differ"
    )


def test_files_of_other_sizes_differ(tmp_path: Path) -> None:
    found = problem(tmp_path, Check(type="f32"), [1.0], [1.0, 2.0])
    assert found == "it has 4 bytes, and wanted has 8"
    for name in ("found", "wanted"):
        (tmp_path / name).write_bytes(b"123")
    odd = compare_elements(Check(type="f32"), tmp_path / "found", tmp_path / "wanted")
    assert odd == "its 3 bytes are no elements of type f32"
