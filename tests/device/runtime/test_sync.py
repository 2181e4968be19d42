"""QuRT's mutexes, signals, barriers, conditions, semaphores, futexes, pipes and timers."""

from __future__ import annotations

import pytest

from tests.device.fastrpc.toolbox import Device

from .test_threads import case


@pytest.mark.parametrize(
    "name",
    ["signals_with_several_waiters", "anysignals", "semaphores"],
)
def test_objects(device: Device, name: str) -> None:
    code, _, log = case(device, "sync", name)
    assert code == 0, log
    assert log == ""


def test_mutexes_that_are_locked_again(device: Device) -> None:
    code, _, log = case(device, "mutexes", "mutex_recursion")
    assert code == 0, log
    assert log == ""


def test_mutex_lets_one_in_at_a_time(device: Device) -> None:
    code, out, log = case(device, "mutexes", "mutex_guards 2000")
    assert (code, out[0]) == (0, 6 * 2000), log


def test_unlocking_a_free_mutex_is_fatal(device: Device) -> None:
    code, _, log = case(device, "mutexes", "unlock_what_is_free")
    assert code == 0x8000040D
    assert "qurt_mutex_unlock" in log
    assert "no thread holds" in log


def test_locking_a_held_mutex_is_reported(device: Device) -> None:
    code, out, log = case(device, "mutexes", "lock_twice")
    assert (code, out[0]) == (0, 0)
    assert "which it holds: on a DSP it waits forever" in log


def test_barrier_has_one_serial_thread_a_round(device: Device) -> None:
    code, out, log = case(device, "sync", "barriers 50")
    assert (code, out[:2]) == (0, [50, 300]), log


def test_condition_signal_wakes_one_broadcast_all(device: Device) -> None:
    code, out, log = case(device, "sync", "conditions")
    assert (code, out[0]) == (0, 0), log


def test_futex_wakes_as_many_as_asked_highest_priority_first(device: Device) -> None:
    code, out, log = case(device, "sync", "futex_wake_counts")
    assert (code, out[0]) == (0, 6), log


def test_pipe_keeps_order_and_blocks(device: Device) -> None:
    code, out, log = case(device, "timers", "pipes")
    assert (code, out[0]) == (0, 5050), log


def test_timers(device: Device) -> None:
    code, out, log = case(device, "timers", "timers")
    assert (code, out[0]) == (0, 1), log


def test_vector_units(device: Device) -> None:
    code, out, log = case(device, "timers", "vector_units 5")
    assert (code, out[:2]) == (0, [0x400, 6]), log
