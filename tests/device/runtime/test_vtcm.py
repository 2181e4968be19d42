"""VTCM has one holder at a time among contexts, sessions and programs; locks of HMX."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.device.fastrpc.dsp_processes import dsp_processes
from tests.device.fastrpc.toolbox import Device

from .test_threads import case

WHOLE = 2 << 20  # a QCS6490 has 2 MB
NOT_SUPPORTED = 0x80000404 - (1 << 32)


@contextmanager
def another_program(device: Device, script: str) -> Iterator[subprocess.Popen[str]]:
    """A second program on the device, which runs during the block."""
    program = subprocess.Popen(
        device.command(script),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=device.root,
        env=device.environment(),
    )
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


def read_until(program: subprocess.Popen[str], prefix: str) -> str:
    assert program.stdout is not None
    for line in program.stdout:
        if line.startswith(prefix):
            return line.strip()
    raise AssertionError(f"no {prefix!r}: {program.stderr.read() if program.stderr else ''}")


@pytest.mark.parametrize(("megabytes", "page"), [(2, 1 << 20), (4, 4 << 20), (8, 4 << 20), (0, 0)])
def test_size_is_the_socs(make_device: Callable[..., Device], megabytes: int, page: int) -> None:
    device = make_device(vtcm_bytes=str(megabytes << 20))
    code, out, log = case(device, "vtcm", "query")
    assert code == 0, log
    assert out[:3] == [megabytes << 20, megabytes << 20, page]


def test_contexts_of_one_process_share_it_out(device: Device) -> None:
    code, _, log = case(device, "vtcm", "share_between_threads")
    assert code == 0, log


def test_memory_is_zeroed_between_holders(device: Device) -> None:
    result = device.run(
        f"open vtcm; case vtcm acquire {WHOLE} 0 0; case vtcm release; case vtcm acquire {WHOLE} 0"
        " 0; case vtcm release"
    )
    assert [line.split(" = ")[1].split()[0] for line in result.lines[1:]] == ["0"] * 4, result.err


def test_more_than_there_is_is_refused_with_the_size(device: Device) -> None:
    code, out, log = case(device, "vtcm", f"acquire {WHOLE + 1} 0 1000")
    assert (code, out[0]) == (0, 0)
    assert "this SoC (QCS6490) has 2097152" in log


def test_less_is_had_when_less_will_do(device: Device) -> None:
    code, out, log = case(device, "vtcm", f"acquire {4 * WHOLE} 4096 1000")
    assert (code, out[:2]) == (0, [1, WHOLE]), log


def test_a_second_program_waits_for_the_first(device: Device) -> None:
    acquire = f"case vtcm acquire {WHOLE} 0"
    first = f"open vtcm; {acquire} 0; await; case vtcm release; await"
    with another_program(device, first) as holder:
        assert read_until(holder, acquire).endswith(f"= 0 1 {WHOLE} 0 0")
        refused = device.run(
            f"open vtcm; case vtcm query; {acquire} 20000; case vtcm acquire 4096 0 0"
        )
        assert refused["case vtcm query"] == f"0 {WHOLE} 0 {1 << 20} 0"
        assert refused[f"{acquire} 20000"].split()[:2] == ["0", "0"], refused.err
        assert refused["case vtcm acquire 4096 0 0"].split()[:2] == ["0", "0"]
        assert holder.stdin is not None
        holder.stdin.write("go\n")
        holder.stdin.flush()
        read_until(holder, "case vtcm release")
        had = device.run(f"open vtcm; {acquire} 0")
        assert had[f"{acquire} 0"].split()[:2] == ["0", "1"], had.err


def test_a_killed_holder_frees_it(device: Device) -> None:
    acquire = f"case vtcm acquire {WHOLE} 0"
    with another_program(device, f"open vtcm; {acquire} 0; await") as holder:
        assert read_until(holder, acquire).endswith(f"= 0 1 {WHOLE} 0 0")
        holder.kill()
        holder.wait()
        had = device.run(f"open vtcm; {acquire} 5000000")
        assert had[f"{acquire} 5000000"].split()[:2] == ["0", "1"], had.err
        deadline = time.monotonic() + 10
        while dsp_processes(holder.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not dsp_processes(holder.pid)


def test_dsps_do_not_share(make_device: Callable[..., Device]) -> None:
    acquire = f"case vtcm acquire {WHOLE} 0 0"
    device = make_device(domains="cdsp,cdsp1")
    with another_program(device, f"open vtcm; {acquire}; await") as holder:
        assert read_until(holder, acquire).endswith(f"= 0 1 {WHOLE} 0 0")
        for opened, result in ("open vtcm 0 cdsp", "0"), ("open vtcm 0 cdsp1", "1"):
            had = device.run(f"{opened}; {acquire}")
            assert had[acquire].split()[:2] == ["0", result], had.err


def test_devices_do_not_share(make_device: Callable[..., Device]) -> None:
    acquire = f"case vtcm acquire {WHOLE} 0 0"
    one, other = make_device("one"), make_device("other")
    with another_program(one, f"open vtcm; {acquire}; await") as holder:
        assert read_until(holder, acquire).endswith(f"= 0 1 {WHOLE} 0 0")
        had = other.run(f"open vtcm; {acquire}")
        assert had[acquire].split()[:2] == ["0", "1"], had.err


def test_cached_context_is_held_between_acquire_and_release(device: Device) -> None:
    result = device.run(
        f"open vtcm; case vtcm cached_create {WHOLE}; case vtcm cached_acquire 0;"
        f"case vtcm cached_acquire 1; case vtcm acquire 4096 0 0; case vtcm cached_release;"
        "case vtcm cached_release 1; case vtcm query"
    )
    assert result[f"case vtcm cached_create {WHOLE}"].split()[0] == "0", result.err
    assert result["case vtcm cached_acquire 0"].split()[1] == "0"
    assert int(result["case vtcm cached_acquire 1"].split()[1]) != 0  # held already
    assert result["case vtcm acquire 4096 0 0"].split()[1] == "0"
    assert result["case vtcm cached_release"].split()[1] == "0"
    assert int(result["case vtcm cached_release 1"].split()[1]) != 0
    assert result["case vtcm query"].split()[2] == str(WHOLE)


@pytest.mark.parametrize("released", [0, 1], ids=["kept", "released"])
def test_threads_that_wait_for_one_context(device: Device, released: int) -> None:
    """One of them gets it, or none if it is released; in both cases it is free afterwards."""
    together = f"case vtcm acquire_together {WHOLE} {released}"
    with another_program(
        device, f"open vtcm; case vtcm cached_create {WHOLE}; {together}; await"
    ) as first:
        words = read_until(first, together).split(" = ")[1].split()[:3]
        assert words == (["0", "0", "2"] if released else ["0", "1", "1"])
        had = device.run(f"open vtcm; case vtcm acquire {WHOLE} 0 100000")
        assert had[f"case vtcm acquire {WHOLE} 0 100000"].split()[:2] == ["0", "1"], had.err


def test_a_context_is_released_once(device: Device) -> None:
    code, out, log = case(device, "vtcm", "release_together 20")
    assert (code, out[0]) == (0, 20 * 200), log


def test_no_two_contexts_have_the_same_memory(device: Device) -> None:
    code, out, log = case(device, "vtcm", "many_contexts")
    assert (code, out[0]) == (0, 512), log


def test_holder_of_lower_priority_is_asked_to_release(device: Device) -> None:
    create = f"case vtcm cached_create {WHOLE}"
    holding = "case vtcm cached_acquire 0 250"  # a lower priority than a call's 192
    script = f"open vtcm; {create}; {holding}; case vtcm release_when_asked 20000"
    with another_program(device, script) as holder:
        assert read_until(holder, holding).split(" = ")[1].startswith("0 0")
        waiter = device.run(f"open vtcm; {create}; case vtcm cached_acquire 15000000")
        assert waiter["case vtcm cached_acquire 15000000"].split()[:2] == ["0", "0"], waiter.err
        asked, wanted = read_until(holder, "case vtcm release_when_asked").split()[-4:-2]
        assert int(asked) != 0
        assert wanted == "1"


def test_holder_of_equal_priority_is_not_asked(device: Device) -> None:
    create = f"case vtcm cached_create {WHOLE}"
    script = f"open vtcm; {create}; case vtcm cached_acquire 0; case vtcm release_when_asked 1500"
    with another_program(device, script) as holder:
        read_until(holder, "case vtcm cached_acquire")
        waiter = device.run(f"open vtcm; {create}; case vtcm cached_acquire 300000")
        assert int(waiter["case vtcm cached_acquire 300000"].split()[1]) != 0
        assert read_until(holder, "case vtcm release_when_asked").split()[-4] == "0"


def test_hmx_is_refused_where_the_chip_has_none_and_reported_once(device: Device) -> None:
    result = device.run("open vtcm; case vtcm hmx; case vtcm hmx 1")
    code, *out = result["case vtcm hmx"].split()
    assert code == "0", result.err
    assert [int(word) for word in out] == [NOT_SUPPORTED] * 4
    assert result.err.count("the QCS6490 has no HMX") == 1


def test_locks_of_hmx_are_counted(make_device: Callable[..., Device]) -> None:
    code, out, log = case(make_device(hmx="1"), "vtcm", "hmx")
    assert (code, out) == (0, [0] * 4), log


def test_misuse_is_refused(device: Device) -> None:
    code, _, log = case(device, "vtcm", "without_init")
    assert code == 0, log
