"""The meters of a DSP: load, clock, use of HVX and HMX, temperature, once a second.

They are what libqcnpuperf of the device answers, which only newer Linux systems have: without it
there are none.  device/query/dsp_meters.c asks it as long as its standard input is open, so it ends
with buildtool.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterator
from typing import Annotated

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, Note
from buildtool.core.value import Described, Value
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.facts import MAX_KHZ, MAX_MILLIDEGREES
from buildtool.device.script import printable, script

MAX_SECONDS = 7 * 86_400.0
END_SECONDS = 5.0
MAX_METERS = 1_000_000
_LINE = re.compile(rb"^meter (\d{1,20}) (\d{1,6}) (\d{1,9}) (\d{1,6}) (\d{1,6}) (\d{1,9})$", re.M)
_ERROR = re.compile(rb"^error (.{1,80})$", re.M)


class Meter(Value):
    """What the DSP did in the last second: shares in 0.01 %, kHz, 0.001 °C (0: unknown); `at` is
    in nanoseconds of the device's CLOCK_REALTIME."""

    at: int
    load: int
    clock: int
    hvx: int
    hmx: int
    heat: int


class DspUse(Described):
    """The meters of the DSP while it was measured: the median and the highest of each."""

    samples: Annotated[int, "how often the meters were read"]
    load: Annotated[tuple[float, float], "percent of the highest clock: median, highest"]
    clock_khz: Annotated[tuple[float, float], "its clock"]
    hvx: Annotated[tuple[float, float], "use of HVX in percent"]
    hmx: Annotated[tuple[float, float], "use of HMX in percent"]
    temperature: Annotated[tuple[float, float], "of its hottest zone in °C; 0 if unknown"]


def parse_meters(text: bytes) -> tuple[Meter, ...]:
    """The meters in what the program prints, in which anything may be missing."""
    rows = (Meter(*map(int, row)) for row in _LINE.findall(text)[:MAX_METERS])
    return tuple(row for row in rows if row.clock <= MAX_KHZ and row.heat <= MAX_MILLIDEGREES)


def use_of(meters: list[Meter]) -> DspUse | None:
    """The medians of `meters`; None without any."""
    if not meters:
        return None

    def both(name: str, unit: float) -> tuple[float, float]:
        values = sorted(getattr(meter, name) / unit for meter in meters)
        return values[len(values) // 2], values[-1]

    return DspUse(
        samples=len(meters),
        load=both("load", 100),
        clock_khz=both("clock", 1),
        hvx=both("hvx", 100),
        hmx=both("hmx", 100),
        temperature=both("heat", 1000),
    )


@contextlib.contextmanager
def metered(device: Device, listener: Listener) -> Iterator[list[Meter]]:
    """Read the meters of `device` in the block, after which the list has them.  There are none of
    an emulated device, of Android, of this machine without a DSP, and without libqcnpuperf."""
    meters: list[Meter] = []
    if device.emulated:
        yield meters
        return
    from buildtool.device.arm64_code import meters_program  # noqa: PLC0415 - uses zig

    try:
        program = meters_program()
    except BuildtoolError:  # without zig there are no meters
        yield meters
        return
    source, line = os.pipe()
    printed = bytearray()

    def ask() -> None:
        variables = {"size": str(len(program)), "folder": device.root}
        with contextlib.suppress(DeviceError):
            text = script("parts", "meters")
            printed.extend(device.exec(text, variables, stdin=source, timeout=MAX_SECONDS).stdout)

    os.write(line, program)  # a few KB, for which a pipe has room
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield meters
    finally:
        os.close(line)
        thread.join(END_SECONDS)
        os.close(source)
        meters += parse_meters(bytes(printed))
        if not meters and (found := _ERROR.search(printed)):
            listener(
                Note(f"no meters of the DSP: libqcnpuperf is there, but {printable(found[1])}")
            )
