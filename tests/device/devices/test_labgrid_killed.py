"""Two users of three places of labgrid, whose processes are killed, and whose coordinator restarts.

Programs write the time while they run; a monitor of labgrid notes when places are released.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.device.devices.lab import BOARDS, SECONDS, Lab, User, lab, user_of, wait_until
from tests.integration.labgrid.coordinator import BIN, Coordinator, coordinator
from tests.remote.remote import processes_with

TABLE = '[device.{0}]\ntransport = "ssh"\naddress = "{0}"\nvia = "labgrid:{0}"\nroot = "{1}"\n'


class Monitor:
    """What labgrid-client's monitor tells: `acquired` are the holders of places, `released` the
    times at which places were released."""

    def __init__(self, labgrid: Coordinator) -> None:
        self._labgrid = labgrid
        self.acquired: dict[str, str] = {}
        self.released: dict[str, list[int]] = {name: [] for name in BOARDS}
        self._process = subprocess.Popen(
            [BIN / "labgrid-client", "monitor"],
            env={**os.environ, **labgrid.variables, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        # It tells of what changes after it has subscribed.
        comments = 0
        while not self._lines:
            comments += 1
            labgrid.client("-p", "one", "set-comment", str(comments))

    _lines = 0

    def _read(self) -> None:
        place = ""
        assert self._process.stdout
        for line in self._process.stdout:
            now = time.monotonic_ns()
            self._lines += 1
            if event := re.match(r"(?:Place|Resource) (\S+)", line):
                place = event[1]
            elif place in BOARDS and (change := re.match(r"  acquired: (\S+) -> (\S+)", line)):
                self.acquired[place] = change[2]
                if change[2] == "None":
                    self.released[place].append(now)

    def holder(self, name: str) -> str:
        """HOST/USER who has the place, "None" for nobody."""
        return self.acquired.get(name, "None")

    def processes(self, name: str) -> list[int]:
        """The processes that hold the place."""
        return self._labgrid.holding(name)

    def stop(self) -> None:
        with self._process:
            self._process.kill()
            self._thread.join()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("lab")) as found:
        yield found


@pytest.fixture(scope="module")
def labgrid(place: Lab) -> Iterator[Coordinator]:
    with coordinator(place.directory / "labgrid", place.boards) as found:
        yield found


@contextlib.contextmanager
def member_of(place: Lab, labgrid: Coordinator, name: str) -> Iterator[User]:
    with user_of(place, name) as user:
        variables = {**labgrid.variables, "PATH": f"{user.variables['PATH']}:{BIN}"}
        user.variables |= {**variables, "LG_USERNAME": name, "LG_HOSTNAME": "laptop"}
        devices = Path(user.variables["XDG_CONFIG_HOME"], "buildtool", "devices.toml")
        tables = [TABLE.format(each, place.root(each)) for each in BOARDS]
        devices.write_text("\n".join(tables), encoding="utf-8")
        yield user


@pytest.fixture(scope="module")
def ann(place: Lab, labgrid: Coordinator) -> Iterator[User]:
    with member_of(place, labgrid, "ann") as user:
        user.succeeds("deploy", "--on", "one,two,three")
        yield user


@pytest.fixture(scope="module")
def bob(place: Lab, labgrid: Coordinator) -> Iterator[User]:
    with member_of(place, labgrid, "bob") as user:
        yield user


@pytest.fixture
def monitor(labgrid: Coordinator) -> Iterator[Monitor]:
    found = Monitor(labgrid)
    yield found
    found.stop()


class Run:
    """A program of `user` on the device `name`, which runs until `end`."""

    def __init__(self, user: User, name: str, folder: Path) -> None:
        folder.mkdir()
        self.name, self.until, self._beats = name, folder / "until", folder / "beats"
        program = ("bin/lab", "wait", str(self.until), str(self._beats))
        self.process = user.start("run", name, "--wait", "forever", "--", *program)

    @property
    def beats(self) -> list[int]:
        """The times at which the program ran; the last line may be incomplete."""
        with contextlib.suppress(FileNotFoundError):
            return [int(line) for line in self._beats.read_text().splitlines()[:-1]]
        return []

    def has_begun(self) -> bool:
        return bool(self.beats)

    @property
    def on_device(self) -> dict[int, str]:
        """The processes of the program."""
        return {p: c for p, c in processes_with(str(self._beats)).items() if "buildtool" not in c}


Start = Callable[[User, str], Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program of a user on a device; it is killed at the end."""
    with contextlib.ExitStack() as stack:

        def start_(user: User, name: str) -> Run:
            run = Run(user, name, tmp_path / f"{name} of {user.root.parent.name}")
            stack.enter_context(run.process)
            stack.callback(run.process.kill)
            return run

        yield start_


def test_a_program_ends_before_another_coordinator_gives_its_place_away(
    labgrid: Coordinator, ann: User, bob: User, start: Start
) -> None:
    run = start(ann, "one")
    wait_until(run.has_begun)
    labgrid.stop()
    assert run.process.wait(SECONDS) == 125
    assert not run.on_device
    ended = time.monotonic_ns()
    labgrid.start()
    assert run.beats[-1] < ended
    assert run.process.stderr
    assert "the connection to the coordinator has ended" in run.process.stderr.read()
    assert bob.run("run", "one").returncode == 0


def _acquires(run: Run, monitor: Monitor) -> bool:
    return bool(monitor.processes(run.name))


def _acquired(run: Run, monitor: Monitor) -> bool:
    return monitor.holder(run.name) != "None"


def _connects(run: Run, monitor: Monitor) -> bool:
    return _acquired(run, monitor) and bool(processes_with("BUILDTOOL_EXEC"))


def _runs(run: Run, _: Monitor) -> bool:
    return bool(run.beats)


def _ends(run: Run, _: Monitor) -> bool:
    if run.beats:
        run.until.touch()
    return run.until.exists() and not run.on_device


def _releases(run: Run, monitor: Monitor) -> bool:
    return _ends(run, monitor) and monitor.holder(run.name) == "None"


PHASES = (_acquires, _acquired, _connects, _runs, _ends, _releases)


@pytest.mark.long
@pytest.mark.parametrize("reached", PHASES)
def test_a_command_that_is_killed_leaves_no_place(
    reached: Callable[[Run, Monitor], bool], ann: User, bob: User, monitor: Monitor, start: Start
) -> None:
    name = "three"
    run = start(ann, name)
    wait_until(lambda: reached(run, monitor))
    run.process.kill()
    run.process.wait()
    wait_until(lambda: not monitor.processes(name))
    wait_until(lambda: monitor.holder(name) == "None")
    if run.beats:
        assert run.beats[-1] < monitor.released[name][-1]
    assert not run.on_device
    assert bob.run("run", name).returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("reached", [_acquired, _runs, _ends])
def test_what_was_left_acquired_by_processes_that_were_all_killed_is_freed(
    reached: Callable[[Run, Monitor], bool],
    ann: User,
    bob: User,
    monitor: Monitor,
    start: Start,
) -> None:
    run = start(ann, "one")
    wait_until(lambda: reached(run, monitor))
    for process in (*monitor.processes("one"), run.process.pid):
        os.kill(process, signal.SIGKILL)
    run.process.wait()
    wait_until(lambda: not run.on_device)
    if "ann" in monitor.holder("one"):
        assert bob.run("run", "one").returncode == 125
    assert ann.run("run", "one").returncode == 0
    wait_until(lambda: monitor.holder("one") == "None")


@pytest.mark.long
def test_a_command_that_waits_for_a_place_and_is_killed_leaves_no_place(
    ann: User, bob: User, monitor: Monitor, start: Start
) -> None:
    run = start(ann, "two")
    wait_until(run.has_begun)
    waiting = start(bob, "two")
    assert waiting.process.stderr
    assert "waiting for the place two of labgrid" in waiting.process.stderr.readline()
    waiting.process.kill()
    waiting.process.wait()
    run.until.touch()
    assert run.process.wait(SECONDS) == 0
    wait_until(lambda: not monitor.processes("two"))
    assert monitor.holder("two") == "None"
    assert not waiting.beats


@pytest.mark.long
@pytest.mark.parametrize("killed", ["ann", "the holder", "the coordinator"])
def test_programs_of_two_users_never_run_at_the_same_time(
    killed: str, labgrid: Coordinator, ann: User, bob: User, start: Start
) -> None:
    """Bob waits for each place while Ann's program runs there."""
    runs: dict[str, tuple[Run, Run]] = {}
    for name in BOARDS:
        first = start(ann, name)
        wait_until(first.has_begun)
        runs[name] = first, start(bob, name)
        stderr = runs[name][1].process.stderr
        assert stderr
        assert "waiting for the place" in stderr.readline()
    if killed == "the coordinator":
        labgrid.stop()
        for first, second in runs.values():
            assert first.process.wait(SECONDS) == 125
            assert second.process.wait(SECONDS) == 125
        labgrid.start()
        assert not any(each.on_device for pair in runs.values() for each in pair)
        return
    for name, (first, second) in runs.items():
        for process in (
            [first.process.pid] if killed == "ann" else _of(first, labgrid.holding(name))
        ):
            os.kill(process, signal.SIGKILL)
        first.process.wait(SECONDS)
        wait_until(second.has_begun)
        assert first.beats[-1] < second.beats[0]
        assert not first.on_device
        second.until.touch()
        assert second.process.wait(SECONDS) == 0
    wait_until(lambda: not labgrid.holders())


def _of(run: Run, holders: list[int]) -> list[int]:
    """Those processes that were started by the command of `run`."""
    commands = {each: Path(f"/proc/{each}/cmdline").read_bytes() for each in holders}
    return [each for each, line in commands.items() if b"-%d-" % run.process.pid in line]
