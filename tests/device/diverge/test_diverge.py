"""`run --record-calls` and `diverge`, on the emulated device, and on boards over ssh and adb."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from buildtool.run.recorded.recording import Kind, Recording, RecordingError
from tests.device.diverge.conftest import BUILD_REFERENCE, REFERENCE, wrong
from tests.device.remote.served import Place, placed
from tests.json_documents import validate
from tests.project import Project


@pytest.fixture(
    scope="module",
    params=["ssh", pytest.param("adb", marks=pytest.mark.long)],
)
def place(
    request: pytest.FixtureRequest,
    calling_project: Project,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Place]:
    with placed(request.param, calling_project, tmp_path_factory.mktemp("device")) as place:
        yield place


@pytest.fixture(scope="module")
def recorded(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The calls of a run that was right, and which says the same as one that is not recorded."""
    return record(place, tmp_path_factory)


@pytest.fixture(scope="module")
def sim(project_on_sim: Project) -> Place:
    return Place("sim", project_on_sim, "sim")


@pytest.fixture(scope="module")
def recorded_on_sim(sim: Place, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(sim, tmp_path_factory)


def record(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("recorded") / "run.calls"
    project, program = place.project, ("--", "bin/my-project")
    plain = project.succeeds("run", place.device, *program)
    assert project.succeeds("run", place.device, "--record-calls", str(file), *program) == plain
    return file


@contextlib.contextmanager
def wrong_call(project: Project, call: int, unwritten: int = -1) -> Iterator[None]:
    wrong(project, call, unwritten)
    try:
        yield
    finally:
        wrong(project, -1)


def diverged(place: Place, file: Path, *options: str, status: int) -> dict[str, Any]:
    done = place.project.run("diverge", str(file), "--on", place.device, "--json", *options)
    assert done.returncode == status, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    validate("diverge", document)
    return document


def all_calls_are_recorded_and_nothing_differs(place: Place, recorded: Path) -> None:
    recording = Recording(recorded)
    assert not recording.cut
    assert recording.left_out == 0
    assert len(recording.asked) == 502
    found = diverged(place, recorded, status=0)
    assert found["first"] is None
    assert (found["compared"], found["missing"]) == (502, 0)
    assert {row["method"]: (row["calls"], row["equal"]) for row in found["methods"]} == {
        "my_project_dsp_add": (125, 125),
        "my_project_dsp_twice": (125, 125),
        "my_project_dsp_mix": (125, 125),
        "my_project_dsp_connect": (1, 1),
        "my_project_dsp_leave": (1, 1),
        "messages": (125, 125),
    }


def test_on_a_board_all_calls_are_recorded_and_a_wrong_one_is_named(
    place: Place, recorded: Path
) -> None:
    all_calls_are_recorded_and_nothing_differs(place, recorded)
    with wrong_call(place.project, 321):
        found = diverged(place, recorded, "--as", "u16", status=1)
    assert (found["first"]["call"], found["first"]["element"]) == (322, 6100)


def test_all_calls_are_recorded_and_nothing_differs(sim: Place, recorded_on_sim: Path) -> None:
    all_calls_are_recorded_and_nothing_differs(sim, recorded_on_sim)


@pytest.mark.parametrize(
    "expected",
    [
        (320, "my_project_dsp_add", "output", "sum", 17, 328.5, 328.75),
        (321, "my_project_dsp_twice", "memory", "of descriptor 3", 6100, 4521, 4522),
        (323, "messages", "answer", "answer", 0, 969, 970),
    ],
)
def test_a_wrong_lane_in_one_call_is_named(
    sim: Place, recorded_on_sim: Path, expected: tuple[object, ...]
) -> None:
    call, method, where, *rest = expected
    assert isinstance(call, int)
    type_ = {"memory": "u16", "answer": "i32"}.get(str(where), "u8")
    with wrong_call(sim.project, call):
        found = diverged(sim, recorded_on_sim, "--as", type_, status=1)
    first = found["first"]
    # Number 1 is the call that connects the queue.
    assert (first["call"], first["method"], first["where"]) == (call + 1, method, where)
    assert [first[key] for key in ("name", "element", "recorded", "other")] == rest
    assert (first["differ"], sum(row["differ"] for row in found["methods"])) == (1, 1)


def test_what_a_method_does_not_write_is_named(sim: Place, recorded_on_sim: Path) -> None:
    with wrong_call(sim.project, -1, unwritten=320):
        first = diverged(sim, recorded_on_sim, status=1)["first"]
    assert (first["call"], first["element"], first["unwritten"]) == (321, 17, True)
    assert struct.pack("<f", first["other"]) == b"\x7e" * 4


def test_messages_have_a_reference(
    sim: Place, recorded_on_sim: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    options = ("--reference", "libmessages_ref.so", "--as", "i32")
    found = diverged(sim, recorded_on_sim, *options, status=0)
    assert (found["compared"], found["missing"], found["unknown"]) == (125, 0, 377)
    with wrong_call(sim.project, 323):
        wrongly_recorded = record(sim, tmp_path_factory)
        first = diverged(sim, wrongly_recorded, *options, status=1)["first"]
    assert (first["call"], first["where"]) == (324, "answer")
    assert (first["recorded"], first["other"]) == (970, 969)
    done = sim.project.run("diverge", str(recorded_on_sim), "--reference", "ggml")
    assert (done.returncode, "the project has no ggml-hexagon" in done.stderr) == (2, True)


def test_another_arch_and_a_revision_answer_alike(sim: Place, recorded_on_sim: Path) -> None:
    project = sim.project
    for options in (("--soc", "SM8750"), ("--chained",)):
        assert diverged(sim, recorded_on_sim, *options, status=0)["compared"] == 502
    git = ("git", "-C", str(project.root), "-c", "user.name=n", "-c", "user.email=n@localhost")
    subprocess.run((*git, "init", "-q"), check=True)
    subprocess.run((*git, "add", "."), check=True)
    subprocess.run((*git, "commit", "-qm", "right"), check=True)
    with wrong_call(project, 320):
        assert diverged(sim, recorded_on_sim, "--against", "HEAD", status=0)["compared"] == 502
        subprocess.run((*git, "commit", "-qam", "wrong"), check=True)
        found = project.succeeds("bisect", "HEAD~1", "HEAD", "--diverges", str(recorded_on_sim))
    assert "first bad commit: " in found
    assert "call 321: my_project_dsp_add(number=320" in found


def test_the_call_that_differs_becomes_a_test(sim: Place, recorded_on_sim: Path) -> None:
    project, file = sim.project, sim.project.root / "first.calls"
    before = (project.root / "buildtool.toml").read_text()
    added = '[test.first]\ncalls = "first.calls"\n[compare.my_project_dsp_twice]\n'
    for call, method in ((321, "my_project_dsp_twice"), (323, "messages")):
        with wrong_call(project, call):
            diverged(sim, recorded_on_sim, "--write-test", str(file), status=1)
            case = Recording(file)
            assert (len(case.asked) < 260, case.asked[-1].number) == (True, call + 1)
            # The skel counts its calls, of which the test has one.
            project.write("buildtool.toml", f'{before}\n{added}ignore = ["calls"]\n')
            bad = project.run("test", "sim", "calls/first")
        good = project.run("test", "sim", "calls/first")
        project.write("buildtool.toml", before)
        assert good.returncode == 0, good.stderr
        assert bad.returncode == 1
        assert f"call {call + 1}: {method}" in bad.stderr


def test_limits_leave_out_what_is_counted(sim: Place, tmp_path: Path) -> None:
    for options, kept in (
        (("--record-first", "7"), 7),
        (("--record-methods", "my_project_dsp_add"), 10),
        (("--record-methods", "messages", "--record-methods", "my_project_dsp_connect"), 11),
    ):
        file = tmp_path / "run.calls"
        words = ("--record-calls", str(file), *options, "--", "bin/my-project", "40")
        sim.project.succeeds("run", sim.device, *words)
        recording = Recording(file)
        assert (len(recording.asked), recording.left_out) == (kept, 42 - kept), options
    words = ("--record-calls", str(file), "--record-limit", "80K", "--", "bin/my-project", "40")
    sim.project.succeeds("run", sim.device, *words)
    assert file.stat().st_size < 160_000
    recording = Recording(file)
    assert 0 < len(recording.asked) == 42 - recording.left_out


def test_a_program_that_ends_leaves_its_calls(sim: Place, tmp_path: Path) -> None:
    file = tmp_path / "run.calls"
    words = ("-e", "ENDS_AT=25", "--record-calls", str(file), "--", "bin/my-project")
    assert sim.project.run("run", sim.device, *words).returncode == 9
    assert len(Recording(file).asked) == 26


def test_a_recording_without_its_end_is_repeated(
    sim: Place, recorded_on_sim: Path, tmp_path: Path
) -> None:
    file = tmp_path / "cut.calls"
    file.write_bytes(recorded_on_sim.read_bytes()[:-10001])
    recording = Recording(file)
    assert recording.cut
    found = diverged(sim, file, status=0)
    assert found["compared"] in (len(recording.asked), len(recording.asked) - 1)


def test_an_unknown_method_is_refused(sim: Place, tmp_path: Path) -> None:
    words = ("--record-calls", str(tmp_path / "x"), "--record-methods", "my_project_dsp_sub")
    done = sim.project.run("run", sim.device, *words)
    assert done.returncode == 125
    assert "there is no method 'my_project_dsp_sub'" in done.stderr
    assert "my_project_dsp_add" in done.stderr


def test_another_file_is_no_recording(sim: Place, tmp_path: Path) -> None:
    file = tmp_path / "x.calls"
    file.write_bytes(b"something else, of some length")
    done = sim.project.run("diverge", str(file))
    assert done.returncode == 125
    assert f"{file} is no recording of calls that can be read" in done.stderr


def test_a_recording_without_calls_proves_nothing(sim: Place, tmp_path: Path) -> None:
    file = tmp_path / "x.calls"
    file.write_bytes(b"BTRECRD1" + bytes(8))
    done = sim.project.run("diverge", str(file))
    assert done.returncode == 125
    assert f"{file} has no calls to repeat" in done.stderr


def test_two_recordings_are_not_repeated(sim: Place, recorded_on_sim: Path) -> None:
    both = (str(recorded_on_sim), str(recorded_on_sim))
    assert sim.project.succeeds("diverge", *both).endswith("0 of 502 calls and messages differ\n")
    done = sim.project.run("diverge", *both, "--against", "HEAD")
    assert (done.returncode, "without repeating calls" in done.stderr) == (2, True)


def test_damaged_recordings_are_errors(sim: Place, recorded_on_sim: Path, tmp_path: Path) -> None:
    whole = recorded_on_sim.read_bytes()
    file = tmp_path / "damaged.calls"
    chance = random.Random(1)
    heads = [start - 8 for _, start, _ in Recording(recorded_on_sim).chunks()]
    refused = 0
    for number in range(1000):
        data = bytearray(whole[: chance.choice(heads[5:60])])
        for _ in range(chance.randint(1, 3)):
            at = chance.choice(heads[:60]) + 4 * chance.randint(0, 9)
            value = chance.choice((0, 1, 31, 4095, 1 << 16, (1 << 31) - 1, (1 << 32) - 1))
            data[at : at + 4] = struct.pack("<I", value)
        file.write_bytes(data[: len(data) - 4 * (number % 3)])
        try:
            recording = Recording(file)
        except RecordingError:
            refused += 1
        else:
            assert len(recording.asked) <= 60
    assert refused > 300


def test_a_killed_program_leaves_whole_calls(sim: Place, tmp_path: Path) -> None:
    logs = sim.project.root / ".buildtool" / "device"
    chance = random.Random(2)
    for number in range(5):
        words = (sys.executable, "-m", "buildtool", "run", "sim", "--record-calls")
        with subprocess.Popen(
            (*words, str(tmp_path / "x"), "--", "bin/my-project", "100000"),
            cwd=sim.project.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as running:
            while not (found := sorted(logs.rglob("*.calls-recorded"))) or (
                found[-1].stat().st_size < 200_000
            ):
                assert running.poll() is None
                time.sleep(0.01)
            time.sleep(chance.random() / 4)
            running.send_signal(signal.SIGKILL)
        recording = Recording(found[-1])
        assert len(recording.asked) > number
        kinds = {kind for kind, _, _ in recording.chunks()}
        assert {Kind.CALL, Kind.RETURN, Kind.CHANGED, Kind.PAGES} <= kinds
        found[-1].unlink()


def test_a_library_for_the_processor_is_a_reference(tmp_path: Path) -> None:
    project = Project(tmp_path / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    cmake = (project.root / "host/CMakeLists.txt").read_text()
    project.write("host/CMakeLists.txt", cmake + BUILD_REFERENCE)
    words = ("diverge", "run.calls", "--reference", "libkernels_ref.so")
    for element, status in ((-1, 0), (1000, 1)):
        project.write("host/src/kernels_ref.c", f"#define WRONG_ELEMENT {element}\n{REFERENCE}")
        project.succeeds("run", "sim", "--record-calls", "run.calls")
        done = project.run(*words)
        assert done.returncode == status, done.stderr
    assert "output result[1000] (i16): -11069 was recorded, now -11068\n" in done.stdout
    assert "is in call 1: my_project_dsp_scale_add(factor=3, aLen=1024" in done.stdout
    done = project.run(*words[:-1], "libk.so")
    assert (done.returncode, "libkernels_ref.so in lib/" in done.stderr) == (2, True)
