"""A build that is ended leaves no tool of any of its steps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.engine.processes import ends_with_its_caller, running

CODE = """
import os, sys, threading
from pathlib import Path
from types import SimpleNamespace
from buildtool.engine.jobserver import Jobserver
from buildtool.engine.scheduler import run_steps
from buildtool.core.processes.process import capture

folder = Path(sys.argv[1])

def work(step):
    with jobserver.token():
        script = f"{sys.argv[2]} echo $$ > {step.name}; {sys.argv[3]}"
        capture(["sh", "-c", script], env={"PATH": os.environ["PATH"]}, cwd=folder)

steps = [SimpleNamespace(name=name) for name in "abcd"]
try:
    with Jobserver(3) as jobserver:
        run_steps(steps, {}, work, jobs=3)
except KeyboardInterrupt:
    sys.exit(130)
"""


def pids(folder: Path) -> list[int]:
    found = [path.read_text().strip() for path in folder.iterdir()]
    return [int(text) for text in found if text]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_all_running_tools_end_with_the_build(tmp_path: Path, number: int) -> None:
    ended = end(tmp_path, number, "trap 'echo $$ >> ../asked; exit 1' TERM;", "sleep 60 & wait")

    assert ended.status == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    asked = (tmp_path / "asked").read_text().split()
    assert {*map(int, asked)} == {*ended.pids}
    assert len(ended.pids) == 3  # and no tool was started after the signal
    assert not any(map(running, ended.pids))


def test_tools_that_will_not_end_are_killed(tmp_path: Path) -> None:
    ended = end(tmp_path, signal.SIGINT, "trap '' TERM;", "while :; do sleep 1; done")

    assert ended.status == 130
    assert len(ended.pids) == 3
    assert not any(map(running, ended.pids))


@dataclass(frozen=True)
class Ended:
    status: int
    pids: list[int]


def end(place: Path, number: int, trap: str, script: str) -> Ended:
    """Send a signal to a build as soon as three of its steps have set `trap` and run `script`."""
    folder = place / "pids"
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", CODE, str(folder), trap, script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    ) as build:
        try:
            deadline = time.monotonic() + 60
            while sum(map(ends_with_its_caller, pids(folder))) < 3:
                assert time.monotonic() < deadline
                assert build.poll() is None, build.stderr and build.stderr.read()
                time.sleep(0.02)
            build.send_signal(number)
            status = build.wait(30)
            assert build.stderr
            assert "Traceback" not in build.stderr.read()
        finally:
            build.kill()
    deadline = time.monotonic() + 10
    while number == signal.SIGKILL and any(map(running, pids(folder))):
        assert time.monotonic() < deadline  # the kernel signals the tools
        time.sleep(0.05)
    return Ended(status, pids(folder))
