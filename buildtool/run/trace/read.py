"""Fetches the recording of a run from its device, and relates the clock of the device to the one
here.

Reads the clocks of a device while a program runs there.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Iterator

from buildtool.core.events import Note, ProgramTraced
from buildtool.core.value import Value
from buildtool.deploy.ready import Ready
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.facts import Clocks, parse_clocks
from buildtool.device.script import script
from buildtool.run.trace.records import MAX_BYTES, SIZE

VARIABLE = "BUILDTOOL_TRACE"
"""The variable with the path of the file on the device (BT_TRACE_VARIABLE)."""
READ_SECONDS = 300.0
READ_LOG = '[ ! -f "$2" ] || tail -c "$1" "$2"'
MAX_LOG = 4 << 20
"""Bytes of the end of the DSP's log."""
_DATE = r"(\d{1,12})(?:\.(\d{9}))?"


class DeviceClock(Value):
    """How far CLOCK_REALTIME of a device is ahead of that here, in nanoseconds, and how wrong that
    can be at most."""

    ahead: int = 0
    uncertain: int = 0


def file_of_trace(project: str, run: str) -> str:
    """The path on the device of the recording of a run, in the directory `project`."""
    return f"{project}/logs/{run}.trace"


@contextlib.contextmanager
def recorded(ready: Ready, run: str, program: str, *, with_log: bool) -> Iterator[None]:
    """Run `program` in the block; then its recording is removed from the device, and the listener
    of `ready` gets it, `with_log` with the log of the DSP, also when the program did not end in
    time or was interrupted."""
    device, project = ready.site.device, ready.site.project
    log = b""
    started = time.monotonic_ns()
    samples: Samples = []
    try:
        with sampled(device) as samples:
            yield
    finally:
        ended = time.monotonic_ns()
        try:
            data, clock = _read(device, file_of_trace(project, run))
            if with_log and not device.transport.direct:
                place = f"{project}/logs/{run}/dsp.log"
                log = device.exec(READ_LOG, arguments=[str(MAX_LOG), place]).stdout
        except DeviceError as error:
            data, clock = b"", DeviceClock()
            ready.site.listener(Note(f"the trace has no calls of {program}: {error}"))
        ready.site.listener(
            ProgramTraced(
                *(program, device.name, data, started, ended),
                *(clock.ahead, clock.uncertain),
                samples=tuple((at, clocks.clusters, clocks.temperature) for at, clocks in samples),
                same_clock=device.transport.direct,
                log=log,
            )
        )


def _read(device: Device, path: str) -> tuple[bytes, DeviceClock]:
    clock = DeviceClock() if device.transport.direct else _clock_of(device)
    head = device.exec('[ ! -f "$1" ] || head -c 8 <"$1"', arguments=[path]).stdout
    used = (int.from_bytes(head[4:8], "little") + 1) * SIZE
    text = '[ ! -f "$1" ] || head -c "$2" <"$1"; rm -f -- "$1"'
    arguments = [path, str(min(used, MAX_BYTES))]
    return device.exec(text, arguments=arguments, timeout=READ_SECONDS).stdout, clock


def _clock_of(device: Device) -> DeviceClock:
    before = time.time_ns()
    printed = device.exec("date +%s.%N").stdout.decode(errors="replace")
    after = time.time_ns()
    found = re.match(_DATE, printed)
    if not found:
        return DeviceClock(0, 1 << 62)
    seconds, nanoseconds = found.groups()
    there = int(seconds) * 10**9 + int(nanoseconds or 5 * 10**8)  # busybox knows no %N
    rounding = 0 if nanoseconds else 5 * 10**8
    return DeviceClock(there - (before + after) // 2, (after - before) // 2 + rounding)


EVERY_SECONDS = 1.0
END_SECONDS = 5.0
Samples = list[tuple[int, Clocks]]


@contextlib.contextmanager
def sampled(device: Device) -> Iterator[Samples]:
    """In the block, samples are added to the list: the time here in nanoseconds of CLOCK_MONOTONIC,
    in the middle of the exchange, and the clocks.  There are none of this machine, nor of a device
    that does not answer."""
    samples: Samples = []
    if device.transport.direct:
        yield samples
        return
    end = threading.Event()

    def sample() -> None:
        with contextlib.suppress(DeviceError):
            while not end.wait(EVERY_SECONDS):
                before = time.monotonic_ns()
                text = device.exec(script("clocks")).stdout.decode(errors="replace")
                samples.append(((before + time.monotonic_ns()) // 2, parse_clocks(text)))

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        end.set()
        thread.join(END_SECONDS)
