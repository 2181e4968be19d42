"""A test that crashes the DSP process has crashed, whatever its program makes of that."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.device.strict.conftest import SOURCES
from tests.device.testing.test_programs import results_of
from tests.device.testing.test_pytest import pytest_here
from tests.json_documents import validate
from tests.junit import read_junit
from tests.project import Project

CRASHED = (
    "the DSP process crashed: the skel has written past the end of a heap block, which it frees"
)
NULL = (
    "the DSP process crashed: bad memory access (SIGSEGV) at address 0x18, through a null pointer"
)
LATE = ("heap", "late", "24")
"""Written past the end of a block, which the end of the session frees: the program ends with 0."""
CMAKE = """
enable_testing()
function(crash name)
  add_test(NAME ${name} COMMAND faults crash null)
  set_tests_properties(${name} PROPERTIES ${ARGN})
endfunction()
add_test(NAME fine COMMAND faults sum 8 0 8)
add_test(NAME late COMMAND faults heap late 24)
crash(will-fail WILL_FAIL ON)
crash(pattern PASS_REGULAR_EXPRESSION "0x8000040d")
crash(skip ENVIRONMENT STATUS=77 SKIP_RETURN_CODE 77)
crash(known ENVIRONMENT STATUS=0)
crash(known-crash ENVIRONMENT STATUS=0)
crash(recovers ENVIRONMENT STATUS=0)
"""
SCRIPT = """
get_property(launcher TARGET faults PROPERTY CROSSCOMPILING_EMULATOR)
list(JOIN launcher "' '" launcher)
file(GENERATE OUTPUT crash.sh CONTENT "'${launcher}' '$<TARGET_FILE:faults>' heap late 24\n")
add_test(NAME script COMMAND sh crash.sh)
"""
REPORTED = """
add_test(NAME hangs-in-skel COMMAND faults crash hang)
set_tests_properties(hangs-in-skel PROPERTIES TIMEOUT 3)
add_test(NAME undecoded COMMAND faults crash unknown)
"""
KEYS = """
[run.late]
program = "bin/faults"
args = ["heap", "late", "24"]

[run.recovers]
program = "bin/faults"
args = ["heap", "late", "24"]
dsp-may-crash = true

[test.late]
program = "bin/faults"
args = ["heap", "late", "24"]

[test.fails]
program = "bin/faults"
args = ["crash", "null"]

[test.hangs]
program = "bin/faults"
args = ["crash", "null"]
env = { SECONDS = 60 }
timeout = "2s"

[test.recovers]
program = "bin/faults"
args = ["heap", "late", "24"]
dsp-may-crash = true

[test.in-python]
pytest = ["tests"]

[test.recovers-in-python]
pytest = ["tests/test_faults.py::test_late"]
dsp-may-crash = true

[test.within]
program = "bin/faults"
args = ["sum", "1024", "0", "1024"]

[test.past]
program = "bin/faults"
args = ["sum", "1024", "0", "1025"]

[test.strict-in-python]
pytest = ["strict"]

[expected-failure.v68]
tests = ["known", "*test_known"]
reason = "it is known"

[expected-failure.sim]
tests = ["known-crash"]
reason = "it is known"
dsp-may-crash = true
"""
PYTHON = """
import pytest

LATE = ("heap", "late", 24)


def test_late(device):
    ran = device.run("bin/faults", *LATE)
    assert (ran.status, ran.stdout) == (0, "0x0 0\\n")
    assert ran.dsp_crash.startswith("the DSP process crashed: ")


def test_recovers(device):
    assert device.run("bin/faults", *LATE, dsp_may_crash=True).dsp_crash


def test_fine(device):
    assert not device.run("bin/faults", "sum", 8, 0, 8).dsp_crash


@pytest.mark.xfail(reason="not yet")
def test_known(device):
    device.run("bin/faults", *LATE)
    assert False


@pytest.fixture
def crashed(device):
    device.run("bin/faults", *LATE)


def test_in_a_fixture(crashed):
    pass


def test_caught(device):
    with pytest.raises(AssertionError):
        assert device.run("bin/faults", *LATE).status
    pytest.skip("not today")
"""
STRICT = """
def test_past(device):
    ran = device.run("bin/faults", "sum", 1024, 0, 1025, dsp_may_crash=True)
    assert "1 byte past the end of parameter 'data'" in ran.stderr
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("dsp-crash") / "project")
    shutil.copytree(SOURCES, project.root)
    text = (project.root / "buildtool.toml").read_text()
    may_crash = 'source = "host"\ndsp-may-crash = ["recovers"]\n'
    project.write("buildtool.toml", text.replace('source = "host"\n', may_crash) + KEYS)
    project.write("host/CMakeLists.txt", (project.root / "host/CMakeLists.txt").read_text() + CMAKE)
    project.write("tests/test_faults.py", PYTHON)
    project.write("strict/test_strict.py", STRICT)
    return project


def outcomes(project: Project, *names: str) -> dict[str, tuple[str, str]]:
    """Outcome and message of the tests `names`, of which some are bad."""
    tests = results_of(project, "sim", *names, status=1)["tests"]
    bad = {"crashed", "expected failure"}
    assert all(test["dsp_crash"] == (test["outcome"] in bad) for test in tests)
    return {test["name"].rpartition("::")[2]: (test["outcome"], test["message"]) for test in tests}


def test_programs(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "results.xml"

    found = outcomes(project, "test", "--junit", str(file))

    assert found["late"][0] == found["fails"][0] == found["hangs"][0] == "crashed"
    assert found["late"][1].startswith(CRASHED)
    assert found["fails"][1] == f"{NULL}; exit status 1"
    assert found["hangs"][1] == f"{NULL}; did not end in 2 s"
    assert found["recovers"] == ("passed", "")
    cases = {case.get("name"): case for case in read_junit(file).iter("testcase")}
    (error,) = cases["late"].iter("error")
    assert error.get("type") == "crashed"
    assert "faults_close" in str(cases["late"].findtext("system-out"))


def test_ctest(project: Project) -> None:
    found = outcomes(project, "faults-program")

    assert found.pop("late")[1].startswith(CRASHED)
    assert found == {
        "fine": ("passed", ""),
        "will-fail": ("crashed", NULL),
        "pattern": ("crashed", NULL),
        "skip": ("crashed", f"{NULL}; SKIP_RETURN_CODE=77"),
        "known": ("crashed", NULL),
        "known-crash": ("expected failure", f"it is known ({NULL})"),
        "recovers": ("passed", ""),
    }


@pytest.mark.long
def test_a_program_that_a_script_starts(project: Project) -> None:
    usual = (project.root / "host/CMakeLists.txt").read_text()
    project.write("host/CMakeLists.txt", usual + SCRIPT)
    found = outcomes(project, "fine", "script")
    project.write("host/CMakeLists.txt", usual)

    assert found["fine"] == found["script"] == ("passed", "")
    assert found["faults-program"][0] == "crashed"
    assert found["faults-program"][1].startswith(CRASHED)


@pytest.mark.long
def test_ctest_explains_long_calls_and_undecoded_packets(project: Project) -> None:
    usual = (project.root / "host/CMakeLists.txt").read_text()
    project.write("host/CMakeLists.txt", usual + REPORTED)
    tests = results_of(project, "sim", "hangs-in-skel", "undecoded", status=1)["tests"]
    project.write("host/CMakeLists.txt", usual)

    found = {test["name"]: (test["outcome"], test["output"]) for test in tests}
    outcome, output = found["hangs-in-skel"]
    assert outcome == "timed out"
    assert re.search(
        r"^faults_crash, method \d+ of libfaults_skel.so, has been running", output, re.M
    )
    assert re.search(r"^  at faults_crash \(faults_imp.c:\d+\)$", output, re.M), output
    outcome, output = found["undecoded"]
    assert outcome == "crashed"
    assert "QEMU has ended at" in output


def test_pytest(project: Project) -> None:
    found = outcomes(project, "in-python")

    crashed = ("test_late", "test_known", "test_in_a_fixture", "test_caught")
    assert {name: outcome for name, (outcome, _) in found.items()} == {
        **dict.fromkeys(crashed, "crashed"),
        "test_recovers": "passed",
        "test_fine": "passed",
    }
    assert all(found[name][1].startswith(f"bin/faults: {CRASHED}") for name in crashed)
    (accepted,) = results_of(project, "sim", "recovers-in-python", status=0)["tests"]
    assert accepted["outcome"] == "passed"


@pytest.mark.long
def test_a_wrong_access_is_explained_with_strict(project: Project) -> None:
    names = ("past", "strict-in-python")

    strict = results_of(project, "sim", *names, "within", "--strict", status=1)

    outputs = {test["name"]: test["output"] for test in strict["tests"]}
    outcomes = {test["name"]: test["outcome"] for test in strict["tests"]}
    assert "1 byte past the end of parameter 'data'" in outputs["past"]
    assert "faults_imp.c" in outputs["past"]
    assert outputs["within"].count("past the end") == 0
    assert outcomes["strict/test_strict.py::test_past"] == "passed"
    usual = {test["name"]: test for test in results_of(project, "sim", *names, status=1)["tests"]}
    assert usual.keys() == {"past", "strict/test_strict.py::test_past"}
    assert "past the end" not in usual["past"]["output"]
    assert usual["strict/test_strict.py::test_past"]["outcome"] == "failed"


@pytest.mark.long
def test_pytest_without_the_command(project: Project) -> None:
    done = pytest_here(project, "tests", "-p", "no:randomly")

    assert done.returncode == 1
    assert "3 failed, 2 passed, 1 warning, 1 error" in done.stdout
    assert CRASHED in done.stdout


@pytest.mark.parametrize(
    ("options", "status"),
    [
        pytest.param(("late",), 125, marks=pytest.mark.long),
        (("--env", "STATUS=3", "late"), 3),
        (("recovers",), 0),
        pytest.param(("--dsp-may-crash", "late"), 0, marks=pytest.mark.long),
    ],
)
def test_run(project: Project, options: tuple[str, ...], status: int) -> None:
    done = project.run("run", "sim", *options, "--json")

    assert done.returncode == status, done.stderr
    document = json.loads(done.stdout)
    validate("run", document)
    assert document["dsp_crash"].startswith(CRASHED)
    assert document["status"] == (3 if status == 3 else 0)
    last = done.stderr.splitlines()[-1]
    if status == 0:
        assert "the exit status is" not in done.stderr
    else:
        assert last.startswith(
            f"the DSP process crashed during this run; the exit status is {status}"
        )


def test_a_run_with_a_crash_leaves_a_bundle(project: Project, tmp_path: Path) -> None:
    bundle = tmp_path / "crash.zip"

    done = project.run("run", "sim", "late", f"--bundle-file={bundle}")

    assert done.returncode == 125
    assert bundle.is_file()
