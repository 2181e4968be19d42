"""The generated files are golden files, so that each change of them is a diff to review.

BUILDTOOL_UPDATE_GOLDEN=1 updates them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.idl.emit import emit
from buildtool.idl.emit.python import emit_python
from buildtool.idl.parse import load

GOLDEN = Path(__file__).parents[2] / "golden" / "idl"
UPDATE = os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1"


def generated(stem: str) -> dict[str, str]:
    """The generated C, and the Python module without the package that it uses."""
    unit = load(GOLDEN / f"{stem}.idl", (), ())
    return {**emit(unit), f"{stem}.py": emit_python(unit)[f"{stem}.py"]}


@pytest.mark.parametrize("stem", ["shapes", "plain"])
def test_generated_files_are_the_golden_ones(stem: str) -> None:
    for name, text in generated(stem).items():
        if UPDATE:
            (GOLDEN / name).write_text(text)
        assert text == (GOLDEN / name).read_text(), f"{name} differs from its golden file"


def test_there_are_no_other_golden_files() -> None:
    expected = {f"{stem}.idl" for stem in ("shapes", "plain")}
    for stem in ("shapes", "plain"):
        expected |= set(generated(stem))
    assert {path.name for path in GOLDEN.iterdir()} == expected


def test_lines_stay_within_100_columns() -> None:
    wide = [
        f"{path.name}:{at}"
        for path in (*GOLDEN.glob("*.[ch]"), *GOLDEN.glob("*.py"))
        for at, line in enumerate(path.read_text().split("\n"), 1)
        if len(line) > 100
    ]
    assert wide == []
