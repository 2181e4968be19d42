"""How often `bench --against` and `bisect` are right: tries with planted faults, and without.

Over ssh (a real sshd on loopback, ARM64 programs under QEMU): a slowdown of 5 % on the host side
is found, and between equal speeds none.  On sim: one packet more is found.  `bisect` names the one
of 60 commits with a lane that is wrong in two of five runs.

make bench; or bench/compare.py --tries 20
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.device.devices.emulated_board import emulated_board
from tests.device.measure.measured import FILE, PROGRAM, commit, git, lay_out
from tests.project import Project

COMMITS, PLANTED = 60, 37
# The fastest of 9 calls of about 30 ms each, as a bench of a kernel prints it.
TIMED = """
#include <time.h>
static volatile unsigned long sum = @NOTE@;
static double once(long rounds)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < rounds; i++) sum = sum * 3 + i;
    clock_gettime(CLOCK_MONOTONIC, &b);
    return (b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) / 1e3;
}
static int order(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}
static double timed(long rounds)
{
    double times[9];
    for (int i = 0; i < 9; i++) times[i] = once(rounds);
    qsort(times, 9, sizeof times[0], order);
    return times[0];
}
"""
CLAIMED = "SLOWNESS * (100 + runs * 37 % 7 * 0.1)"
ROUNDS = 2_000_000
RANDOM_LANE = """
#include <sys/random.h>
static int wrong_lane(void) { unsigned r; getrandom(&r, sizeof r, 0); return r % 5 < 2; }
"""
RACE = '!strcmp(mode, "race") && runs % 20 == 7'


def timed_program(rounds: int, note: int) -> str:
    """The program with a real measurement in place of a claimed one; `note` makes it another."""
    timed = TIMED.replace("@NOTE@", str(note + 1))
    program = PROGRAM.replace(CLAIMED, f"timed({rounds})")
    return program.replace("#define", f"{timed}\n#define", 1)


def compared(project: Project, *arguments: str) -> dict[str, Any]:
    done = project.run("bench", *arguments, "--against", "HEAD", "--json")
    if done.returncode:
        sys.exit(done.stderr + done.stdout)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def over_ssh(folder: Path, tries: int, rounds: int, what: str) -> None:
    project = Project(folder / "measured", cache=cache())
    lay_out(project)
    project.write("buildtool.toml", FILE.replace('"size"', "").replace('"time", ', '"time"'))
    project.write("host/measured.c", timed_program(ROUNDS, 0))
    commit(project, "timed")
    verdicts: Counter[str] = Counter()
    ratios, runs, seconds = [], [], []
    with emulated_board(folder / "board") as board:
        project.variables = board.client.environment
        root = board.device.home / "root"
        how = f'transport = "ssh"\naddress = "{board.client.host}"\nroot = "{root}"\n'
        project.write("devices.toml", f"[device.board]\n{how}")
        for number in range(1, tries + 1):
            project.write("host/measured.c", timed_program(rounds, number))
            started = time.monotonic()
            found = compared(project, "board")
            seconds.append(time.monotonic() - started)
            (row,) = found["metrics"]
            verdicts[row["verdict"]] += 1
            ratios.append(row["ratio"])
            runs.append(found["this"]["runs"])
    said = ", ".join(f"{verdict} {count}" for verdict, count in verdicts.items())
    print(
        f"{what:<28} {said} of {tries}; ratios {min(ratios):.3f} to {max(ratios):.3f},"
        f" {min(runs)} to {max(runs)} runs, {min(seconds):.0f} to {max(seconds):.0f} s each"
    )


def on_sim(folder: Path, tries: int) -> None:
    project = Project(folder / "kernel", cache=cache())
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    git(project, "init", "-q")
    commit(project, "as it was")
    kernel = next((project.root / "dsp" / "src").glob("*_imp.c"))
    before = kernel.read_text()
    found = 0
    for number in range(1, tries + 1):
        nops = 'asm volatile("nop");' * number
        kernel.write_text(before.replace("    int i = 0;", f"    int i = 0;\n    {nops}"))
        rows = compared(project, "sim")["counts"]
        found += [row["counted"] for row in rows] == ["packets"]
    print(f"{'packets more, on sim':<28} found {found} of {tries}")


def bisections(folder: Path, tries: int) -> None:
    project = Project(folder / "history", cache=cache())
    lay_out(project)
    for number in range(1, COMMITS + 1):
        text = (project.root / "host/measured.c").read_text()
        if number == PLANTED:
            text = RANDOM_LANE + text.replace(RACE, "wrong_lane()")
        project.write("host/measured.c", f"{text}int n{number};\n")
        commit(project, f"change {number}")
    named: Counter[str] = Counter()
    seconds = []
    for _ in range(tries):
        started = time.monotonic()
        found = project.run(
            *("bisect", f"HEAD~{COMMITS}", "HEAD", "--bench", "scale"),
            *("--fails-in", "2/5", "--json"),
        )
        seconds.append(time.monotonic() - started)
        named[json.loads(found.stdout)["subject"] if not found.returncode else found.stderr] += 1
    said = ", ".join(f"{subject!r} {count}" for subject, count in named.items())
    print(
        f"{'bisect, 2 of 5 runs wrong':<28} {said} of {tries};"
        f" {min(seconds):.0f} to {max(seconds):.0f} s each"
    )


def cache() -> Path:
    return Path(os.environ["BUILDTOOL_CACHE"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=3, help="of each comparison")
    tries = parser.parse_args().tries
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ.setdefault("BUILDTOOL_CACHE", str(folder / "cache"))
        for name, rounds, what in (
            ("slower", ROUNDS * 105 // 100, "5 % slower, over ssh"),
            ("equal", ROUNDS, "equal, over ssh"),
        ):
            (folder / name).mkdir()
            over_ssh(folder / name, tries, rounds, what)
        on_sim(folder, tries)
        bisections(folder, (tries + 1) // 2)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}\n{error.stderr}")
