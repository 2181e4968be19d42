"""The overhead of `--trace` for a program that calls the DSP of `sim` 10,000 times.

    .venv/bin/python bench/trace.py

The times are those of the calls, as the program measures them: wall time, and processor time of the
program and of the DSP's process, on which other load has less influence.  Runs with and without
`--trace` take turns; ratios are medians of those of neighbours, with the quartiles.
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
        int16_t a[256] = {0}, b[256] = {0}, out[256];
        char line[32] = "", find[99];
        snprintf(find, sizeof find, "pgrep -n -f '[c]lient_pid=%d'", (int)getpid());
        FILE *found = popen(find, "r");
        fgets(line, sizeof line, found);
        pclose(found);
        clockid_t clocks[3] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};
        if (clock_getcpuclockid(atoi(line), &clocks[2])) return 8;
        struct timespec begin[3], end[3];
        for (int i = 0; i < 3; i++) clock_gettime(clocks[i], &begin[i]);
        for (int i = 0; i < atoi(getenv("CALLS")); i++)
            if (my_project_dsp_scale_add(handle, FACTOR, a, 256, b, 256, out, 256)) return 9;
        for (int i = 0; i < 3; i++) clock_gettime(clocks[i], &end[i]);
        fprintf(stderr, "ns");
        for (int i = 0; i < 3; i++)
            fprintf(stderr, " %lld", (end[i].tv_sec - begin[i].tv_sec) * 1000000000LL
                                         + end[i].tv_nsec - begin[i].tv_nsec);
        fprintf(stderr, "\n");
    }
    for (int i = 0; i < 2"""
HEADERS = "#define _GNU_SOURCE\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n"


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
        source.write_text(HEADERS + text)
        ways = {"without": (), "with": ("--trace-file", "bench.pftrace")}
        times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for number in range(rounds + 1):
            for way, options in ways.items():
                both = _calls(project, options, environment)
                if number:  # the first run builds
                    times[way].append(both)
        size = (project / "bench.pftrace").stat().st_size
    print(f"{CALLS:,} calls; trace of {size:,} bytes")
    for which, what in enumerate(("wall", "processor")):
        without, with_ = ([both[which] for both in each] for each in times.values())
        pairs = [b / a for a, b in zip(without, with_, strict=True)]
        low, middle, high = statistics.quantiles(pairs, n=4)
        print(
            f"{what:<10}{1000 * statistics.median(without):8.1f} ms without,"
            f"{1000 * statistics.median(with_):8.1f} ms with --trace"
            f"  ratio {middle:.3f} ({low:.3f} to {high:.3f})  aim {AIM}"
        )


def _calls(
    project: Path, options: tuple[str, ...], environment: dict[str, str]
) -> tuple[float, float]:
    """The wall time and the processor time of the calls, in seconds."""
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
    wall, host, dsp = (int(word) / 1e9 for word in line.split()[1:])
    return wall, host + dsp


if __name__ == "__main__":
    main()
