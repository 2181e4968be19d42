"""`buildtool bench` prints no number of output that is wrong, on sim and over ssh."""

from __future__ import annotations

import pytest

from tests.device.measure.measured import document, set_mode
from tests.json_documents import validate
from tests.project import Project


def test_a_bench_on_sim_has_what_is_exact_and_no_time(project: Project) -> None:
    found = document(project, "sim")

    validate("bench", found)
    assert (found["ok"], found["runs"], found["failed"]) == (True, 3, [])
    assert [(row["name"], row["median"]) for row in found["metrics"]] == [("size", 256)]
    assert found["conditions"] == []


@pytest.mark.parametrize(
    ("mode", "check", "message"),
    [
        ("zeros", "close", "out.bin: element 0 is 0.0 instead of 1.0; 64 of 64 differ"),
        pytest.param(
            "constant", "other output", "seeds 1 and 2 have the same output", marks=pytest.mark.long
        ),
        pytest.param(
            "nothing",
            "output",
            "out.bin: it is not a file that can be read",
            marks=pytest.mark.long,
        ),
        pytest.param("fails", "exit status", 'it is 1: \'{"bytes": 256', marks=pytest.mark.long),
        ("dies", "exit status", "signal 6 ended it"),
    ],
)
def test_wrong_output_has_no_number(project: Project, mode: str, check: str, message: str) -> None:
    set_mode(project, mode)
    found = document(project, "sim", "--repeat", "4", status=1)

    validate("bench", found)
    assert (found["ok"], found["metrics"], found["methods"]) == (False, [], [])
    failed = {row["check"]: row for row in found["failed"]}
    assert check in failed
    assert len(failed) == 1 or mode == "zeros"  # which are those of any seed
    assert message in failed[check]["message"]
    # A program that dies in each fourth run does so once or twice: earlier tests may have run it.
    times = {"zeros": 4, "constant": 1, "nothing": 5, "fails": 5}  # of 5, with a seed
    count = failed[check]["failed"]
    assert count == times[mode] if mode in times else count in (1, 2)


def test_one_wrong_lane_in_twenty_runs_is_a_finding(project: Project) -> None:
    set_mode(project, "race")
    done = project.run("bench", "sim", "--repeat", "20")

    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [
        "bench scale on sim QCS6490: no numbers, because checks failed",
        "✗ same output in 1 of 20 runs: equal input has 2 different outputs",
    ]
    assert "256" not in done.stdout


def test_what_a_board_lacks_is_said_before_anything_is_built(on_board: Project) -> None:
    on_board.edit("buildtool.toml", 'metrics = ["time", "size"]', "metrics = []")
    done = on_board.run("bench", "board")

    assert done.returncode == 2
    assert done.stderr.startswith("error: [bench.scale] has no metrics\n")


def test_without_a_dsp_call_nothing_is_measured_on_sim(project: Project) -> None:
    project.edit("buildtool.toml", 'metrics = ["time", "size"]', 'metrics = ["time"]')
    found = document(project, "sim", status=1)

    assert [row["check"] for row in found["failed"]] == ["counts"]
    assert "called no DSP method" in found["failed"][0]["message"]


def test_a_bench_that_is_not_there_is_named(project: Project) -> None:
    done = project.run("bench", "sim", "scle")

    assert done.returncode == 2
    assert "Did you mean 'scale'?" in done.stderr


@pytest.mark.long
def test_a_sweep_has_a_row_for_each_value(project: Project) -> None:
    project.edit("buildtool.toml", 'MODE = "right"', 'MODE = "{mode}"')
    project.edit("buildtool.toml", "\n[metric", '\nparameters = { mode = "right" }\n\n[metric')
    found = document(project, "sim", "--sweep", "mode=right,zeros", status=1)
    done = project.run("bench", "sim", "--sweep", "mode=right,zeros")

    validate("bench", found)
    right, zeros = found["cells"]
    assert (right["parameters"], right["result"]["ok"]) == ({"mode": "right"}, True)
    assert (zeros["parameters"], zeros["result"]["metrics"]) == ({"mode": "zeros"}, [])
    assert done.stdout.splitlines()[:5] == [
        "bench scale on sim QCS6490: 2 combinations of values, checks failed",
        " mode    size",
        "right     256",
        "zeros  failed",
        "✗ mode zeros: close in 3 of 4 runs:"
        " out.bin: element 0 is 0.0 instead of 1.0; 64 of 64 differ",
    ]


def test_the_output_is_no_file_of_the_release(project: Project) -> None:
    project.edit("buildtool.toml", 'output = "out.bin"', 'output = "run.sh"')
    done = project.run("bench", "sim")

    assert done.returncode == 2
    assert "[bench.scale] output: run.sh is a file of the release" in done.stderr
