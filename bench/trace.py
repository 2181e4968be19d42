"""The overhead of `--trace` for a program that calls the DSP of `sim` 10,000 times.

    .venv/bin/python bench/trace.py

The time is that of the calls, as the program measures it.  Runs with and without `--trace` take
turns; the ratio is the median of those of neighbours, with the quartiles.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from pathlib import Path

from measure import BUILDTOOL, as_installed, run

CALLS = 10_000
AIM = 1.05
LOOP = r"""
    {
        struct timespec begin, end;
        int16_t a[256] = {0}, b[256] = {0}, out[256];
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int i = 0; i < atoi(getenv("CALLS")); i++)
            if (my_project_dsp_scale_add(handle, FACTOR, a, 256, b, 256, out, 256)) return 9;
        clock_gettime(CLOCK_MONOTONIC, &end);
        fprintf(stderr, "ns %lld\n", (end.tv_sec - begin.tv_sec) * 1000000000LL
                                      + end.tv_nsec - begin.tv_nsec);
    }
    for (int i = 0; i < 2"""


def main() -> None:
    """Print the times, and their ratio."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    environment = as_installed()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        project = Path(folder) / "my-project"
        run([*BUILDTOOL, "init", "--template", "hvx", project], Path(folder), environment)
        source = project / "host" / "src" / "main.c"
        text = source.read_text().replace("    for (int i = 0; i < 2", LOOP, 1)
        source.write_text(f"#include <stdlib.h>\n#include <time.h>\n{text}")
        ways = {"without": (), "with": ("--trace-file", "bench.pftrace")}
        times: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(rounds + 1):
            for way, options in ways.items():
                seconds = _calls(project, options, environment)
                if number:  # the first run builds
                    times[way].append(seconds)
        size = (project / "bench.pftrace").stat().st_size
    without, with_ = (statistics.median(each) for each in times.values())
    least, most = min(times["without"]), max(times["without"])
    print(f"{CALLS:,} calls without --trace {1000 * without:8.1f} ms ({least:.3f} to {most:.3f} s)")
    print(f"{CALLS:,} calls with --trace    {1000 * with_:8.1f} ms, trace of {size:,} bytes")
    pairs = [b / a for a, b in zip(*times.values(), strict=True)]
    low, _, high = statistics.quantiles(pairs, n=4)
    print(f"ratio of the fastest {min(times['with']) / least:.3f}")
    print(f"ratio {statistics.median(pairs):.3f} ({low:.3f} to {high:.3f})  aim {AIM}")


def _calls(project: Path, options: tuple[str, ...], environment: dict[str, str]) -> float:
    import subprocess  # noqa: PLC0415

    done = subprocess.run(
        [*BUILDTOOL, "run", "sim", *options, "-e", f"CALLS={CALLS}"],
        cwd=project,
        env={**environment, "PWD": os.fspath(project)},
        capture_output=True,
        text=True,
        check=True,
    )
    line = next(line for line in done.stderr.splitlines() if line.startswith("ns "))
    return int(line.split()[1]) / 1e9


if __name__ == "__main__":
    main()
