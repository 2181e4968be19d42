"""A stand-in for a LAVA lab: it checks a job with LAVA's own schemas, and runs its test on a device
with LAVA's own test helpers, both from Debian's packages; results are those of `lavacli results`.

There is no deploy and no boot.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import REPOSITORY
from tests.remote.device_root import DeviceRoot

ROOT = REPOSITORY / ".venv" / "lava"
PACKAGES = ROOT / "usr/lib/python3/dist-packages"
_SIGNAL = (
    r"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=(\S+) RESULT=(\w+)(?: UNITS=(\S+) MEASUREMENT=(\S+))?>"
)


def check_job(job: Path) -> None:
    """Check a job definition with LAVA's schemas; skips the test without them."""
    if not PACKAGES.is_dir():
        pytest.skip("there are no packages of LAVA: scripts/setup tests")
    done = subprocess.run(
        [sys.executable, ROOT / "usr/share/lava-common/lava-schema.py", "job", "--strict", job],
        env={**os.environ, "PYTHONPATH": str(PACKAGES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def put_lavacli(directory: Path) -> None:
    """A `lavacli` in `directory` that only checks how it is called."""
    program = directory / "lavacli"
    program.write_text('#!/bin/sh\n[ "$1 $2" = "jobs submit" ] && [ -f "$3" ] && echo 4212\n')
    program.chmod(0o755)


def run_job(job: Path, device: DeviceRoot, variables: Mapping[str, str]) -> list[dict[str, Any]]:
    """Run the test of a job on `device`; returns the results."""
    document = yaml.safe_load(job.read_text(encoding="utf-8"))
    (test,) = (action["test"] for action in document["actions"] if "test" in action)
    (definition,) = test["definitions"]
    assert (definition["from"], definition["compression"]) == ("url", "gz")
    overlay = device.home / "lava-4212"
    helpers, tests = overlay / "bin", overlay / "0/tests/0_buildtool"
    tests.mkdir(parents=True)
    helpers.mkdir()
    archive = definition["repository"].removeprefix("file://")
    subprocess.run(["tar", "-C", tests, "-xzf", archive], check=True)
    for name in ("lava-test-case", "lava-common-functions"):
        text = (PACKAGES / "lava_dispatcher/lava_test_shell" / name).read_text(encoding="utf-8")
        (helpers / name).write_text(f"#!/bin/sh\n{text}")
        (helpers / name).chmod(0o755)
    steps = yaml.safe_load((tests / definition["path"]).read_text(encoding="utf-8"))["run"]["steps"]
    script = "\n".join(["set -e", f"cd '{tests}'", *steps])
    path = f"{helpers}:{device.path}"
    done = subprocess.run(
        device.command("/bin/sh", "-c", script),
        env={"PATH": path, "LAVA_RESULT_DIR": str(overlay), **variables},
        capture_output=True,
        check=False,
    )
    output = done.stdout.decode(errors="replace")
    assert done.returncode == 0, output + done.stderr.decode(errors="replace")
    return [
        {
            "job": "4212",
            "suite": "0_buildtool",
            "name": name,
            "result": result,
            "measurement": f"{float(measurement):.10f}" if measurement else "None",
            "unit": unit or "",
            "url": f"/results/testcase/{number}",
        }
        for number, (name, result, unit, measurement) in enumerate(re.findall(_SIGNAL, output))
    ]
