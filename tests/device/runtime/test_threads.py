"""QuRT's threads, thread-local data, and POSIX threads."""

from __future__ import annotations

import re

import pytest

from tests.device.fastrpc.toolbox import Device


def case(device: Device, skel: str, words: str) -> tuple[int, list[int], str]:
    """Run one case; returns its code, its first four results, and the log."""
    result = device.run(f"open {skel}; case {skel} {words}; close {skel}")
    assert result.status == 0, result.err
    code, *out = result[f"case {skel} {words}"].split()
    return int(code, 16), [int(word) for word in out], result.err


@pytest.mark.parametrize("status", [0, 77, -5])
def test_join_gives_the_exit_status(device: Device, status: int) -> None:
    code, out, log = case(device, "threads", f"join_gives_the_status {status}")
    assert (code, out[0]) == (0, status), log


@pytest.mark.parametrize("name", ["states_of_threads", "posix_threads", "posix_semaphores"])
def test_threads(device: Device, name: str) -> None:
    code, _, log = case(device, "threads", name)
    assert code == 0, log
    assert log == ""


def test_bad_attributes_are_explained(device: Device) -> None:
    code, _, log = case(device, "threads", "bad_attributes")
    assert code == 0, log
    assert "no stack: QuRT allocates none" in log
    assert "priority 256 is not in the range 1 to 255" in log


def test_priority_of_a_call_is_the_clients(device: Device) -> None:
    code, out, log = case(device, "threads", "priorities")
    assert (code, out[0]) == (0, 192), log


def test_threads_give_back_what_they_took(device: Device) -> None:
    code, out, log = case(device, "threads", "many_threads 40")
    assert (code, out[0]) == (0, 320), log


def test_thread_local_data(device: Device) -> None:
    code, out, log = case(device, "threads", "thread_local_data")
    assert code == 0, log
    assert out[0] == 64  # the total number of keys


def test_stack_of_the_asked_size_is_usable(device: Device) -> None:
    code, _, log = case(device, "threads", "overflow_a_stack 6")
    assert code == 0, log


def test_overflow_of_a_threads_stack_ends_the_session(device: Device) -> None:
    code, _, log = case(device, "threads", "overflow_a_stack 200")
    assert code == 0x8000040D
    said = re.search(r"needs at least (\d+) bytes of stack, (\d+) more than the (\d+) that", log)
    assert said, log
    needed, missing, requested = map(int, said.groups())
    assert (requested, missing) == (8192, needed - 8192)
    assert 30 << 10 < missing < 34 << 10  # without --strict, a stack is 32 KiB larger
