"""Programs for the DSP while others run, and when buildtool is killed: nothing is left running."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.device.programs.conftest import ran
from tests.device.testing.test_ctest import on_board, wait_for
from tests.project import Project

SHARED = ("--share",)


@contextmanager
def running(project: Project, device: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """`dsp/program WORDS...` on the device, for a block; its input is open."""
    command = ("run", device, *SHARED, "--", "dsp/program", *words)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", *command],
        cwd=project.root,
        env={**os.environ, **project.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        stderr=subprocess.DEVNULL,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def begun(process: subprocess.Popen[bytes]) -> bytes:
    """The first line that the program prints."""
    assert process.stdout
    return process.stdout.readline()


@pytest.mark.usefixtures("board")
@pytest.mark.parametrize("phase", ["begins", "computes", "waits for input"])
def test_buildtool_is_killed(kernels: Project, phase: str) -> None:
    assert ran(kernels, "exit", "3", device="board").returncode == 3
    with running(kernels, "board", "copy" if "input" in phase else "hang") as process:
        if phase == "begins":
            wait_for(
                lambda: [line for line in on_board(kernels).values() if "fastrpc_shell" in line]
            )
        else:
            assert begun(process) == b"constructor\n"
            assert [line for line in on_board(kernels).values() if "fastrpc_shell" in line]
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
    wait_for(lambda: not on_board(kernels))
    done = ran(kernels, "exit", "4", device="board")
    assert (done.returncode, done.stdout) == (4, b"constructor\natexit\ndestructor\n"), done.stderr


@pytest.mark.usefixtures("board")
@pytest.mark.parametrize("device", ["board", "sim"])
def test_two_programs_at_once(kernels: Project, device: str) -> None:
    """The one goes on as if the other did not exist, also when that crashes."""
    given = random.Random(3).randbytes(1 << 20)
    with running(kernels, device, "blocks") as process:
        assert begun(process) == b"constructor\n"
        assert ran(kernels, "exit", "3", device=device, own=SHARED).returncode == 3
        assert ran(kernels, "crash", device=device, own=SHARED).returncode == 139
        out, _ = process.communicate(given, timeout=300)
        assert process.returncode == 0
    assert out == given + b"destructor\n"
