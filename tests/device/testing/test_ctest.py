"""The CTest suite of a third party's tree runs unmodified: on sim, over real ssh and real adb."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.device.devices.emulated_board import emulated_board, emulated_phone
from tests.device.testing.third_party import PROJECT, results
from tests.junit import read_junit
from tests.project import Project
from tests.remote.adbd import AdbServer
from tests.remote.proxy import Proxy
from tests.remote.remote import processes_with
from tests.remote.sshd import SshServer

DEVICE = """
[device.board]
{how}
root = "{root}"
"""
GOOD = [
    *("Mean.OfNone", "Mean.OfThree", "Largest.OfNegative"),
    *("cli.small", "cli.by_path", "cli.usage", "cli.directory"),
    *("report.write", "report.compare", "ends.well", "ends.environment"),
]
OUTCOMES = {
    **dict.fromkeys(GOOD, "passed"),
    "ends.fail": "failed",
    "ends.crash": "crashed",
    "ends.abort": "crashed",
    "ends.hang": "timed out",
    "ends.skip": "skipped",
}
MESSAGES = {
    "ends.fail": "exit status 3",
    "ends.crash": "ended by SIGSEGV",
    "ends.abort": "ended by SIGABRT",
    "ends.skip": "SKIP_RETURN_CODE=77",
}


def assert_as_documented(tests: dict[str, dict[str, Any]]) -> None:
    assert {name: test["outcome"] for name, test in tests.items()} == OUTCOMES
    assert MESSAGES.items() <= {name: test["message"] for name, test in tests.items()}.items()
    assert {test["suite"] for test in tests.values()} == {"meter"}
    assert "count 3, mean 6, largest 10" in tests["cli.small"]["output"]
    assert "about to crash" in tests["ends.crash"]["output"]


def test_outcomes_are_told_apart_on_sim(meter: Project, tmp_path: Path) -> None:
    junit = tmp_path / "results.xml"
    assert_as_documented(results(meter, "sim", "--junit", str(junit)))
    assert {case.get("name") for case in read_junit(junit).iter("testcase")} == OUTCOMES.keys()
    assert meter.build_here() == {"host/meter": "up-to-date"}
    before = [
        (path, path.lstat().st_mtime_ns)
        for path in (meter.root / ".buildtool/device").rglob("opt/buildtool/*+tests/releases/*")
    ]

    again = results(meter, "sim", "report.*", "cli.*")

    assert [test["outcome"] for test in again.values()] == ["passed"] * 6
    assert before == [(path, path.lstat().st_mtime_ns) for path, _ in before]
    deployments = list((meter.root / ".buildtool/tests/deployments/sim").iterdir())
    assert len(deployments) == 1
    assert list((meter.root / ".buildtool/tests/runs").iterdir()) == []


def test_the_names_of_tests_are_listed(meter: Project) -> None:
    listed = meter.succeeds("test", "sim", "--list").splitlines()
    assert sorted(listed) == sorted(f"meter/{name}" for name in OUTCOMES)


@pytest.fixture(params=["ssh", pytest.param("adb", marks=pytest.mark.long)])
def board(request: pytest.FixtureRequest, meter: Project, tmp_path: Path) -> Iterator[Proxy]:
    with with_board(meter, request.param, tmp_path) as proxy:
        yield proxy


@contextmanager
def with_board(project: Project, kind: str, directory: Path) -> Iterator[Proxy]:
    """Give the project a device `board` behind a proxy."""
    server: SshServer | AdbServer
    if kind == "ssh":
        server = emulated_board(directory)
        with server, Proxy(server.port) as proxy:
            client = server.make_client(directory / "client", proxy.port)
            how = f'transport = "ssh"\naddress = "{client.host}"'
            project.variables = client.environment
            _configure(project, how, server.device.home)
            yield proxy
        return
    server = emulated_phone(directory)
    with server, Proxy(server.ports[0], device=server.device) as proxy:
        serial = server.connect(proxy.port)
        project.variables = server.environment
        _configure(project, f'transport = "adb"\naddress = "{serial}"', server.device.home)
        yield proxy


def _configure(project: Project, how: str, home: Path) -> None:
    root = home / "install root"
    (project.root / "devices.toml").write_text(DEVICE.format(how=how, root=root))


def test_outcomes_are_told_apart_on_boards(meter: Project, board: Proxy) -> None:
    assert_as_documented(results(meter, "board"))
    wait_for(lambda: not [line for line in on_board(meter).values() if "/test/ends" in line])
    first = board.traffic().up
    board.reset_traffic()

    usual, meter.variables = meter.variables, {**meter.variables, "CTEST_PARALLEL_LEVEL": "4"}
    again = results(meter, "board", "cli.*")
    meter.variables = usual

    assert {test["outcome"] for test in again.values()} == {"passed"}
    assert board.traffic().up < first / 3  # nothing is pushed again


def test_expected_failures_apply(meter: Project) -> None:
    expected = '[expected-failure.sim]\ntests = ["ends.fail", "ends.well"]\nreason = "known"\n'
    (meter.root / "buildtool.toml").write_text(PROJECT + expected)
    tests = results(meter, "sim", "ends.fail", "ends.well")
    (meter.root / "buildtool.toml").write_text(PROJECT)
    assert {name: test["outcome"] for name, test in tests.items()} == {
        "ends.fail": "expected failure",
        "ends.well": "unexpected pass",
    }


PARALLEL = """
foreach(name IN ITEMS first second)
  add_test(NAME fifo.${name} COMMAND mkfifo -- ${name}.fifo)
  set_tests_properties(fifo.${name} PROPERTIES FIXTURES_SETUP fifos)
endforeach()
function(meet name command)
  add_test(NAME meet.${name} COMMAND sh -c "${command}")
  set_tests_properties(meet.${name} PROPERTIES TIMEOUT 30 FIXTURES_REQUIRED fifos ${ARGN})
endfunction()
meet(last "cat first.fifo second.fifo" COST 1)
meet(first "echo 1 >first.fifo")
meet(second "echo 2 >second.fifo" DEPENDS meet.first)
"""
"""The first test that begins is the last one to end: it waits for the others."""


def test_tests_run_at_the_same_time_on_sim_with_results_in_order(meter: Project) -> None:
    meter.edit("test/CMakeLists.txt", "# A report", f"{PARALLEL}# A report")
    jobs = [] if len(os.sched_getaffinity(0)) > 1 else ["-j2"]
    tests = results(meter, "sim", *jobs, "Mean.*", "cli.*", "report.*", "meet.*")
    listed = meter.succeeds("test", "sim", "--list").splitlines()
    meter.edit("test/CMakeLists.txt", f"{PARALLEL}# A report", "# A report")
    assert {test["outcome"] for test in tests.values()} == {"passed"}
    assert list(tests) == [name for one in listed if (name := one.removeprefix("meter/")) in tests]
    assert tests["meet.last"]["output"] == "1\n2"


def test_tests_of_a_changed_program_are_the_new_ones(meter: Project) -> None:
    meter.edit("test/unit.c", '{"Mean", "OfNone", ', '{"Mean", "OfNothing", ')
    listed = meter.succeeds("test", "sim", "--list", "Mean.*").splitlines()
    meter.edit("test/unit.c", '{"Mean", "OfNothing", ', '{"Mean", "OfNone", ')
    assert listed == ["meter/Mean.OfNothing", "meter/Mean.OfThree"]


@pytest.mark.long
@pytest.mark.usefixtures("earlier_builds")
def test_a_test_calls_a_skel(tmp_path: Path) -> None:
    project = Project(tmp_path / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    (listing,) = project.root.glob("host/CMakeLists.txt")
    listing.write_text(
        f"{listing.read_text()}\nenable_testing()\nadd_test(NAME kernel COMMAND my-project)\n"
    )
    server = emulated_board(tmp_path)
    with server:
        project.variables = server.client.environment
        _configure(project, 'transport = "ssh"\naddress = "board"', server.device.home)
        for device in ("sim", "board"):
            test = results(project, device, "kernel")["kernel"]
            assert test["outcome"] == "passed", test
            assert "verified against the CPU" in test["output"]
    source = "dsp/src/my_project_dsp_imp.c"
    project.edit(source, "for (; i + LANES <= a_len;", "for (; i <= a_len;")
    test = results(project, "sim", "kernel", "--strict")["kernel"]
    assert test["outcome"] == "crashed"
    assert "at my_project_dsp_scale_add (my_project_dsp_imp.c:" in test["output"]
    assert "past the end of parameter" in test["output"]


@pytest.mark.long
def test_what_ctest_says_of_tests_that_it_cannot_run(meter: Project) -> None:
    cycle = "\n".join(
        f"set_tests_properties({one} PROPERTIES DEPENDS {other})"
        for one, other in [("cli.small", "cli.usage"), ("cli.usage", "cli.small")]
    )
    meter.edit("test/CMakeLists.txt", "# A report", f"{cycle}\n# A report")
    found = results(meter, "sim", "cli.small", "cli.usage")
    meter.edit("test/CMakeLists.txt", f"{cycle}\n# A report", "# A report")

    assert {test["message"] for test in found.values()} == {"CTest did not run it"}
    assert all("cycle" in test["output"] for test in found.values())


def on_board(project: Project) -> dict[int, str]:
    """The processes on the board of the project, with their command lines."""
    devices = tomllib.loads((project.root / "devices.toml").read_text())
    return processes_with(devices["device"]["board"]["root"])


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
