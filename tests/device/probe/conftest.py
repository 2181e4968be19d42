"""A copy of the sample as a project of its own, built and run as a user would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[3]
PROJECT = """\
[project]
name = "htp-ops"

[host.htp-ops]
source = "host"

[skel.htp_ops]
source = "dsp"
idl = "dsp/htp_ops.idl"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
"""


@dataclass(frozen=True)
class Sample:
    """The copied project; its kernels may be replaced."""

    root: Path

    def probe(
        self, *arguments: str, build_type: str = "Release"
    ) -> subprocess.CompletedProcess[str]:
        """Build what changed and run htp-probe on the emulated device."""
        command = [sys.executable, "-m", "buildtool", "run", "sim", "--build-type", build_type]
        return subprocess.run(
            [*command, "--", "bin/htp-probe", *arguments],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
            env={**os.environ, "PYTHONSAFEPATH": "1"},
        )

    def probe_json(
        self, *arguments: str, build_type: str = "Release"
    ) -> tuple[int, dict[str, Any]]:
        """The exit status of `htp-probe --json` and its document."""
        done = self.probe("--json", *arguments, build_type=build_type)
        assert done.returncode in {0, 1}, done.stderr
        return done.returncode, json.loads(done.stdout)

    def replace_kernel(self, name: str, source: Path) -> None:
        """Build `source` in the place of dsp/src/<name>.c from now on."""
        shutil.copyfile(source, self.root / "dsp" / "src" / f"{name}.c")


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    root = tmp_path_factory.mktemp("htp-ops")
    for side in ("dsp", "host"):
        shutil.copytree(REPOSITORY / side / "src", root / side / "src")
        shutil.copy(REPOSITORY / side / "CMakeLists.txt", root / side)
    shutil.copy(REPOSITORY / "dsp" / "htp_ops.idl", root / "dsp")
    (root / "buildtool.toml").write_text(PROJECT)
    return Sample(root)
