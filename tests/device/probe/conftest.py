"""A copy of the sample as a separate project, built and run as by a user."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.command_line import REPOSITORY
from tests.project import Project

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

[target.newer]
platform = "ubuntu-aarch64"
archs = ["v73", "v75", "v79"]
"""


class Sample(Project):
    """The copied project, whose kernels tests may replace."""

    def probe(self, *arguments: str, build_type: str = "Release") -> CompletedProcess[str]:
        """Build, and run htp-probe on the emulated device."""
        return self.run("run", "sim", "--build-type", build_type, "--", "bin/htp-probe", *arguments)

    def probe_json(
        self, *arguments: str, build_type: str = "Release"
    ) -> tuple[int, dict[str, Any]]:
        """The exit status of `htp-probe --json` and its document."""
        done = self.probe("--json", *arguments, build_type=build_type)
        assert done.returncode in {0, 1}, done.stderr
        return done.returncode, json.loads(done.stdout)

    def replace_kernel(self, name: str, source: Path) -> None:
        """Replace dsp/src/<name>.c by `source`."""
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
