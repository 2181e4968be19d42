"""Four runners that build this project's sample together through an nginx, compared with one.

Each runner has one processor, and runs after the others: as if each had a machine of its own.

make bench
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from pathlib import Path

from measure import BUILDTOOL, as_installed, head, row, run

from tests.caches import share
from tests.integration.cache.remote_nginx import running

ROOT = Path(__file__).parents[1]
RUNNERS = 4
ROUNDS = ("equal parts", "parts by seconds")
BUILD = ("taskset", "--cpu-list", "0", *BUILDTOOL, "build", "all", "--json")


def main() -> None:
    """Print the table."""
    os.environ.setdefault("BUILDTOOL_CACHE", str(Path.home() / ".cache/buildtool"))
    with tempfile.TemporaryDirectory(prefix="buildtool-bench-") as name:
        folder = Path(name)
        with running(folder / "nginx") as nginx:
            head("runners", "one runner")
            for number, how in enumerate(ROUNDS):
                measure(folder / str(number), nginx.url, number, how)


def measure(folder: Path, url: str, number: int, how: str) -> None:
    """One build of everything: no step was built before."""
    # It is in the key of each step.
    environment = {**as_installed(), "SOURCE_DATE_EPOCH": str(int(time.time()) + number)}
    server = {"BUILDTOOL_REMOTE_CACHE": url, "BUILDTOOL_REMOTE_CACHE_MODE": "read-write"}
    built: list[str] = []

    def seconds(name: str, *options: str, **variables: str) -> tuple[float, float]:
        """Processor time and wall time of one runner, which has only the sources."""
        root = folder / name / "clone"
        for part in ("host", "dsp"):
            shutil.copytree(ROOT / part, root / part)
        shutil.copy(ROOT / "buildtool.toml", root)
        own = {"BUILDTOOL_CACHE": str(share(folder / name / "cache"))}
        before = os.times()
        text = run([*BUILD, *options], root, environment | own | variables)
        after = os.times()
        built.extend(s["name"] for s in json.loads(text)["steps"] if s["outcome"] == "built")
        return sum(after[2:4]) - sum(before[2:4]), after.elapsed - before.elapsed

    one = seconds("one")
    steps = sorted(built)
    built.clear()
    parts = [
        seconds(f"shard {part}", "--shard", f"{part}/{RUNNERS}", **server)
        for part in range(1, RUNNERS + 1)
    ]
    assert sorted(built) == steps, "each step is built once"
    last = seconds("last", **server)
    assert sorted(built) == steps, "the job after them builds nothing"
    used, walls = zip(*parts, strict=True)
    row(f"{how}: processor time of {RUNNERS} runners", [sum(used), one[0]])
    row(f"{how}: of the busiest", [max(used), one[0]])
    row(f"{how}: of the job after them", [last[0], one[0]])
    row(f"{how}: wall time of both", [max(walls) + last[1], one[1]])


if __name__ == "__main__":
    main()
