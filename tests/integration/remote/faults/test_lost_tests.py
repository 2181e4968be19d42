"""Programs of tests whose connection is lost: they run again, but not for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.deploy.ready import DeviceChoice
from buildtool.device.sharing import DeviceLock
from buildtool.engine.options import Options
from buildtool.engine.result import BuildResult
from buildtool.plan.plan import Plan
from buildtool.project.model import Header, Project, Target
from buildtool.release.slices import Release
from buildtool.run.program import RunRequest
from buildtool.testing import session as module
from buildtool.testing.session import TRIES, LostError, Session
from tests.integration.remote.faults.conftest import Line
from tests.remote.remote import SHELL
from tests.remote.stops import when_made

PAUSES = (0.0, 0.5, 1.5)
HANG = "echo begun >>runs; echo seen; sleep 1000"
"""Releases of tests are the working directory."""


@pytest.fixture
def release(line: Line, tmp_path: Path) -> Release:
    return line.remote.release(tmp_path / "release", {})


@pytest.fixture
def session(
    line: Line, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Session]:
    """Connects anew with shorter pauses than usual."""
    monkeypatch.setattr(module, "PAUSES", PAUSES)
    target = Target(platform="ubuntu-aarch64")
    project = Project(tmp_path, Header(name="p"), {}, {}, {release.target: target})
    line.connect()

    ready = line.remote.ready(release)
    build = BuildResult(Plan(release.target, (), release.directory, tmp_path), ())
    with DeviceLock(ready.site.device, "tests", lambda _: None) as lock:
        lock.hold()
        yield Session(*(project, ready, DeviceChoice()), build=build, options=Options(), lock=lock)


def runs_file(line: Line) -> Path:
    return line.remote.outside("").parent / f"{line.remote.token}+tests/current/runs"


def runs(line: Line) -> int:
    """How often the program has begun."""
    place = runs_file(line)
    return len(place.read_text().splitlines()) if place.exists() else 0


def cut_runs(line: Line, count: int) -> threading.Thread:
    """Cut the line each time that the program has begun, `count` times."""

    def watch() -> None:
        for number in range(1, count + 1):
            end = time.monotonic() + 30
            while runs(line) < number and time.monotonic() < end:
                time.sleep(0.01)
            line.proxy.cut()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_what_was_written_before_the_cut_is_no_output(line: Line, session: Session) -> None:
    cutter = cut_runs(line, 1)

    ran = session.run(RunRequest((SHELL, f"[ ! -e runs ] || exit 7; {HANG}")))

    cutter.join()
    assert (ran.status, ran.stdout, len(ran.lost)) == (7, "", 1)


def test_a_program_runs_so_often_and_the_next_one_is_not_charged(
    line: Line, session: Session
) -> None:
    cutter = cut_runs(line, TRIES)

    with pytest.raises(LostError) as error:
        session.run(RunRequest((SHELL, HANG)))

    cutter.join()
    assert len(error.value.lost) == TRIES == runs(line)
    ran = session.run(RunRequest((SHELL, "echo out; echo error >&2; exit 3")))
    assert (ran.status, ran.stdout, ran.stderr, ran.lost) == (3, "out\n", "error\n", ())


def test_when_the_device_is_gone_no_other_program_waits(line: Line, session: Session) -> None:
    assert session.run(RunRequest((SHELL, "true"))).status == 0
    with when_made(runs_file(line), line.proxy.stop), pytest.raises(LostError) as error:
        session.run(RunRequest((SHELL, HANG)))

    assert len(error.value.lost) == 1
    started = time.monotonic()
    with pytest.raises(LostError) as error:
        session.run(RunRequest((SHELL, "true")))
    assert error.value.lost == ()
    assert time.monotonic() - started < PAUSES[-1]
    assert runs(line) == 1


def test_input_output_and_their_end(line: Line, session: Session) -> None:
    del line
    data = bytes(range(256)) * 1000
    ran = session.run(RunRequest((SHELL, "cat; echo error >&2; kill -9 $$")), stdin=data)

    assert ran.stdout.encode(errors="surrogateescape") == data
    assert (ran.status, ran.signal, ran.stderr) == (None, 9, "error\n")
    assert session.run(RunRequest((SHELL, "cat"))).stdout == ""
    both = session.run(RunRequest((SHELL, "echo a; echo b >&2")), together=True, limit=2)
    assert both.stdout.splitlines()[-1] in ("a", "b")
    assert "bytes are omitted" in both.stdout
    late = session.run(RunRequest((SHELL, "echo a; sleep 100"), timeout=1.5))
    assert (late.status, late.signal, late.stdout) == (None, None, "a\n")
