"""DSP processes: several at once, how they end, and what they leave behind."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .dsp_processes import dsp_processes, wait_for_endless_calls
from .toolbox import CONF, Device, Toolbox

OPEN = "unsigned_pd -1 1; open h probe;"
DEAD = "8000040d"
SECOND = "&_dom=cdsp&_session=1"


def gone(client: int, seconds: float = 20.0) -> bool:
    """Whether the client's DSP processes end within so many seconds."""
    until = time.monotonic() + seconds
    while dsp_processes(client):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_crash_ends_the_session_and_nothing_else(device: Device) -> None:
    result = device.run(
        OPEN + f"open g probe {SECOND}; open i probe; call h 4; call i 3; call g 3; close i;"
        "open j probe; call j 3; close h; close j; close g"
    )
    assert result["call h 4"] == DEAD
    assert result["call i 3"] == DEAD
    assert result["call g 3"] == "0"
    assert result["call j 3"] == "0"
    for name in "ghij":
        assert result[f"close {name}"] == "0"
    assert "bad memory access (SIGSEGV) at address 0x10" in result.err
    assert "code at libprobe_skel.so+0x" in result.err
    assert "in method 4 of libprobe_skel.so" in result.err
    assert result.err.count("died") == 1


@pytest.mark.parametrize(("method", "word"), [(6, "a compiler trap"), (4, "SIGSEGV")])
def test_reports_of_crashes(device: Device, method: int, word: str) -> None:
    result = device.run(OPEN + f"call h {method}; call h 3")
    assert result[f"call h {method}"] == DEAD
    assert word in result.err
    assert "qemu" not in result.err
    assert list(device.root.glob("*core*")) == []


def test_report_of_a_crash_in_a_skel_with_a_long_name(device: Device, toolbox: Toolbox) -> None:
    name = f"lib{'x' * 240}_skel.so"
    shutil.copy(toolbox.skel("probe"), device.root / "usr/lib/rfsa/adsp" / name)
    uri = f"file:///{name}?probe_skel_handle_invoke&_modver=1.0&_dom=cdsp"
    result = device.run(f"unsigned_pd -1 1; open_uri h {uri}; call h 4; call h 6")
    assert result["call h 4"] == DEAD
    assert f"code at {name}+0x" in result.err
    assert f"in method 4 of {name}: signal 11" in result.err


def test_instruction_that_is_not_emulated(device: Device) -> None:
    """The failed assertion of QEMU is not printed as it is, but explained."""
    result = device.run(OPEN + "call h 16; open g probe; call g 3")
    assert result["call h 16"] == DEAD
    assert result["call g 3"] == "0"
    assert "an instruction that qemu does not emulate" in result.err
    assert "method 16 of libprobe_skel.so" in result.err
    assert "Bail out" not in result.err + result.out
    assert len(result.err.splitlines()) == 2


def test_kill_and_exception(device: Device) -> None:
    result = device.run(
        "notify 3;" + OPEN + "kill_dsp 3; call h 3; open g probe; exception 3; call g 3; kill_dsp 3"
    )
    assert result["call h 3"] == DEAD
    assert result["exception 3"] == "0"
    assert result["call g 3"] == DEAD
    # up, killed, up, crashed: FASTRPC_USER_PD_UP 0, FORCE_KILL 2, EXCEPTION 3
    notifications = [line for line in result.lines if line.startswith("notified")]
    assert notifications == [f"notified me 3 0 {status}" for status in (0, 2, 0, 3)]
    assert result["kill_dsp 3"] == "200"  # AEE_ERPC: no process left


def test_session_close(device: Device) -> None:
    result = device.run(OPEN + "end 3; call h 3; close h; open h probe; end -1; call h 3")
    assert result.lines[2:4] == ["end 3 = 0", f"call h 3 = {DEAD}"]
    assert "died" not in result.err


def test_reserved_sessions(device: Device) -> None:
    result = device.run(
        "reserve one; reserve two; reserve three; reserve four; effective 2; effective 9;"
        "geturi file:///x?y 100; geturi file:///x?y 12"
    )
    assert result["reserve one"] == "0 1 11"  # cdsp is 3, eight domains, session 1
    assert result["reserve two"] == "0 2 19"
    assert result["reserve four"].startswith("8a ")  # AEE_ENOSESSION
    assert result["effective 2"] == "0 19"
    assert result["effective 9"].startswith("e ")
    assert result["geturi file:///x?y 100"] == "0 file:///x?y&_dom=cdsp&_session=1"
    assert result["geturi file:///x?y 12"].startswith("4d ")


def test_sessions_have_memory_of_their_own(device: Device) -> None:
    result = device.run(
        OPEN + f"open i probe; open g probe {SECOND}; number i 9; number g 9; domain_of g"
    )
    assert result["number i 9"] == "0 2 1"
    assert result["number g 9"] == "0 1 1"
    assert result["domain_of g"] == "0 11"


@pytest.mark.parametrize("closed", ["2>&-", "0<&- 2>&-"])
def test_client_without_standard_streams(device: Device, closed: str) -> None:
    """Output for standard error is discarded, and is not written to a socket in its place."""
    script = OPEN + "call h 3; call h 4; open h probe; twice h 1000 heap; open g missing"
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *device.command(script)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
        cwd=device.root,
        env=device.environment(),
    )
    assert done.stdout.splitlines()[2:] == [
        "call h 3 = 0",
        f"call h 4 = {DEAD}",
        "open h probe = 0",
        "twice h 1000 heap = 0 1000 right",
        "open g missing = 80000406",
    ]


def test_threads_that_open_and_close(device: Device) -> None:
    """When one thread closes the last handle of a session, calls of other threads do not fail."""
    result = device.run("unsigned_pd 3 1; churn 4 12; opens probe 2")
    assert result["churn 4 12"] == "0"
    assert result["opens probe 2"] == "0"
    assert result.err == ""


def test_session_that_starts_slowly_holds_up_no_other(
    make_device: Callable[..., Device], toolbox: Toolbox
) -> None:
    """It does not delay the end of the program either, which ends the session."""
    device = make_device()
    slow = device.root / "slow-qemu"
    slow.write_text(
        "#!/bin/sh\n"
        'case "$*" in *" session=1 "*) exec cat <&3 >/dev/null ;; esac\n'
        f'exec {shutil.which("qemu-hexagon")} "$@"\n'
    )
    slow.chmod(0o755)
    device.configure({**CONF, "qemu": str(slow), "shell": str(toolbox.shell())})
    device.install(toolbox.skel("probe"))
    started = time.monotonic()
    result = device.run("unsigned_pd -1 1; second; open h probe; call h 3; close h")
    assert result["call h 3"] == "0"
    assert result.status == 0
    assert time.monotonic() - started < 15


def test_what_the_client_does_in_forked_children_is_not_done_in_the_dsp(device: Device) -> None:
    assert device.run("childless;" + OPEN + "call h 3")["call h 3"] == "0"


def test_the_client_has_no_children(device: Device) -> None:
    assert device.run(OPEN + "children")["children"] == "0 -1"


def test_forked_child(device: Device) -> None:
    """It has no handles, may open new ones, and its end does not end its parent's session."""
    result = device.run(OPEN + "forked h; call h 3")
    assert result["forked h"] == "0 7"
    assert result["call h 3"] == "0"


def test_programs_at_once(device: Device) -> None:
    clients = [device.start(OPEN + "threads h 4; twice h 100000 rpcmem") for _ in range(4)]
    for client in clients:
        out, err = client.communicate(timeout=120)
        assert "threads h 4 = 0" in out, err
        assert "twice h 100000 rpcmem = 0 100000 right" in out
    assert all(gone(client.pid) for client in clients)


def wait_for(client, word: str) -> None:  # type: ignore[no-untyped-def]
    for line in client.stdout:
        if word in line:
            return
    raise AssertionError(client.stderr.read())


def test_nothing_is_left_of_a_program(device: Device) -> None:
    client = device.start(OPEN + f"open g probe {SECOND}; pause_here")
    wait_for(client, "paused")
    assert len(dsp_processes(client.pid)) == 4  # two, each with its supervisor
    client.terminate()
    client.communicate(timeout=20)
    assert gone(client.pid)


def test_nothing_is_left_after_an_ordinary_end(device: Device) -> None:
    client = device.start(OPEN)
    client.communicate(timeout=60)
    assert gone(client.pid)


def test_killed_client_takes_a_looping_kernel_with_it(device: Device) -> None:
    client = device.start(OPEN + "call h 5")
    wait_for(client, "open h probe")
    time.sleep(0.3)
    assert dsp_processes(client.pid)
    client.kill()
    client.communicate(timeout=20)
    assert gone(client.pid)


def test_interrupt_reaches_the_client_only(device: Device) -> None:
    """The DSP process is not in a process group of the terminal."""
    client = device.start(OPEN + "pause_here")
    wait_for(client, "paused")
    group = (
        Path(f"/proc/{client.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[2]
    )
    for process in dsp_processes(client.pid):
        assert (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[2]
            != group
        )
    client.send_signal(signal.SIGINT)
    client.communicate(timeout=20)
    assert gone(client.pid)


def test_each_of_several_endless_calls_is_named_with_its_place(device: Device) -> None:
    client = device.start(OPEN + "endless h 4")
    wait_for(client, "open h probe")
    wait_for_endless_calls(client.pid, 4)
    client.send_signal(signal.SIGINT)
    _, err = client.communicate(timeout=20)
    line = (
        r"method 5 of libprobe_skel\.so has been running for \d+ s, code at libprobe_skel\.so\+0x"
    )
    assert len(re.findall(line, err)) == 4, err


def test_no_descriptors_of_the_client_reach_the_dsp(device: Device) -> None:
    client = device.start(OPEN + "alloc b 4096; pause_here")
    wait_for(client, "paused")
    for process in dsp_processes(client.pid):
        links = [
            str(link.readlink()) for link in Path(f"/proc/{process}/fd").iterdir() if link.exists()
        ]
        pipes = [link for link in links if link.startswith("pipe:")]
        # by design it shares the client's standard error, but not its standard output
        assert len(pipes) <= 1, links
    client.kill()
    client.communicate(timeout=20)
