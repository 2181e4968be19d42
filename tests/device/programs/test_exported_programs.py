"""Exported tests of programs for the DSP run on a stand-in of a LAVA lab, without buildtool."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.device.devices.emulated_board import system_with_dsp
from tests.project import Project
from tests.remote.device_root import DeviceRoot
from tests.standins.services.lava import put_lavacli, run_job


def test_a_lava_job_of_dsp_programs(kernels: Project, tmp_path: Path) -> None:
    own = ("sum", "variable", "fails", "will-fail", "skipped", "aborts")
    listed = ("Passes", "Fails", "IsSkipped")  # a program on sim has told these
    patterns = [f"kernels/{name}" for name in (*own, *(f"Listed.{name}" for name in listed))]
    kernels.succeeds("test", "--export", "out", "--for", "lava:q6a", "--target", "sim", *patterns)
    out = kernels.root / "out"
    put_lavacli(tmp_path)
    path = f"{tmp_path}:{os.environ['PATH']}"
    submit = ["sh", str(out / "submit.sh"), f"file://{out}/tests.tar.gz"]
    subprocess.run(submit, env={"PATH": path}, check=True)
    variables = {**system_with_dsp(tmp_path / "system", "QCS6490"), "BUILDTOOL_DSP_ARCH": "v68"}
    with DeviceRoot(tmp_path / "board") as board:
        rows = run_job(out / "job.ready.yaml", board, variables)
    found = {row["name"].split(".")[-1]: row["result"] for row in rows}
    # `variable` has a regular expression, which needs CTest.
    passed = dict.fromkeys(("sum", "will-fail"), "pass")
    told = {"Passes": "pass", "Fails": "fail", "IsSkipped": "skip"}
    assert found == {**passed, "skipped": "skip", "fails": "fail", "aborts": "fail", **told}
