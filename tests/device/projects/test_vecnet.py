"""An unmodified tree with a backend for the NPU: `init`, `run sim`, and nothing else.

The tree has what such trees have: an option that adds the backend, skels of all archs as steps,
presets, kernels in integers, qfloat, IEEE floating point and HMX assembly, a dspqueue, and C++
libraries that depend on each other.
"""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.project import Project

RIGHT = "reference: 20 of 20 operators right\nhtp: 20 of 20 operators right\n"


@pytest.mark.long  # test_propose.py and test_dsp_tree.py have its parts
def test_what_is_proposed_runs_on_every_arch(tmp_path: Path) -> None:
    project = Project(tmp_path / "a clone")
    shutil.copytree(REPOSITORY / "tests/third_parties/vecnet", project.root)

    done = project.run("init")

    assert done.returncode == 0, done.stderr
    written = tomllib.loads((project.root / "buildtool.toml").read_text())
    assert written["host"]["vecnet"]["defines"] == {"VECNET_HTP": True}
    assert "vecnet-htp" in written["host"]["vecnet"]["targets"]
    assert not [name for name in written["host"]["vecnet"]["targets"] if name.startswith("htp-v")]
    for soc in ("SM8550", "QCS6490", "SM8650", "SM8750"):
        done = project.run("run", "sim", "--soc", soc)
        assert (done.returncode, done.stdout) == (0, RIGHT), done.stderr
    done = project.run("run", "sim", "--soc", "SM8550", "--expect-dsp")
    assert "vecnet_iface_start: 1 calls" in done.stderr  # of libvecnet-htp-v73.so
    assert "\n20 messages in queues\n" in done.stderr
