"""Compiling on three machines of one core each, and on one: distcc and icecc, hosts in namespaces.

Each round changes a header that all sources include, so it compiles and links, without configuring.

The hosts share the cores of this machine: with fewer than four cores the ratio cannot reach 3.

make bench, or bench/distribute.py ROUNDS SOURCES
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.integration.distribute.daemons import FARMS
from tests.integration.distribute.tree import Tree

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
SOURCES = int(sys.argv[2]) if len(sys.argv) > 2 else 16  # on each side
FUNCTIONS = 100
HEADER = "#pragma once\n#define TWICE(x) ((x) + (x))\n#define line(from) TWICE(from)\n"
FUNCTION = """
int f{source}_{number}(int *restrict to, const int *restrict from, int count) {{
    int sum = 0;
    for (int i = 0; i < count; i++) {{
        to[i] = from[i] * {number} + {source} + ROUND;
        sum += to[i] ^ from[count - i - 1];
    }}
    return sum;
}}
"""


def main() -> None:
    """Print the table."""
    cores = sorted(os.sched_getaffinity(0))
    os.environ.setdefault("BUILDTOOL_CACHE", os.path.expanduser("~/.cache/buildtool"))  # noqa: PTH111
    print(f"{len(cores)} cores, load {os.getloadavg()[0]:.1f}, {2 * SOURCES} sources")
    print(f"{'':<10}{'1 machine':>12}{'3 machines':>12}{'ratio':>8}")
    for engine in FARMS:
        times = [median(engine, machines, cores) for machines in (1, 3)]
        print(f"{engine:<10}{times[0]:>10.1f} s{times[1]:>10.1f} s{times[0] / times[1]:>8.2f}")


def median(engine: str, machines: int, cores: list[int]) -> float:
    """The seconds that compiling all sources takes on `machines` machines, each on one core."""
    pinned = [cores[number % len(cores)] for number in range(machines)]
    with tempfile.TemporaryDirectory() as directory:
        tree = Tree.make(Path(directory), 1)
        for folder in ("host", "dsp"):
            for source in range(SOURCES):
                functions = range(FUNCTIONS)
                text = "#include <common.h>\n" + "".join(
                    FUNCTION.format(source=source, number=each) for each in functions
                )
                tree.write(f"{folder}/big{source}.c", text)
            big = " ".join(f"big{source}.c" for source in range(SOURCES))
            tree.edit(f"{folder}/CMakeLists.txt", "s0.c", f"s0.c {big}")
        with FARMS[engine](Path(directory, "farm"), machines, cores=pinned) as farm:
            farm.serve(tree.archives(engine))
            tree.use(farm)
            seconds = []
            for number in range(ROUNDS + 1):
                tree.write("include/common.h", f"{HEADER}#define ROUND {number}\n")
                started = time.monotonic()
                tree.compile("-j", str(2 * machines))
                seconds.append(time.monotonic() - started)
            compiled = sum(farm.compiled().values())
    wanted = (ROUNDS + 1) * (2 * SOURCES + 2)
    assert compiled >= 0.95 * wanted, f"{compiled} of {wanted} compiled on the machines"
    return statistics.median(seconds[1:])  # icecc sends the compiler in the first


if __name__ == "__main__":
    main()
