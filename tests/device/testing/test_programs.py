"""`buildtool test` runs the programs of `[test.NAME]`: on sim, and over real ssh and adb."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from buildtool.testing import results
from tests.device.testing.conftest import Reached
from tests.device.testing.suite import FILE, OUTCOMES, TESTS
from tests.json_documents import validate
from tests.junit import read_junit
from tests.project import Project

BAD = {outcome.value for outcome in results.BAD}
LONG_ADB = pytest.param("adb", marks=pytest.mark.long)


def results_of(project: Project, *arguments: str, status: int) -> dict[str, Any]:
    """The document that `buildtool test ARGUMENTS... --json` prints."""
    done = project.run("test", *arguments, "--json")
    assert done.returncode == status, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    validate("test", document)
    return document


@pytest.mark.parametrize("device", ["sim", "ssh", LONG_ADB], indirect=True)
def test_how_programs_end_is_told_apart(project: Project, device: Reached, tmp_path: Path) -> None:
    project.write("buildtool.toml", FILE + TESTS)
    file = tmp_path / "results.xml"

    document = results_of(project, device.name, "--junit", str(file), status=1)

    tests = {test["name"]: test for test in document["tests"]}
    assert {n: (t["outcome"], t["message"]) for n, t in tests.items()} == OUTCOMES
    assert (document["device"], document["ok"]) == (device.name, False)
    assert not any(test["lost"] for test in tests.values())
    assert "\n[expected-failure.v6x]: no known device or target has this name" in project.messages
    assert tests["environment"]["output"] == "7\n"
    assert sorted(tests["fails"]["output"].split()) == ["error", "out"]
    assert tests["hangs"]["output"] == "hanging\n"
    assert 2 <= tests["hangs"]["seconds"] < 10

    rows = json.loads(project.succeeds("devices", "--json"))["devices"]
    last = next(row["last_test"] for row in rows if row["name"] == device.name)
    bad = sum(test["outcome"] in BAD for test in tests.values())
    assert (last["project"], last["tests"], last["bad"]) == ("suite", len(tests), bad)

    root = read_junit(file)
    kinds = {case.get("name"): [child.tag for child in case][:1] for case in root.iter("testcase")}
    assert kinds["passes"] == []
    assert [kinds[name] for name in ("fails", "crashes", "known")] == [
        ["failure"],
        ["error"],
        ["skipped"],
    ]
    assert "]]> \\x1b[2J \\x01 \\xff <&" in "".join(root.itertext())
    properties = {each.get("name"): each.get("value") for each in root.iter("property")}
    assert properties["release"] == document["release"]
    assert properties["device"] == device.name


@pytest.mark.parametrize(
    "device", ["sim", pytest.param("ssh", marks=pytest.mark.long), LONG_ADB], indirect=True
)
def test_the_table_names_what_is_bad(project: Project, device: Reached) -> None:
    project.write("buildtool.toml", FILE + TESTS)

    done = project.run("test", device.name, "passes", "fails", "known")

    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0].split() == [
        "suite",
        "passed",
        "failed",
        "expected",
        "failure",
        "skipped",
        "seconds",
    ]
    assert lines[1].split()[:4] == ["test", "1", "1", "1"]
    assert lines[2] == "✗ test/fails failed: exit status 3"
    assert lines[3].startswith(f"2 of 3 tests succeeded on {device.name}")
    assert "\n✗ test/fails                   failed" in done.stderr
    assert "\n    | out\n" in done.stderr
    assert max(map(len, lines)) <= 80

    project.edit("buildtool.toml", '"LEVEL"', '"BUILDTOOL_SIM_CRASHES"')
    (environment,) = results_of(project, device.name, "environment", status=0)["tests"]
    assert (environment["output"] == "(unset)\n") == (device.name != "sim")
    project.edit("buildtool.toml", '"BUILDTOOL_SIM_CRASHES"', '"LEVEL"')

    quiet = project.run("test", device.name, "environment")
    assert (quiet.returncode, "| 7" in quiet.stderr) == (0, False)
    assert "| 7" in project.run("test", device.name, "environment", "-v").stderr


@pytest.mark.parametrize(
    "device", [pytest.param("sim", marks=pytest.mark.long), "ssh", LONG_ADB], indirect=True
)
def test_what_the_user_has_made_current_stays_so(project: Project, device: Reached) -> None:
    project.write("buildtool.toml", FILE + TESTS)
    project.succeeds("deploy", device.name, "--build-type", "Debug")
    current = (device.root / "suite/current").readlink()

    results_of(project, device.name, "passes", status=0)

    assert (device.root / "suite/current").readlink() == current
    ran = (device.root / "suite+tests/current").readlink()
    assert ran != current
    assert len(list((device.root / "suite+tests/releases").iterdir())) == 1


CUT = """
[test.cut]
program = "bin/app"
args = ["hang-once", "{once}"]

[test.fails]
program = "bin/app"
args = ["exit", "3", "{runs}"]

[test.never]
program = "bin/app"
args = ["hang-always", "{always}"]

[test.after]
program = "bin/app"
"""


@contextmanager
def cuts(device: Reached, *files: Path) -> Iterator[None]:
    """Cut the line whenever one of `files` has grown, for the block."""
    proxy = device.proxy
    assert proxy
    ended = threading.Event()

    def watch() -> None:
        sizes = dict.fromkeys(files, 0)
        while not ended.wait(0.02):
            for file, size in sizes.items():
                now = file.stat().st_size if file.exists() else 0
                if now > size:
                    sizes[file] = now
                    time.sleep(0.2)
                    proxy.cut()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize(
    "device", ["ssh", pytest.param("adb", marks=pytest.mark.long)], indirect=True
)
def test_a_cut_line_is_tried_again_and_recorded_and_a_failure_is_not(
    project: Project, device: Reached, tmp_path: Path
) -> None:
    once, runs, always = (tmp_path / name for name in ("once", "runs", "always"))
    project.write("buildtool.toml", FILE + CUT.format(once=once, runs=runs, always=always))
    file = tmp_path / "results.xml"

    with cuts(device, once, always):
        document = results_of(project, device.name, "--junit", str(file), status=1)

    found = {test["name"]: (test["outcome"], len(test["lost"])) for test in document["tests"]}
    assert found == {
        "cut": ("passed", 1),
        "fails": ("failed", 0),
        "never": ("not run", 3),
        "after": ("passed", 0),
    }
    assert len(runs.read_text().splitlines()) == 1
    assert len(always.read_text().splitlines()) == 3
    cases = {case.get("name"): case for case in read_junit(file).iter("testcase")}
    assert [child.tag for child in cases["cut"]] == ["flakyError"]
    assert [child.tag for child in cases["never"]][:4] == ["error", *["rerunError"] * 3]
    (line,) = [line for line in project.messages.splitlines() if "test/never" in line]
    assert "not run" in line


def test_what_cannot_run_says_so(project: Project) -> None:
    project.write("buildtool.toml", FILE)
    done = project.run("test", "sim")
    assert done.returncode == 2
    assert "the project has no tests" in done.stderr
    project.write("buildtool.toml", FILE + TESTS)
    for arguments, status, text in (
        (["sim", "pases"], 2, "Did you mean 'test/passes'?"),
        (["no-such-device"], 2, "there is no device 'no-such-device'"),
        (["sim", "--timeout", "soon"], 2, "--timeout: 'soon' is not a duration"),
        (["sim", "--junit", "/dev/null"], 2, "--junit /dev/null: it is not a file"),
        (["sim", "--no-such-option"], 2, "No such option"),
    ):
        done = project.run("test", *arguments)
        assert (done.returncode, done.stdout) == (status, ""), done.stderr
        assert text in done.stderr
    project.edit("host/app.c", "int main", "int main main")
    done = project.run("test", "sim", "passes")
    project.edit("host/app.c", "int main main", "int main")
    assert done.returncode == 125


def test_results_that_cannot_be_written_are_shown(project: Project) -> None:
    project.write("buildtool.toml", FILE + TESTS)
    options = ("test", "sim", "passes", "--junit", "/proc/results.xml")

    done = project.run(*options)
    assert (done.returncode, "1 of 1 tests succeeded" in done.stdout) == (125, True)
    assert "error: /proc/results.xml: " in done.stderr
    done = project.run(*options, "--json")
    assert (done.returncode, [*json.loads(done.stdout)]) == (125, ["schema", "error"])


def test_names_are_listed_without_a_build(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("buildtool.toml", FILE.replace("app", "app") + TESTS)
    project.write("host/CMakeLists.txt", "")

    assert project.succeeds("test", "--list").splitlines() == [f"test/{name}" for name in OUTCOMES]
    assert project.succeeds("test", "sim", "h*", "--list").splitlines() == [
        "test/hangs",
        "test/hostile",
    ]
    document = json.loads(project.succeeds("test", "sim", "known", "--list", "--json"))
    validate("test", document)
    assert document["tests"] == [{"suite": "test", "name": "known"}]
    assert not (tmp_path / ".buildtool/build").exists()
