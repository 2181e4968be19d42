"""Tests that pytest runs with the fixture `device`: on sim, and over real ssh and adb."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.device.testing.conftest import Reached
from tests.device.testing.suite import FILE, PYTEST, PYTEST_OUTCOMES
from tests.device.testing.test_programs import cuts, results_of
from tests.junit import read_junit
from tests.project import Project

SUITE = """
[test.accuracy]
pytest = ["tests"]
timeout = "20s"
env = {{ EXPECTED_DEVICE = "{device}", PYTEST_ADDOPTS = "-p no:randomly" }}

[expected-failure.{tag}]
tests = ["accuracy/*tagged"]
reason = "as tagged"
"""
ID = "tests/test_app.py::"
SIM = pytest.mark.parametrize("device", ["sim"], indirect=True)
LONG_SSH, LONG_ADB = (pytest.param(name, marks=pytest.mark.long) for name in ("ssh", "adb"))
ON_SSH = pytest.mark.parametrize("device", ["ssh", LONG_ADB], indirect=True)


@pytest.fixture
def suite(project: Project, device: Reached) -> Project:
    """The project with a suite of pytest; boards have the tag of the expected failure."""
    tag = "sim" if device.name == "sim" else "lab"
    project.write("buildtool.toml", FILE + SUITE.format(device=device.name, tag=tag))
    project.write("tests/test_app.py", PYTEST)
    return project


@pytest.mark.parametrize(
    "device", ["sim", LONG_SSH, pytest.param("adb", marks=pytest.mark.long)], indirect=True
)
def test_results_of_pytest_are_those_of_the_suite(
    suite: Project, device: Reached, tmp_path: Path
) -> None:
    file = tmp_path / "results.xml"

    document = results_of(suite, device.name, "--junit", str(file), status=1)

    tests: dict[str, dict[str, Any]] = {test["name"]: test for test in document["tests"]}
    found = {name: (test["outcome"], test["message"]) for name, test in tests.items()}
    assert found == {ID + name: outcome for name, outcome in PYTEST_OUTCOMES.items()}
    assert {test["suite"] for test in tests.values()} == {"accuracy"}
    assert "--- Captured stdout call ---\nseen\n" in tests[ID + "test_fails"]["output"]
    assert "session.py" not in tests[ID + "test_wrong_program"]["output"]
    names = {case.get("name") for case in read_junit(file).iter("testcase")}
    assert names == set(found)
    assert re.search(rf"^✗ accuracy/{ID}test_fails failed", suite.messages, re.MULTILINE)


@ON_SSH
def test_a_cut_line_is_recorded_with_the_test(
    suite: Project, device: Reached, tmp_path: Path
) -> None:
    once = tmp_path / "once"
    suite.write(
        "tests/test_app.py",
        "def test_before(device): device.run('bin/app')\n"
        "def test_cut(device):\n"
        f"    assert device.run('bin/app', 'hang-once', {str(once)!r}).status == 0\n"
        "def test_after(device): device.run('bin/app')\n",
    )

    with cuts(device, once):
        document = results_of(suite, device.name, status=0)

    assert {test["name"]: len(test["lost"]) for test in document["tests"]} == {
        ID + "test_before": 0,
        ID + "test_cut": 1,
        ID + "test_after": 0,
    }


@pytest.mark.long
@SIM
def test_chosen_tests_run(suite: Project, device: Reached) -> None:
    document = results_of(suite, device.name, "*test_crash", "*_facts", status=0)

    assert [test["name"] for test in document["tests"]] == [ID + "test_crash", ID + "test_facts"]


@pytest.mark.long
@ON_SSH
def test_pytest_runs_the_release_of_the_command(suite: Project, device: Reached) -> None:
    suite.write(
        "tests/test_app.py", "def test_a(device):\n    print(device.directory)\n    1 / 0\n"
    )

    options = ("--build-type", "Debug", "--launcher", "none", "--force")
    document = results_of(suite, device.name, *options, status=1)

    (test,) = document["tests"]
    assert f"suite+tests/releases/{document['deployment']}\n" in test["output"]
    assert document["deployment"] != results_of(suite, device.name, status=1)["deployment"]


def pytest_here(
    project: Project, *arguments: str, folder: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest by hand, in a folder of the project."""
    # With a directory of its own: at its end, pytest deletes those of earlier runs.
    own = f"--basetemp={project.root / 'basetemp'}"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", own, *arguments],
        cwd=project.root / folder,
        env={**os.environ, **project.environment, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


@pytest.mark.parametrize(
    "device", ["sim", pytest.param("ssh", marks=pytest.mark.long), LONG_ADB], indirect=True
)
def test_the_fixture_works_without_the_command(suite: Project, device: Reached) -> None:
    names = "passes or facts or crash"
    by_option = pytest_here(
        suite,
        "tests",
        "-k",
        names,
        f"--buildtool-device={device.name}",
        EXPECTED_DEVICE=device.name,
    )
    by_variable = pytest_here(
        suite,
        *("-k", names),
        folder="tests",
        BUILDTOOL_DEVICE=device.name,
        EXPECTED_DEVICE=device.name,
    )

    for done in (by_option, by_variable):
        assert done.returncode == 0, done.stdout
        assert "3 passed" in done.stdout


@SIM
def test_workers_of_xdist_share_the_device(suite: Project) -> None:
    suite.edit("buildtool.toml", "-p no:randomly", "-p no:randomly -n 2")
    document = results_of(suite, "sim", status=1)

    found = {test["name"]: test["outcome"] for test in document["tests"]}
    outcomes = {ID + name: outcome for name, (outcome, _) in PYTEST_OUTCOMES.items()}
    facts = ID + "test_facts"
    assert {**found, facts: ""} == {**outcomes, facts: ""}


@pytest.mark.long
@ON_SSH
def test_workers_of_xdist_hold_the_lock_together(suite: Project, device: Reached) -> None:
    """By hand, from a directory that is in no project."""
    done = pytest_here(
        suite,
        *(str(suite.root / "tests"), "-n", "2", "-k", "passes or facts or crash"),
        f"--buildtool-device={device.name}",
        folder="..",
        EXPECTED_DEVICE=device.name,
    )

    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


@SIM
def test_a_device_that_is_not_there(suite: Project) -> None:
    done = pytest_here(suite, "tests", "-k", "facts", "--buildtool-device=bord")

    assert done.returncode == 1
    assert "there is no device 'bord'" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "buildtool/flow/" not in done.stdout


THREE_NAMES = ("test_a", "test_b", "test_c")
THREE = "import os, pytest\ndef test_a(): pass\ndef test_b(): {}\ndef test_c(): pass\n"


@pytest.mark.parametrize(
    ("end", "options", "wanted"),
    [
        ("os._exit(0)", "", ("not run", "pytest ended with status 0", "not run")),
        pytest.param(
            *("os._exit(1)", "", ("not run", "pytest ended with status 1", "not run")),
            marks=pytest.mark.long,
        ),
        pytest.param(
            "os._exit(9)",
            "",
            ("not run", "pytest ended with status 9", "not run"),
            marks=pytest.mark.long,
        ),
        pytest.param(
            "os.kill(os.getpid(), 11)",
            "",
            ("crashed", "pytest ended with SIGSEGV", "not run"),
            marks=pytest.mark.long,
        ),
        pytest.param(
            "pytest.exit('x', 0)",
            "",
            ("not run", "pytest ended with status 0", "not run"),
            marks=pytest.mark.long,
        ),
        pytest.param(
            "assert False", "-x", ("failed", "assert False", "not run"), marks=pytest.mark.long
        ),
        pytest.param(
            "os._exit(0)",
            "-n 1",
            ("crashed", "worker 'gw0' crashed while running", "passed"),
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_collected_test_without_a_result_has_not_run(
    project: Project, tmp_path: Path, end: str, options: str, wanted: tuple[str, str, str]
) -> None:
    project.write("buildtool.toml", FILE + SUITE.format(device="sim", tag="none"))
    project.edit("buildtool.toml", "-p no:randomly", f"-p no:randomly {options}")
    project.write("tests/test_app.py", THREE.format(end))
    file = tmp_path / "results.xml"

    a, b, c = results_of(project, "sim", "--junit", str(file), status=1)["tests"]

    assert [test["name"] for test in (a, b, c)] == [ID + name for name in THREE_NAMES]
    assert (a["outcome"], b["outcome"], c["outcome"]) == ("passed", wanted[0], wanted[2])
    assert b["message"].startswith(wanted[1])
    assert c["outcome"] == "passed" or c["message"].startswith(
        "it did not begin: pytest ended with"
    )
    assert [case.get("name") for case in read_junit(file).iter("testcase")] == [
        test["name"] for test in (a, b, c)
    ]


BAD = {
    "broken": ("def broken\n", "not run", "tests/broken.py", "pytest cannot collect its tests"),
    "empty": ("", "not run", "empty", "pytest found no tests in [test.empty]"),
    "early": ("import os\nos._exit(0)\n", "not run", "early", "pytest ended with status 0"),
    "exits": (
        "def pytest_configure(): pass\ndef test_a(): raise SystemExit(9)\n",
        *("failed", "tests/exits.py::test_a", "SystemExit: 9"),
    ),
}
"""Suite → source, outcome, name and message of its only test."""


@pytest.mark.long
def test_suites_after_bad_ones_run(project: Project) -> None:
    names = [*BAD, "good"]
    tables = "".join(f'[test.{name}]\npytest = ["tests/{name}.py"]\n' for name in names)
    project.write("buildtool.toml", f'{FILE}\n{tables}[test.last]\nprogram = "bin/app"\n')
    for name, (source, *_) in BAD.items():
        project.write(f"tests/{name}.py", source)
    project.write("tests/good.py", "def test_a(): pass\n")

    tests = results_of(project, "sim", status=1)["tests"]

    assert [test["suite"] for test in tests] == ["test", *names]
    assert (tests[0]["outcome"], tests[-1]["outcome"]) == ("passed", "passed")
    for test, (_, *wanted) in zip(tests[1:-1], BAD.values(), strict=True):
        assert [test["outcome"], test["name"], test["message"]] == wanted


@pytest.mark.long
def test_ids_are_relative_to_the_root_of_pytest(project: Project) -> None:
    project.write("buildtool.toml", FILE + SUITE.format(device="sim", tag="none"))
    project.edit("buildtool.toml", '"tests"', '"tests/unit tests"')
    project.write("tests/unit tests/pytest.ini", "[pytest]\npythonpath = lib\n")
    project.write("tests/unit tests/lib/own.py", "NUMBER = 3\n")
    source = "from own import NUMBER\n\ndef test_a(device):\n    assert NUMBER == 3\n"
    project.write("tests/unit tests/test_own.py", source + "\ndef test_b(): pass\n")

    document = results_of(project, "sim", "*_a", status=0)

    shutil.rmtree(project.root / "tests/unit tests")
    assert [test["name"] for test in document["tests"]] == ["test_own.py::test_a"]


def test_ids_are_listed(project: Project) -> None:
    project.write("buildtool.toml", FILE + SUITE.format(device="sim", tag="none"))
    project.write("tests/test_app.py", PYTEST)

    listed = project.succeeds("test", "--list", "sim", "*_crash").splitlines()
    assert listed == [f"accuracy/{ID}test_crash"]
    document = json.loads(project.succeeds("test", "--list", "--json"))
    assert [test["name"] for test in document["tests"]] == [ID + name for name in PYTEST_OUTCOMES]
