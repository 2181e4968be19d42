"""Threads that wait in loops."""

from __future__ import annotations

import signal

import pytest

from tests.conftest import LONG
from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import build_skel, install
from .test_threads import case

SCHEDULES = 400 if LONG else 8
AT_ONCE = 25
"""Schedules of one call."""


@pytest.fixture
def waiting(device: Device, toolbox: Toolbox) -> Device:
    for skel in ("schedules", "waiting"):
        install(device, build_skel(toolbox, skel), skel)
    return device


@pytest.mark.parametrize("first", range(0, SCHEDULES, AT_ONCE))
def test_threads_that_wait_in_random_ways_come_to_the_end(waiting: Device, first: int) -> None:
    count = min(AT_ONCE, SCHEDULES)
    code, out, log = case(waiting, "schedules", f"schedules {first} {count}")
    assert (code, out[0]) == (0, count), log
    assert log == ""


@pytest.mark.parametrize("strict", ["back", "front"])
def test_threads_wait_with_strict(waiting: Device, strict: str) -> None:
    words = "open schedules; case schedules schedules 7 3; close schedules"
    words += "; open waiting; case waiting together 5 4 500 1"
    result = waiting.run(words, BUILDTOOL_SIM_STRICT=strict)
    assert result["case schedules schedules 7 3"].split()[:2] == ["0", "3"], result.err
    assert result["case waiting together 5 4 500 1"].split()[0] == "0", result.err


def test_threads_that_wait_end_with_the_program(waiting: Device) -> None:
    process = waiting.start("open waiting; case waiting forever 5")
    assert process.stderr is not None
    while "it waits" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, log = process.communicate(timeout=60)  # the DSP process has standard error, too
    assert process.returncode == -signal.SIGINT
    assert "code at libwaiting_skel.so+0x" in log or "has been running" not in log
