"""An ARM64 Python that QEMU runs on the emulated device; `scripts/setup tests` unpacks it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

ROOT = REPOSITORY / ".venv" / "arm64"


def run_python(
    device: Path, script: str, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a script with the device `device`, the root directory of an emulated ARM64 system.

    The test is skipped if there is no ARM64 Python.
    """
    found = sorted((ROOT / "usr" / "bin").glob("python3.*"))
    if not found:
        pytest.skip("scripts/setup tests found no packages of an ARM64 Python")
    libraries = ":".join(str(ROOT / top / "lib/aarch64-linux-gnu") for top in ("usr", ""))
    variables = {"LD_LIBRARY_PATH": libraries, **environment}
    options = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
    return subprocess.run(
        ["qemu-aarch64", "-L", device, *options, found[0], "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
