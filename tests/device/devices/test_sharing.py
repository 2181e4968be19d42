"""Two users share four devices: locks, `--wait`, and `--on` over real ssh and adb."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.devices.lab import DEVICES, SECONDS, Lab, User, lab, user_of, wait_until
from tests.json_documents import validate
from tests.remote.remote import processes_with

VERIFIED = "lab: scale_add of 1024 and 1001 elements verified against the CPU\n"
IN_USE = r"error: {} is in use by ann@\S+ since \d\d:\d\d \(\d+ s\): bin/lab\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("lab")) as found:
        yield found


@pytest.fixture(scope="module")
def ann(place: Lab) -> Iterator[User]:
    with user_of(place, "ann") as user:
        assert user.succeeds("run", "--on", "all:lab").count(VERIFIED) == len(DEVICES)
        yield user


@pytest.fixture(scope="module")
def bob(place: Lab) -> Iterator[User]:
    with user_of(place, "bob") as user:
        yield user


def refused(user: User, *arguments: str, status: int = 125) -> str:
    done = user.run(*arguments)
    assert done.returncode == status, done.stderr
    return done.stderr


@pytest.mark.parametrize("name", ["one", pytest.param("phone", marks=pytest.mark.long)])
def test_a_device_that_is_in_use_is_refused(
    name: str, ann: User, bob: User, tmp_path: Path
) -> None:
    until = tmp_path / "end"
    with ann.holding(name, until) as process:
        error = refused(bob, "run", name)
        assert re.search(IN_USE.format(name), error), error
        for remedy in ("--wait", "--share", f"buildtool devices unlock {name}"):
            assert remedy in error
        refused(bob, "deploy", name, status=1)
        refused(bob, "rollback", name, status=1)
        document = json.loads(bob.run("run", name, "--json").stdout)
        assert document["error"]["code"] == "device-in-use"
        assert f"\nok {name} is in use by ann@" in bob.run("devices", "check", name).stdout
        assert bob.succeeds("run", name, "--share") == VERIFIED
        refused(bob, "run", name)
        assert bob.succeeds("run", "sim") == VERIFIED
        until.touch()
        assert process.wait(SECONDS) == 0
    assert bob.succeeds("run", name) == VERIFIED


@pytest.mark.parametrize("name", ["one", pytest.param("phone", marks=pytest.mark.long)])
def test_waiting_for_a_device(name: str, ann: User, bob: User, tmp_path: Path) -> None:
    until = tmp_path / "end"
    with ann.holding(name, until):
        error = refused(bob, "run", name, "--wait=1s")
        assert "it was not released in 1 s" in error
        killed = bob.start("run", name, "--wait", "forever")
        assert killed.stderr
        assert "waiting for" in killed.stderr.readline()
        killed.kill()
        killed.communicate()
        waiting = bob.start("run", name, "--wait", "forever")
        assert waiting.stderr
        assert f"waiting for {name}, in use by ann@" in waiting.stderr.readline()
        until.touch()
        assert waiting.communicate(timeout=SECONDS)[0] == VERIFIED
    assert waiting.returncode == 0


@pytest.mark.parametrize("name", ["one", pytest.param("phone", marks=pytest.mark.long)])
@pytest.mark.parametrize("holder", ["run", pytest.param("devices lock", marks=pytest.mark.long)])
def test_the_lock_of_a_client_that_was_killed_is_freed(
    name: str, holder: str, ann: User, bob: User, tmp_path: Path
) -> None:
    if holder == "run":
        with ann.holding(name, tmp_path / "never") as process:
            refused(bob, "run", name)
            process.kill()
            process.wait()
            assert bob.succeeds("run", name, "--wait=20s") == VERIFIED
    else:
        process = ann.start("devices", "lock", name, "--", "sh", "-c", "echo held; exec sleep 100")
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        refused(bob, "run", name)
        process.kill()
        process.communicate()
        assert bob.succeeds("run", name, "--wait=20s") == VERIFIED


@pytest.mark.parametrize("name", ["one", pytest.param("phone", marks=pytest.mark.long)])
def test_a_program_on_a_terminal_that_is_closed_ends_with_its_lock(
    name: str, ann: User, bob: User, tmp_path: Path
) -> None:
    ours, theirs = os.openpty()
    program = ("bin/lab", "wait", f"{tmp_path}/never")
    process = subprocess.Popen(
        ["setsid", "--ctty", *ann.command("run", name, "--tty", "--", *program)],
        cwd=ann.root,
        env={**os.environ, **ann.environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while b"waiting" not in shown:
        shown += os.read(ours, 4096)
    refused(bob, "run", name)
    os.close(ours)
    assert bob.succeeds("run", name, "--wait=20s") == VERIFIED
    process.wait(SECONDS)
    wait_until(lambda: not processes_with(f"{tmp_path}/never"))


def test_a_lock_from_before_a_reboot_is_stale(
    place: Lab, ann: User, bob: User, tmp_path: Path
) -> None:
    with ann.holding("two", tmp_path / "never"):
        place.boards["two"].reboot()
        assert bob.succeeds("run", "two") == VERIFIED


def test_a_lock_for_a_command(ann: User, bob: User, tmp_path: Path) -> None:
    run = shlex.join(ann.command("run", "one"))
    script = f"{run}; until [ -e {tmp_path}/end ]; do sleep 0.1; done; exit 7"
    process = ann.start("devices", "lock", "one", "--", "sh", "-c", script)
    try:
        assert process.stdout
        assert process.stdout.readline() == VERIFIED
        assert "in use by ann@" in refused(bob, "run", "one")
        assert bob.succeeds("devices", "unlock", "one").startswith(
            "one is free now; it was in use by ann@"
        )
        assert bob.succeeds("run", "one") == VERIFIED
        document = json.loads(bob.succeeds("devices", "unlock", "one", "--json"))
        validate("devices-unlock", document)
        assert document["holder"] is None
    finally:
        (tmp_path / "end").touch()
        process.communicate(timeout=SECONDS)
    assert process.returncode == 7


@pytest.mark.long
@pytest.mark.parametrize(("name", "status"), [("missing", 127), ("text", 126)])
def test_a_lock_for_a_command_that_cannot_be_started(
    name: str, status: int, ann: User, bob: User, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("not a program")
    error = refused(ann, "devices", "lock", "one", "--", f"{tmp_path}/{name}", status=status)
    assert error.startswith(f"error: {tmp_path}/{name} could not be started\n")
    assert bob.succeeds("run", "one") == VERIFIED


def test_a_run_that_changes_nothing_is_one_session(place: Lab, ann: User) -> None:
    log = place.boards["three"].log
    assert ann.succeeds("run", "three") == VERIFIED
    before = log.read_text().count("Starting session")
    assert ann.succeeds("run", "three") == VERIFIED
    assert log.read_text().count("Starting session") == before + 1


def test_several_devices_run_in_parallel(ann: User, tmp_path: Path) -> None:
    printed = ann.succeeds("run", "--on", "all:lab", "--", "bin/lab", "meet", str(tmp_path), "4")
    for name in DEVICES:
        assert f"{name:<5} | without a line break\n" in printed
        assert f"{name:<5} | all are there\n" in ann.messages
    table = printed.splitlines()[-5:]
    assert table[0].split() == ["device", "release", "status", "seconds"]
    rows = [line.split() for line in table[1:]]
    assert [row[0] for row in rows] == [*DEVICES]
    assert {row[2] for row in rows} == {"0"}
    assert len({row[1] for row in rows}) == 1


def test_one_device_fails_and_the_others_finish(place: Lab, ann: User, bob: User) -> None:
    (place.root("two") / "status").write_text("3")
    unreachable = ann.root / "devices.toml"
    unreachable.write_text('[device.gone]\ntransport = "ssh"\naddress = "gone.invalid"\n')
    try:
        command = ("run", "--on", "one,two,gone,sim:sm8550,phone", "--json", "--", "bin/lab")
        done = ann.run(*command, "status")
        assert done.returncode == 1
        document = json.loads(done.stdout)
        validate("run", document)
        assert not document["ok"]
        rows = {row["device"]: row for row in document["devices"]}
        found = {name: row["status"] for name, row in rows.items()}
        assert found == {"one": 0, "two": 3, "gone": 125, "sim:SM8550": 0, "phone": 0}
        assert rows["gone"]["document"]["error"]["code"] == "connection"
        assert rows["one"]["document"]["device"] == "one"
        assert "two        | status 3\n" in done.stderr
        assert "gone       | error: " in done.stderr
    finally:
        unreachable.unlink()
        (place.root("two") / "status").unlink()

    deployed = bob.run("deploy", "--on", "one,phone")
    assert deployed.returncode == 0, deployed.stderr
    assert re.search(r"^phone \| phone: sim [0-9a-f]+ is current ", deployed.stdout, re.MULTILINE)


def test_a_tag_takes_a_device_that_is_free(ann: User, bob: User, tmp_path: Path) -> None:
    with ann.holding("one", tmp_path / "1"), ann.holding("two", tmp_path / "2"):
        printed = bob.succeeds("run", "--on", "tag:board,phone", "--", "bin/lab", "status")
        assert [line.split()[0] for line in printed.splitlines()[-2:]] == ["three", "phone"]
        assert "was lost" not in bob.messages
        printed = bob.succeeds("run", "--on", "tag:v75", "--", "bin/lab", "status")
        assert printed.splitlines()[-1].startswith("three ")  # by its facts
        with ann.holding("three", tmp_path / "3"):
            error = refused(bob, "run", "--on", "tag:board")
            assert "error: no device with the tag 'board' is free\n" in error
            assert "three is in use by ann@" in error
            waiting = bob.start("run", "--on", "tag:board", "--wait", "forever")
            assert waiting.stderr
            assert "waiting for a device with the tag 'board'" in waiting.stderr.readline()
            (tmp_path / "2").touch()
            assert "two | lab: scale_add" in waiting.communicate(timeout=SECONDS)[0]
    assert waiting.returncode == 0
    assert "there is no run 'one'" in refused(bob, "run", "one", "--on", "two")
    assert "--on cannot be used with --tty" in refused(bob, "run", "-t", "--on", "two")
    assert "has the tag 'none'" in refused(bob, "run", "--on", "tag:none")
    assert "Did you mean 'three'?" in refused(bob, "run", "--on", "thre")


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.long),
        pytest.param(signal.SIGKILL, marks=pytest.mark.long),
    ],
)
def test_ending_a_command_on_several_devices(
    number: signal.Signals, ann: User, tmp_path: Path
) -> None:
    process = ann.start(
        *("run", "--on", "one,phone,sim", "--", "bin/lab", "wait", f"{tmp_path}/never")
    )
    assert process.stdout
    for _ in range(3):
        assert process.stdout.readline().endswith("| waiting\n")
    begun = time.monotonic()
    os.kill(process.pid, number)
    printed = process.communicate(timeout=SECONDS)[0]
    assert time.monotonic() - begun < 30
    if number == signal.SIGKILL:
        assert process.returncode == -number
    else:
        assert process.returncode == 130
        assert len(re.findall(r" 130 ", printed)) == 3
    wait_until(lambda: not processes_with(f"{tmp_path}/never"))
    assert ann.succeeds("run", "one", "--wait=20s") == VERIFIED
