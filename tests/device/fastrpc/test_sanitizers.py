"""Sanitizers find no data races, wrong accesses, leaks or undefined behaviour in libcdsprpc.

It is built for the build machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .toolbox import Device, Toolbox

SCRIPTS = {
    "calls": "open h probe; threads h 4; async h; churn 4 8; notify 3; call h 3; close h",
    "ends": "open h probe; ended 3 8; notify 3; ended 3 8",
    "crashes": "notify 3; open h probe; call h 4; open g probe; kill_dsp 3; open i probe; end 3",
}


KINDS = ["thread", "address,undefined"]
SHORT = "crashes", "address,undefined"


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        pytest.param(
            text, kind, id=f"{name}-{kind}", marks=() if (name, kind) == SHORT else pytest.mark.long
        )
        for kind in KINDS
        for name, text in SCRIPTS.items()
    ],
)
def test_calls(device: Device, toolbox: Toolbox, tmp_path: Path, script: str, kind: str) -> None:
    program = toolbox.client_with_sanitizer(kind)
    crashes = tmp_path / "crashes"
    crashes.touch()
    done = run_natively(
        device, program, f"unsigned_pd -1 1; {script}", BUILDTOOL_SIM_CRASHES=str(crashes)
    )
    assert_clean(done)
    assert (crashes.stat().st_size > 0) == ("kill_dsp" in script)


@pytest.mark.parametrize("kind", [pytest.param(KINDS[0], marks=pytest.mark.long), KINDS[1]])
def test_a_command_line_that_is_too_long(device: Device, toolbox: Toolbox, kind: str) -> None:
    program = toolbox.client_with_sanitizer(kind)
    script = "unsigned_pd -1 1; open h probe"
    done = run_natively(device, program, script, BUILDTOOL_SIM_DEBUG="/".ljust(5000, "x"))
    assert_clean(done)
    assert "its command line has more than" in done.stderr


def assert_clean(done: subprocess.CompletedProcess[str]) -> None:
    assert "Sanitizer" not in done.stderr, done.stderr
    assert "runtime error" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr


def run_natively(
    device: Device, program: Path, script: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the client on the build machine; its DSP process is emulated."""
    environment = {
        **os.environ,
        **variables,
        "BUILDTOOL_SIM_CONF": str(device.root / "etc/buildtool-sim.conf"),
        "ADSP_LIBRARY_PATH": str(device.root / "usr/lib/rfsa/adsp"),
    }
    return subprocess.run(
        [program, script],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
