"""Tests of CTest that do not come to their end: a lost connection, Ctrl-C, a killed buildtool."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.device.testing.test_ctest import on_board, wait_for, with_board
from tests.device.testing.third_party import results, third_party
from tests.junit import read_junit
from tests.project import Project
from tests.remote.proxy import Proxy
from tests.remote.remote import processes_with

LONG_SSH, LONG_ADB = (pytest.param(name, marks=pytest.mark.long) for name in ("ssh", "adb"))


@pytest.fixture(scope="module")
def meter(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The third party's tree, in which the test that hangs does not end before something happens
    to it."""
    project = third_party(tmp_path_factory.mktemp("ctest") / "third party a+b")
    project.edit("test/CMakeLists.txt", "TIMEOUT 2", "TIMEOUT 100")
    project.build_here()
    return project


@pytest.fixture(params=["ssh", pytest.param("adb", marks=pytest.mark.long)])
def board(request: pytest.FixtureRequest, meter: Project, tmp_path: Path) -> Iterator[Proxy]:
    with with_board(meter, request.param, tmp_path) as proxy:
        yield proxy


@pytest.mark.long
def test_a_cut_line_is_retried_and_a_failure_is_not(meter: Project, board: Proxy) -> None:
    results(meter, "board", "cli.small")
    done: list[dict[str, dict[str, Any]]] = []
    run = threading.Thread(
        target=lambda: done.append(results(meter, "board", "ends.fail", "ends.hang"))
    )
    run.start()
    wait_for(lambda: hanging(meter))
    first = hanging(meter)
    board.cut()
    wait_for(lambda: hanging(meter) - first)
    for process in hanging(meter) - first:
        os.kill(process, signal.SIGKILL)
    run.join()

    (tests,) = done
    assert {name: test["outcome"] for name, test in tests.items()} == {
        "ends.fail": "failed",
        "ends.hang": "crashed",
    }
    assert tests["ends.fail"]["lost"] == []
    assert len(tests["ends.hang"]["lost"]) == 1


@pytest.mark.long
@pytest.mark.parametrize("board", ["ssh", LONG_ADB], indirect=True)
def test_a_device_that_does_not_come_back(meter: Project, board: Proxy) -> None:
    results(meter, "board", "cli.small")
    done: list[dict[str, dict[str, Any]]] = []
    chosen = ("ends.hang", "ends.environment", "report.compare")
    run = threading.Thread(target=lambda: done.append(results(meter, "board", *chosen)))
    run.start()
    wait_for(lambda: hanging(meter))
    board.stop()
    run.join()

    (tests,) = done
    assert {name: (test["outcome"], len(test["lost"])) for name, test in tests.items()} == {
        "report.write": ("passed", 0),
        "report.compare": ("passed", 0),
        "ends.hang": ("not run", 3),
        "ends.environment": ("not run", 1),
    }


@pytest.mark.usefixtures("board")
@pytest.mark.parametrize("board", [LONG_SSH, "adb"], indirect=True)
def test_ctrl_c_ends_the_test_on_the_device(meter: Project, tmp_path: Path) -> None:
    results = tmp_path / "results.xml"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "buildtool", "test", "board"),
            *("report.write", "ends.hang", "ends.environment", "--junit", str(results)),
        ],
        cwd=meter.root,
        env={**os.environ, **meter.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: hanging(meter))
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    cases = read_junit(results).iter("testcase")
    found = {case.get("name"): [part.tag for part in case] for case in cases}
    assert "error" not in found.pop("report.write")  # it had passed
    assert found == {"ends.hang": ["error"], "ends.environment": ["error"]}
    wait_for(lambda: not hanging(meter))
    assert list((meter.root / ".buildtool/tests/runs").iterdir()) == []


def test_ctrl_c_ends_tests_that_run_at_the_same_time_on_sim(meter: Project) -> None:
    more = "".join(f"add_test(NAME ends.hang{i} COMMAND ends hang {i})\n" for i in (2, 3))
    meter.edit("test/CMakeLists.txt", "# A report", f"{more}# A report")
    process = subprocess.Popen(
        [sys.executable, "-m", "buildtool", "test", "sim", "-j2", "ends.hang*"],
        cwd=meter.root,
        env={**os.environ, **meter.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    there = str(meter.root / ".buildtool/device")
    try:
        wait_for(lambda: len({line.split()[-1] for line in hanging_in(there)}) == 2)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    meter.edit("test/CMakeLists.txt", f"{more}# A report", "# A report")
    assert process.returncode == 130
    folded, last = output.splitlines()[-2:]
    assert folded.startswith("✗ 3 tests not run: interrupted (meter/ends.hang")
    assert last == "interrupted: 0 of 3 tests succeeded on sim QCS6490"
    wait_for(lambda: not hanging_in(there))


def hanging(project: Project) -> set[int]:
    """The processes of the test that hangs on the board."""
    return {number for number, line in on_board(project).items() if "ends hang" in line}


def hanging_in(directory: str) -> list[str]:
    """The command lines of the programs in `directory` that hang."""
    return [
        line for line in processes_with(directory).values() if "qemu" in line and " hang" in line
    ]
