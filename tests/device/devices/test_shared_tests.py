"""Devices of a lab share the tests of a project: `test --on`, over real ssh and adb and on sim."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.engine.shards import parse_shard
from tests.device.devices.lab import Lab, User, lab, user_of
from tests.json_documents import validate
from tests.junit import valid_junit
from tests.remote.remote import processes_with

COUNT = 9
TESTS = "".join(
    f'\n[test.t{number}]\nprogram = "bin/lab"\nargs = ["{number}"]\n' for number in range(COUNT)
)
CTEST = """
enable_testing()
foreach(number RANGE 1 6)
  add_test(NAME add-${number} COMMAND lab ${number})
endforeach()
add_test(NAME fails COMMAND lab wrong here)
set_tests_properties(fails PROPERTIES WILL_FAIL FALSE PASS_REGULAR_EXPRESSION "never printed")
"""
EVERYTHING = {
    *(("test", f"t{number}") for number in range(COUNT)),
    *(("lab", f"add-{number}") for number in range(1, 7)),
    ("lab", "fails"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("lab")) as found:
        yield found


@pytest.fixture(scope="module")
def ann(place: Lab) -> Iterator[User]:
    with user_of(place, "ann") as user:
        listing = user.root / "host" / "CMakeLists.txt"
        listing.write_text(listing.read_text() + CTEST)
        file = user.root / "buildtool.toml"
        file.write_text(file.read_text().partition("[test.")[0] + TESTS)
        yield user


def ran(text: str) -> list[tuple[str, str, str]]:
    """Device, suite and name of each test in a JUnit document."""
    return [
        (suite.get("hostname") or "", case.get("classname") or "", case.get("name") or "")
        for suite in valid_junit(text.encode())
        for case in suite.iter("testcase")
    ]


def test_four_devices_and_sim_run_each_test_once(ann: User, place: Lab, tmp_path: Path) -> None:
    file = tmp_path / "results.xml"

    done = ann.run("test", "--on", "all:lab,sim", "--junit", str(file))

    assert done.returncode == 1, done.stderr
    found = ran(file.read_text())
    assert Counter((suite, name) for _, suite, name in found) == dict.fromkeys(EVERYTHING, 1)
    assert sorted(Counter(device for device, _, _ in found).values()) == [3, 3, 3, 3, 4]
    assert "15 of 16 tests succeeded on " in done.stdout
    assert "✗ lab/fails on " in done.stdout
    for device in ("one", "two", "three", "phone", "sim"):
        assert f"{device:<5} | " in done.stderr
    assert not processes_with(str(place.directory / "roots"))


def test_patterns_and_one_document_of_all(ann: User) -> None:
    done = ann.run("test", "--on", "one,phone", "--json", "t*")

    document = json.loads(done.stdout)
    validate("test", document)
    names = [test["name"] for row in document["devices"] for test in row["document"]["tests"]]
    assert sorted(names) == [f"t{number}" for number in range(COUNT)]
    assert document["ok"]
    assert done.returncode == 0


def test_a_matrix_has_all_tests_of_each_device(ann: User, place: Lab, tmp_path: Path) -> None:
    out = tmp_path / "my matrix"
    words = ("test", "--on", "two,phone,sim", "--markdown", str(out), "t0", "t1", "add-*")

    done = ann.run(*words)

    assert done.returncode == 0, done.stderr
    lines = (out / "matrix.md").read_text().splitlines()
    assert lines[2] == "✅ 24 tests on 3 devices"
    assert lines[4] == "| device | SoC | DSP | firmware | lab | test |"
    ended = "[✅ 6](logs/{0}/lab.log) | [✅ 2](logs/{0}/test.log)"
    rows = {line.split(" | ")[0]: line for line in lines[6:]}
    assert set(rows) == {f"| {name}" for name in ("two", "phone", "sim")}
    for name in ("two", "phone", "sim"):
        assert rows[f"| {name}"].endswith(f" | {ended.format(name)} |")
        assert "== test/t0: passed (" in (out / f"logs/{name}/test.log").read_text()

    (place.root("two") / "status").write_text("3")
    try:
        done = ann.run(*words, "--log-url", "https://ci.example/job/7/")
    finally:
        (place.root("two") / "status").unlink()

    assert done.returncode == 1
    text = (out / "matrix.md").read_text()
    assert "❌ 2 of 24 tests failed, on 1 of 3 devices" in text
    url = "https://ci.example/job/7/logs/two/test.log"
    assert f"[❌ 2 of 2 failed]({url})" in text
    assert "\n### Since the matrix of 20" in text
    changes = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(changes) == 2
    assert "- ❌ two: test/t0 failed (was passed)" in changes
    assert "```text\nstatus 3\n```" in text


@pytest.mark.long
@pytest.mark.usefixtures("earlier_builds")
def test_a_device_that_is_in_use_stops_no_other(ann: User, place: Lab, tmp_path: Path) -> None:
    with user_of(place, "bob") as bob, bob.holding("two", tmp_path / "end"):
        done = ann.run("test", "--on", "one,two", "add-*", "--junit", str(tmp_path / "x.xml"))

    assert done.returncode == 1
    assert "✗ device/two on two not run: two is in use by bob@" in done.stdout
    on_one = [row for row in ran((tmp_path / "x.xml").read_text()) if row[0] == "one"]
    assert len(on_one) == 3


@pytest.mark.long
def test_parts_of_one_device(ann: User) -> None:
    names = []
    for part in ("1/2", "2/2"):
        words = ("test", "one", "t*", "--shard", part, "--json")
        ran = [test["name"] for test in json.loads(ann.succeeds(*words))["tests"]]
        listed = json.loads(ann.succeeds(*words, "--list"))["tests"]
        assert [test["name"] for test in listed] == ran
        names += ran

    assert sorted(names) == [f"t{number}" for number in range(COUNT)]


@pytest.mark.long
def test_more_parts_than_tests(ann: User) -> None:
    document = json.loads(ann.succeeds("test", "one", "t1", "--shard", "2/2", "--json"))
    assert document["tests"] == []


def test_an_empty_list_of_devices_is_not_sim(ann: User) -> None:
    """As `--on "$DEVICES"` without a value."""
    for command in ("run", "test", "deploy"):
        done = ann.run(command, "--on", "")
        assert done.returncode
        assert "--on: there is no device ''" in done.stderr


def test_what_is_no_part(ann: User) -> None:
    done = ann.run("test", "--shard", "3/2")
    assert done.returncode == 2
    assert "is not a part of the tests" in done.stderr
    for text in ("0/2", "3/2", "1", "1/", "a/b"):
        with pytest.raises(UsageError, match="is not a part of the tests"):
            parse_shard(text)
