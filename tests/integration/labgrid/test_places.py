"""Two users share three places of a real labgrid; the devices are real sshds."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.device.docs.test_docs import blocks
from tests.integration.labgrid.coordinator import (
    SECONDS,
    TAGS,
    Coordinator,
    coordinator,
    ssh_client,
    wait_until,
)
from tests.remote.boards import end_connections
from tests.remote.fixtures import SshServers
from tests.remote.remote import processes_with
from tests.remote.sshd import SshServer
from tests.remote.tool_sets import Tools

EVIL = {"NetworkService": {"address": "127.0.0.1", "username": "-oProxyCommand=touch x"}}
HELD = ["sh", "-c", "echo held; exec sleep 100"]


class User:
    """A user of the lab: `variables` are those of the environment."""

    def __init__(self, name: str, home: Path, variables: dict[str, str]) -> None:
        configuration = home / "buildtool" / "devices.toml"
        configuration.parent.mkdir(parents=True)
        table = '[device.{0}]\ntransport = "ssh"\nvia = "labgrid:{0}"\ntags = ["lab"]\n'
        configuration.write_text("\n".join(map(table.format, TAGS)))
        self.devices = configuration
        own = {"XDG_CONFIG_HOME": str(home), "LG_USERNAME": name, "LG_HOSTNAME": "laptop"}
        self.environment = {**os.environ, **variables, **own, "COLUMNS": "80"}

    @contextlib.contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """`buildtool ARGUMENTS...`, which is asked to end at the end of the block."""
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "buildtool", *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.terminate()

    def run(self, *arguments: str) -> tuple[int, str, str]:
        with self.running(*arguments) as process:
            output, messages = process.communicate(timeout=SECONDS)
        return process.returncode, output, messages

    @contextlib.contextmanager
    def holding(self, name: str, *options: str) -> Iterator[subprocess.Popen[str]]:
        """`devices lock` with a command that does not end."""
        with self.running("devices", "lock", name, *options, "--", *HELD) as process:
            assert process.stdout
            assert process.stdout.readline() == "held\n"
            yield process


class Lab:
    def __init__(self, labgrid: Coordinator, servers: dict[str, SshServer], ssh: Path) -> None:
        self.labgrid, self.servers = labgrid, servers
        self.variables = labgrid.variables
        self.variables["PATH"] = f"{ssh}:{self.variables['PATH']}"


@pytest.fixture(scope="module")
def lab(ssh_servers: SshServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    directory = tmp_path_factory.mktemp("lab")
    tools: tuple[Tools, ...] = ("coreutils", "busybox", "toybox")
    servers = {name: ssh_servers(each) for name, each in zip(TAGS, tools, strict=True)}
    ssh = ssh_client(directory / "ssh", servers)
    with (
        coordinator(directory / "labgrid", servers, evil=EVIL) as labgrid,
        tempfile.TemporaryDirectory(prefix="ssh-") as sockets,
    ):
        found = Lab(labgrid, servers, ssh)
        found.variables["XDG_RUNTIME_DIR"] = sockets
        yield found
        end_connections(Path(sockets))


@pytest.fixture
def ann(lab: Lab, tmp_path: Path) -> User:
    return User("ann", tmp_path / "ann", lab.variables)


@pytest.fixture
def bob(lab: Lab, tmp_path: Path) -> User:
    return User("bob", tmp_path / "bob", lab.variables)


@pytest.fixture(autouse=True)
def _nobody_holds_what_nobody_uses(lab: Lab) -> Iterator[None]:
    yield
    wait_until(lambda: not lab.labgrid.holding())
    assert not lab.labgrid.holders()
    assert not any(map(held_on_device, lab.servers.values()))


def held_on_device(server: SshServer) -> dict[int, str]:
    """The scripts on a device that hold its lock for a command."""
    found = processes_with(str(server.device.home))
    return {process: line for process, line in found.items() if "device_lock" in line}


def test_a_place_is_acquired_while_a_command_uses_it(lab: Lab, ann: User, bob: User) -> None:
    with ann.holding("q6a"):
        holder = lab.labgrid.holders()["q6a"]
        assert re.fullmatch(r"ann@laptop\+buildtool-\w{8}-\d+-\w{6}", holder)
        assert held_on_device(lab.servers["q6a"])
        status, _, messages = bob.run("devices", "facts", "q6a")
        assert status == 1
        assert messages.startswith(
            "error: the place q6a of labgrid is acquired by ann@laptop with buildtool\n"
        )
        assert "--wait forever" in messages
        table = bob.run("devices")[1]
        assert re.search(r"^q6a +ssh +in use by ann@laptop with buildtool", table, re.MULTILINE)
        assert re.search(r"^s21 +ssh +free", table, re.MULTILINE)


def test_somebody_waits_for_the_place_of_a_command_that_is_killed(
    lab: Lab, ann: User, bob: User
) -> None:
    waits = ("devices", "lock", "q6a", "--wait", "forever", "--", "echo", "mine")
    with ann.holding("q6a") as first, bob.running(*waits) as other:
        assert other.stderr
        told = "waiting for the place q6a of labgrid, acquired by ann@laptop with buildtool"
        assert told in other.stderr.readline()
        first.kill()
        assert other.communicate(timeout=SECONDS)[0] == "mine\n"
    assert other.returncode == 0


SELECT = """
import sys
from buildtool.device.selection import select_devices
from buildtool.device.selection import ReservedDevices
for text in sys.argv[1:]:
    with ReservedDevices(None, "test", print) as reserved:
        print(*select_devices(text, None, reserved.reserve, print))
        for name, lock in reserved.locks.items():
            lock.release()
            lock.device.leave()
"""


def test_places_are_found_by_their_tags(lab: Lab, ann: User) -> None:
    lab.labgrid.client("-p", "q6a", "acquire", user="bob")
    texts = ("tag:soc=sm8650", "tag:arch=v68", "all:arch=v68")
    done = subprocess.run(
        [sys.executable, "-P", "-c", SELECT, *texts],
        env=ann.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["hdk", "s21", "q6a s21"]
    assert lab.labgrid.holders() == {"q6a": "bob@desk"}
    lab.labgrid.client("-p", "q6a", "release", user="bob")


def test_a_command_ends_with_the_coordinator(lab: Lab, ann: User) -> None:
    with ann.holding("q6a") as process:
        lab.labgrid.stop()
        _, messages = process.communicate(timeout=SECONDS)
        wait_until(lambda: not held_on_device(lab.servers["q6a"]))
        lab.labgrid.start()
    assert process.returncode == 1
    assert messages.startswith("error: the place q6a of labgrid is no longer held by this command")
    assert "the connection to the coordinator has ended" in messages


def test_errors_say_what_to_do(lab: Lab, ann: User) -> None:
    ann.devices.write_text(
        '[device.x]\ntransport = "ssh"\nvia = "labgrid:q6"\n'
        '[device.evil]\ntransport = "ssh"\nvia = "labgrid:evil"\n'
    )
    status, _, messages = ann.run("devices", "facts", "x")
    assert status == 1
    names = "evil, hdk, q6a, s21"
    assert messages.startswith(f"error: labgrid has no place 'q6'\n  its places: {names}\n")
    status, _, messages = ann.run("devices", "facts", "evil")
    assert status == 2
    assert messages.startswith("error: '-oProxyCommand=touch x@127.0.0.1' cannot be the host")
    ann.environment["LG_COORDINATOR"] = "127.0.0.1:1"
    messages = ann.run("devices", "facts", "x")[2]
    assert "Could not connect to coordinator: 127.0.0.1:1\n" in messages
    assert "LG_COORDINATOR=HOST:PORT" in messages
    ann.environment["PATH"] = "/usr/bin:/bin"
    assert "error: labgrid-client is not installed\n" in ann.run("devices", "facts", "x")[2]


def test_the_commands_of_the_page_work(lab: Lab, ann: User) -> None:
    text = (REPOSITORY / "docs" / "labs.md").read_text(encoding="utf-8")
    [table] = blocks(text, "toml")
    ann.devices.write_text(table)
    ann.environment["PATH"] = f"{Path(sys.executable).parent}:{ann.environment['PATH']}"
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(blocks(text, "shell"))],
        env=ann.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nq6a     ssh        free" in done.stdout
    assert "\nuser        " in done.stdout
    assert "\n  acquired: laptop+buildtool-" in done.stdout


@pytest.mark.long
def test_a_place_that_is_acquired_by_hand_is_used_and_stays_acquired(
    lab: Lab, ann: User, bob: User
) -> None:
    lab.labgrid.client("-p", "q6a", "acquire", user="ann", host="laptop")
    try:
        assert ann.run("devices", "facts", "q6a")[0] == 0
        assert lab.labgrid.holders() == {"q6a": "ann@laptop"}
        assert "acquired by ann@laptop\n" in bob.run("devices", "facts", "q6a")[2]
    finally:
        lab.labgrid.client("-p", "q6a", "release", user="ann", host="laptop")


@pytest.mark.long
def test_a_place_that_somebody_has_reserved_is_not_acquired(lab: Lab, ann: User) -> None:
    printed = lab.labgrid.client("reserve", "--shell", "soc=sm8650", user="bob")
    assert "Place hdk was not reserved for laptop+" in ann.run("devices", "facts", "hdk")[2]
    lab.labgrid.client("cancel-reservation", printed.strip().rpartition("=")[2], user="bob")
    assert ann.run("devices", "facts", "hdk")[0] == 0


@pytest.mark.long
def test_what_a_command_starts_uses_its_place(lab: Lab, ann: User) -> None:
    inner = (sys.executable, "-P", "-m", "buildtool", "devices", "facts", "q6a")
    status, output, messages = ann.run("devices", "lock", "q6a", "--", *inner)
    assert (status, messages) == (0, "")
    assert "user        " in output


@pytest.mark.long
def test_a_command_ends_when_its_place_is_released_by_others(lab: Lab, ann: User) -> None:
    with ann.holding("q6a") as process:
        lab.labgrid.client("-p", "q6a", "release", "--kick")
        _, messages = process.communicate(timeout=SECONDS)
    assert "it is now acquired by: nobody" in messages


@pytest.mark.long
def test_a_command_ends_with_the_process_that_holds_its_place(lab: Lab, ann: User) -> None:
    with ann.holding("q6a") as process:
        [holder] = lab.labgrid.holding("q6a")
        os.kill(holder, signal.SIGKILL)
        _, messages = process.communicate(timeout=SECONDS)
    assert "the process that held it was killed" in messages


@pytest.mark.long
def test_a_place_of_processes_that_were_all_killed_is_freed_by_the_next_command(
    lab: Lab, ann: User, bob: User
) -> None:
    with ann.holding("q6a") as process:
        [holder] = lab.labgrid.holding("q6a")
        process.send_signal(signal.SIGSTOP)
        os.kill(holder, signal.SIGKILL)
        process.kill()
        process.wait()
    assert lab.labgrid.holders()
    assert "acquired by ann@laptop with buildtool" in bob.run("devices", "facts", "q6a")[2]
    assert ann.run("devices", "facts", "q6a")[0] == 0
