"""Arguments, results, threads and asynchronous calls."""

from __future__ import annotations

import pytest

from .toolbox import Device

OPEN = "unsigned_pd 3 1; open h probe;"


@pytest.mark.parametrize("count", [0, 1, 16, 1000, 300000])
@pytest.mark.parametrize("memory", ["heap", "rpcmem"])
def test_buffers_of_every_size(device: Device, count: int, memory: str) -> None:
    command = f"twice h {count} {memory}"
    assert device.run(OPEN + command)[command] == f"0 {count} right"


def test_failed_method_copies_nothing_back(device: Device) -> None:
    assert device.run(OPEN + "failing h")["failing h"] == "4d 0 0"


def test_unknown_method(device: Device) -> None:
    assert device.run(OPEN + "call h 30")["call h 30"] == "80000414"


def test_arguments_begin_at_vectors(device: Device) -> None:
    """Copied arguments are at multiples of 128 bytes; an empty one is NULL."""
    assert device.run(OPEN + "places h")["places h"] == "0 0 0 1000 0"


def test_handles_as_arguments(device: Device) -> None:
    assert device.run(OPEN + "handles h")["handles h"] == "0 102030405060709"


def test_as_many_arguments_as_there_can_be(device: Device) -> None:
    """255 buffers, shared and copied ones mixed, and 15 handles in each direction."""
    assert device.run(OPEN + "most h")["most h"] == "0 270 right"


def test_bad_pointers_are_errors_and_the_handle_lives_on(device: Device) -> None:
    result = device.run(OPEN + "wild h; null h; twice h 8 heap")
    assert result["wild h"] == "e"
    assert result["null h"] == "e"
    assert result["twice h 8 heap"] == "0 8 right"


def test_concurrent_calls_run_in_separate_threads(device: Device) -> None:
    """Eight calls that all wait for each other succeed."""
    assert device.run(OPEN + "meet h 8")["meet h 8"] == "0"


def test_many_threads(device: Device) -> None:
    assert device.run(OPEN + "threads h 16; close h")["threads h 16"] == "0"


def test_asynchronous_calls(device: Device) -> None:
    assert device.run(OPEN + "async h")["async h"] == "0 0 42, released e, callback 0"


def test_farf_reaches_the_terminal(device: Device) -> None:
    result = device.run(OPEN + "call h 3")
    assert "HIGH" in result.err
    assert "probe.c" in result.err
    assert "the answer is 42" in result.err
    assert "42" not in result.out


def test_stack_of_a_call_is_what_was_asked_for(device: Device) -> None:
    """160 frames of 4 KiB overflow the default stack, but fit into a stack of 1 MiB."""
    overflow = device.run(OPEN + "number h 10 160")
    assert overflow["number h 10 160"].startswith("8000040d ")
    assert "in method 10 of libprobe_skel.so" in overflow.err
    fits = device.run("stack 1048576;" + OPEN + "number h 10 160")
    assert fits["number h 10 160"].startswith("0 ")


@pytest.mark.parametrize("size", ["100", "9000000"])
def test_invalid_stack_sizes(device: Device, size: str) -> None:
    assert device.run(f"stack {size}")[f"stack {size}"] == "e"
