"""An ARM64 Python, which QEMU runs on the emulated device; `scripts/setup tests` unpacks it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

ROOT = REPOSITORY / ".venv" / "arm64"
LIBRARIES = ":".join(str(ROOT / top / "lib/aarch64-linux-gnu") for top in ("usr", ""))


class Venv:
    """A virtual environment of the ARM64 Python in the directory `path`, on the emulated device
    whose root directory is `device`.

    The test is skipped if there is no ARM64 Python.
    """

    def __init__(self, path: Path, device: Path) -> None:
        found = sorted((ROOT / "usr" / "bin").glob("python3.*"))
        if not found:
            pytest.skip("scripts/setup tests found no packages of an ARM64 Python")
        self._device = device
        self._python = found[0]
        self._succeeds("-m", "venv", "--without-pip", str(path))
        self._python = path / "bin" / "python"

    @property
    def site(self) -> Path:
        """The directory of the installed packages."""
        (site,) = self._python.parents[1].glob("lib/python3*/site-packages")
        return site

    def pip(self, *arguments: str) -> str:
        """Run pip, that of the tests' own environment, in the virtual one."""
        pip = self._python.parents[1] / "pip"
        if not pip.exists():
            pip.mkdir()
            (own,) = Path(sys.prefix).glob("lib/python3*/site-packages/pip")
            (pip / "pip").symlink_to(own)
        options = ["--disable-pip-version-check", *arguments]
        return self._succeeds("-m", "pip", *options, PYTHONPATH=str(pip))

    def run(self, script: str, **variables: str) -> str:
        """Run a script, which must succeed; returns its output."""
        return self._succeeds("-c", script, **variables)

    def _succeeds(self, *arguments: str, **variables: str) -> str:
        environment: Mapping[str, str] = {"LD_LIBRARY_PATH": LIBRARIES, **variables}
        options = [
            word for name, value in environment.items() for word in ("-E", f"{name}={value}")
        ]
        done = subprocess.run(
            ["qemu-aarch64", "-L", self._device, *options, self._python, *arguments],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
