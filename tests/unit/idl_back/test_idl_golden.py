"""The generated files are golden files, so that each change of them is a diff to review.

BUILDTOOL_UPDATE_GOLDEN=1 updates them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.idl.emit import emit
from buildtool.idl.parse import load

GOLDEN = Path(__file__).parents[2] / "golden" / "idl"
UPDATE = os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1"


@pytest.mark.parametrize("stem", ["shapes", "plain"])
def test_generated_files_are_the_golden_ones(stem: str) -> None:
    files = emit(load(GOLDEN / f"{stem}.idl", (), ()))
    for name, text in files.items():
        if UPDATE:
            (GOLDEN / name).write_text(text)
        assert text == (GOLDEN / name).read_text(), f"{name} differs from its golden file"


def test_there_are_no_other_golden_files() -> None:
    expected = {f"{stem}.idl" for stem in ("shapes", "plain")}
    for stem in ("shapes", "plain"):
        expected |= set(emit(load(GOLDEN / f"{stem}.idl", (), ())))
    assert {path.name for path in GOLDEN.iterdir()} == expected


def test_lines_stay_within_100_columns() -> None:
    wide = [
        f"{path.name}:{at}"
        for path in GOLDEN.glob("*.[ch]")
        for at, line in enumerate(path.read_text().split("\n"), 1)
        if len(line) > 100
    ]
    assert wide == []
