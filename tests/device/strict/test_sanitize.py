"""`run sim --sanitize`: undefined behaviour stops a skel, with function, line and kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.device.strict.conftest import Faults
from tests.project import Project

MISALIGNED = "a misaligned pointer, or an access past the end of a variable"


@pytest.mark.parametrize(
    ("what", "function", "line", "kind"),
    [
        ("misaligned", "first_of", "misaligned", MISALIGNED),
        pytest.param(
            "shift",
            "shift_left",
            "shift",
            "Shift exponent is too large for the type",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "product",
            "scale_and_add",
            "product",
            "signed integer multiplication overflow in 'value * by'",
            marks=pytest.mark.long,
        ),
        ("sum", "scale_and_add", "sum", "signed integer addition overflow in 'value + by'"),
    ],
)
def test_undefined_behaviour_is_named(
    faults: Faults, what: str, function: str, line: str, kind: str
) -> None:
    done = faults.call("crash", what, strict="--sanitize")
    assert done.stdout == "0x8000040d 0\n"
    assert (
        f"the DSP process crashed: undefined behaviour: {kind}\n"
        f"  at {function} (faults_imp.c:{faults.line(line)})\n"
        "  by faults_crash (faults_imp.c:"
    ) in done.stderr


PREBUILT = """\
[project]
name = "p"

[skel.vendor]
files = ["prebuilt/{arch}/*.so"]

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
"""


def test_there_must_be_a_skel_on_sim_to_check(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write("buildtool.toml", PREBUILT)

    prebuilt = project.run("run", "sim", "--sanitize")
    board = project.run("test", "board", "--sanitize")

    assert (prebuilt.returncode, board.returncode) == (125, 2)
    assert "error: --sanitize finds no skel to check" in prebuilt.stderr
    assert "prebuilt ones are used as they are" in prebuilt.stderr
    assert "error: --sanitize is for sim only" in board.stderr
