"""What buildtool costs on top of the tools behind it: ratios, measured in one run.

    make bench

Pairs of commands take turns, so that whatever else the machine does hits both alike.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROUNDS = 9
ROOT = Path(__file__).parents[1]
BUILDTOOL = [sys.executable, "-P", "-m", "buildtool"]


def seconds(command: Sequence[str | Path], environment: dict[str, str]) -> float:
    """Wall time of one run, which must succeed."""
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    state = ROOT / ".buildtool"
    subprocess.run([*BUILDTOOL, "run", "sim"], cwd=ROOT, check=True, capture_output=True)
    plan = subprocess.run(
        [*BUILDTOOL, "build", "all", "--plan", "--json"], cwd=ROOT, check=True, capture_output=True
    )
    trees = [step["tree"] for step in json.loads(plan.stdout)["steps"]]
    ninja = Path(sys.executable).parent / "ninja"
    by_hand = {
        **os.environ,
        "BUILDTOOL_DSP_ARCH": "v68",
        "BUILDTOOL_EXEC": "qemu-aarch64",
        "QEMU_LD_PREFIX": str(state / "device" / "qcs6490"),
    }
    ninjas = " && ".join(f"'{ninja}' -C '{tree}'" for tree in trees)
    run_script = state / "stage" / "sim" / "run.sh"
    pairs: list[tuple[str, list[str], list[str]]] = [
        ("--version / python -c pass", ["--version"], [sys.executable, "-c", "pass"]),
        ("no-op build / ninja itself", ["build", "all"], ["sh", "-c", ninjas]),
        ("no-op run / run.sh itself", ["run", "sim"], [str(run_script), "bin/htp-probe"]),
    ]
    subprocess.run([*BUILDTOOL, "build", "all"], cwd=ROOT, check=True, capture_output=True)
    print(f"{'what / against':<30}{'ms':>8}{'ms':>8}{'ratio':>8}")
    for name, verb, against in pairs:
        times = [
            (seconds([*BUILDTOOL, *verb], by_hand), seconds(against, by_hand))
            for _ in range(ROUNDS)
        ]
        ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:<30}{ours * 1000:>8.0f}{theirs * 1000:>8.0f}{ours / theirs:>8.1f}")


if __name__ == "__main__":
    main()
