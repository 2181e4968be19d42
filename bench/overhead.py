"""The overhead of buildtool over the tools that it runs, on this project's own sample.

make bench
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from measure import BUILDTOOL, Command, Run, as_installed, head, medians, row, run

ROUNDS = 9
ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the table."""
    state = ROOT / ".buildtool"
    environment = {
        **as_installed(),
        "BUILDTOOL_DSP_ARCH": "v68",
        "BUILDTOOL_EXEC": "qemu-aarch64",
        "QEMU_LD_PREFIX": str(state / "device" / "qcs6490"),
        # It is in the key of each step: nothing is restored, so there are build trees for Ninja.
        "SOURCE_DATE_EPOCH": str(int(time.time())),
    }
    run([*BUILDTOOL, "run", "sim"], ROOT, environment)
    plan = run([*BUILDTOOL, "build", "all", "--plan", "--json"], ROOT, environment)
    run([*BUILDTOOL, "build", "all"], ROOT, environment)
    ninja = Path(sys.executable).with_name("ninja")
    ninjas: list[Command] = [[ninja, "-C", step["tree"]] for step in json.loads(plan)["steps"]]
    head("buildtool", "itself")
    sample: list[Command] = [[state / "release/sim/run.sh", "bin/htp-probe"]]
    nothing: list[Command] = [[sys.executable, "-c", "pass"]]
    for what, verb, against in (
        ("--version / python -c pass", ["--version"], nothing),
        ("no-op build / the Ninjas", ["build", "all"], ninjas),
        ("no-op run / run.sh", ["run", "sim"], sample),
    ):
        runs = Run([[*BUILDTOOL, *verb]], ROOT, environment), Run(against, ROOT, environment)
        row(what, medians(ROUNDS, *runs))


if __name__ == "__main__":
    main()
