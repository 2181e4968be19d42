"""`bench hexagon-sim` with a stand-in for the SDK's simulator, which runs programs on sim.

The library that starts programs there is the real one.  The stand-in's cycles mean nothing.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.project import Project
from tests.standins.hexagon_sdk import add_simulator, make_sdk

FILE = """
[project]
name = "simulated"
[dsp.kernels]
source = "dsp"
[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68", "v73"]

[bench.sum]
program = "dsp/sum"
args = ["{seed}", "{more}", "out.txt"]
env = { WHAT = "its_sum" }
parameters = { more = 2 }
metrics = ["exact", "time"]
checks = ["sum", "no-error", "file"]
output = "out.txt"
limit = "1s"
[bench.fails]
program = "dsp/sum"
args = ["7"]
limit = "1s"
[bench.crashes]
program = "dsp/sum"
args = ["8"]
limit = "1s"
[bench.arm64]
program = "bin/sum"
limit = "1s"

[metric.exact]
match = 'is (\\d+)'
exact = true
[metric.time]
match = 'took (\\d+) us'
[check.sum]
match = '^its_sum is (\\d+)$'
[check.file]
reference = "right.txt"
[check.no-error]
no-match = 'error|Insns|INFO'
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(kernels C)
add_executable(sum sum.c)
"""
SUM = """
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    int sum = 0;
    for (int i = 1; i < count; i++)
        sum += atoi(words[i]);
    fprintf(stderr, "error of %s\\n", words[0]);
    if (sum == 7)
        return 3;
    if (sum == 8)
        *(volatile int *)0 = 1;
    FILE *file = fopen(words[3], "w");
    fprintf(file, "%d", sum);
    fclose(file);
    printf("%s ", getenv("WHAT"));
    printf("is %d\\n%0200d", sum, 1);
    return 0;
}
"""


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, whose user has an SDK with a simulator."""
    sdk = make_sdk(tmp_path_factory.mktemp("sdk") / "6.4.0.2")
    add_simulator(sdk, "6.4.0.2")
    project = Project(tmp_path_factory.mktemp("simulated") / "a project")
    project.variables = {"HEXAGON_SDK_ROOT": str(sdk)}
    project.lay_out(
        {
            "buildtool.toml": FILE,
            "dsp/CMakeLists.txt": CMAKE,
            "dsp/sum.c": SUM,
            "right.txt": "3",
        }
    )
    return project


def test_cycles_of_a_program_whose_output_is_checked(simulated: Project) -> None:
    said = simulated.succeeds("bench", "hexagon-sim", "sum")
    lines = said.splitlines()
    assert lines[0] == "bench sum on hexagon-sim (v73): 6 runs, all checks passed"
    assert lines[1] == (
        "cycles of a simulator: those of a device are others, and so are their ratios"
    )
    assert [line.split("  ")[0] for line in lines[3:6]] == [
        *("simulated cycles", "all simulated cycles", "exact")
    ]
    assert "8841 cycles" in lines[4]
    assert "time" not in said

    result = json.loads(Path(lines[-1].removeprefix("kept in ")).read_text(encoding="utf-8"))
    assert (result["device"], result["arch"], result["soc"]) == ("hexagon-sim", "v73", "")
    numbers = {metric["name"]: metric["median"] for metric in result["metrics"]}
    assert numbers["exact"] == 3
    assert numbers["all simulated cycles"] == 8841
    assert numbers["simulated cycles"] > 0


def test_failing_checks(simulated: Project) -> None:
    done = simulated.run("bench", "hexagon-sim", "sum", "--sweep", "more=3")
    assert done.returncode == 1
    assert "out.txt: element 0 is 52 instead of 51; 1 of 1 differ" in done.stdout
    done = simulated.run("bench", "hexagon-sim", "fails")
    assert done.returncode == 1
    assert "✗ exit status in" in done.stdout
    assert "it is 3: 'error of sum.so'" in done.stdout
    done = simulated.run("bench", "hexagon-sim", "crashes")
    assert done.returncode == 1
    assert "main did not return" in done.stdout


def test_what_the_simulator_does_not_take(simulated: Project) -> None:
    done = simulated.run("bench", "arm64", "--on", "hexagon-sim")
    assert done.returncode == 2
    assert "hexagon-sim cannot run bin/sum" in done.stderr
    done = simulated.run("bench", "hexagon-sim", "sum", "--domain", "adsp")
    assert done.returncode == 2
    assert "hexagon-sim takes no options about a device" in done.stderr


def test_two_releases(simulated: Project) -> None:
    same = simulated.succeeds(
        "bench", "hexagon-sim", "sum", "--against-directory", str(copied(simulated))
    )
    assert "make the same release" in same


def copied(project: Project) -> Path:
    other = project.root.with_name("another one")
    project.copy_sources(other)
    return other
