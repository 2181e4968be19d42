"""Readers of a program's output that are slow, go away, or have no room for it."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from buildtool.device import conversation
from buildtool.release.slices import Release
from buildtool.run.on_device import RunResult, run_on_device
from buildtool.run.program import RunRequest
from buildtool.run.run import Streams
from tests.integration.remote.conformance.conftest import ANDROID, KINDS, NOISY, short_on
from tests.remote.remote import SHELL, Remote

pytestmark = short_on(NOISY, ANDROID, of=KINDS[1:])
assert KINDS[0].transport == "emulated"  # the program itself writes to the reader


@pytest.fixture
def release(remote: Remote, tmp_path: Path) -> Release:
    """A release that is current on the device."""
    release = remote.release(tmp_path / "release", {})
    remote.deploy(release)
    return release


def run(remote: Remote, release: Release, script: str, stdout: int) -> RunResult:
    ready = remote.ready(release)
    request = RunRequest((SHELL, script), input=False)
    return run_on_device(ready, request, streams=Streams(stdout=stdout))


def test_a_slow_reader_gets_everything(
    remote: Remote, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins to read when nothing of the program is left on the device."""
    monkeypatch.setattr(conversation, "LINGER_SECONDS", 0.05)
    # What the connection cannot take, the device would keep; here it is two pipes.
    size = 1 << (16 if remote.device.name == "local" else 18)
    read, write = os.pipe()
    results: list[RunResult] = []

    def start() -> None:
        with os.fdopen(write, "wb"):
            script = f"head -c {size} /dev/zero; printf end; exit 3"
            results.append(run(remote, release, script, write))

    thread = threading.Thread(target=start)
    thread.start()
    with os.fdopen(read, "rb") as stream:
        assert stream.read(1) == b"\0"
        while [*remote.outside("logs").glob("*.running")]:
            assert thread.is_alive()
        output = stream.read()
    thread.join()
    assert (len(output), output[-4:]) == (size + 2, b"\0end")
    assert results[0].status == 3


def test_a_reader_that_goes_away_ends_the_program(remote: Remote, release: Release) -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as stream, os.fdopen(write, "wb"):

        def read_some() -> None:
            stream.read(9)
            stream.close()

        reading = threading.Thread(target=read_some)
        reading.start()
        assert run(remote, release, "exec cat /dev/zero", write).status == 128 + signal.SIGPIPE
        reading.join()


def test_a_reader_without_room_is_an_error(remote: Remote, release: Release) -> None:
    with Path("/dev/full").open("wb") as full, pytest.raises(OSError, match="No space left"):
        run(remote, release, "exec cat /dev/zero", full.fileno())
