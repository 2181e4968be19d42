"""ThreadSanitizer finds no data races in libcdsprpc, in a build for the build machine."""

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


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_no_data_races(device: Device, toolbox: Toolbox, script: str) -> None:
    program = toolbox.client_with_sanitizer("thread")
    done = run_natively(device, program, f"unsigned_pd -1 1; {script}")
    assert "WARNING: ThreadSanitizer" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr


def run_natively(device: Device, program: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run the client on the build machine; its DSP process is emulated."""
    environment = {
        **os.environ,
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
