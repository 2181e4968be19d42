"""The speed of a device while it is measured: clocks, temperature, and the time of a loop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.device.device import Device
from buildtool.device.script import script

if TYPE_CHECKING:
    from buildtool.documents.measurements import ConditionsObject

MAX_LOOP_RATIO = 1.5
"""The loop is timed in ticks of 10 ms, and takes about ten."""
MAX_CLOCK_RATIO = 1.1
MAX_KHZ, MAX_MILLIDEGREES = 100_000_000, 1_000_000


class Conditions(Value):
    """How fast a device is: the processor time of a loop in its shell in seconds, the highest clock
    in kHz, and the highest temperature in 0.001 °C.  Each is 0 if it is unknown.

    The loop is there because a clock that firmware lowers is not always visible in sysfs.
    """

    loop: float
    clock: int
    temperature: int

    def as_json(self) -> ConditionsObject:
        return {
            "loop_seconds": self.loop,
            "clock_khz": self.clock,
            "temperature": self.temperature / 1000,
        }


def read_conditions(device: Device) -> Conditions:
    """Ask `device`; raises `DeviceConnectionError`."""
    return parse_conditions(device.exec(script("conditions")).stdout.decode(errors="replace"))


def parse_conditions(text: str) -> Conditions:
    """The conditions in what the script prints, in which anything may be missing."""
    # "0m0.080000s 0m0.000000s": user and system time of the shell.  Source: POSIX, `times`.
    loop = re.search(r"^(\d{1,4})m(\d{1,2}\.\d{1,9})s", text, re.ASCII | re.MULTILINE)
    clocks = map(int, re.findall(r"^clock (\d{1,9})$", text, re.ASCII | re.MULTILINE))
    heat = map(int, re.findall(r"^temperature (\d{1,9})$", text, re.ASCII | re.MULTILINE))
    return Conditions(
        loop=60 * int(loop[1]) + float(loop[2]) if loop else 0,
        clock=max((clock for clock in clocks if clock <= MAX_KHZ), default=0),
        temperature=max((degrees for degrees in heat if degrees <= MAX_MILLIDEGREES), default=0),
    )


def same_speed(one: Conditions, other: Conditions) -> bool:
    """Whether samples under both conditions can be compared."""
    return _within(one.loop, other.loop, MAX_LOOP_RATIO) and _within(
        one.clock, other.clock, MAX_CLOCK_RATIO
    )


def speed_change(before: Conditions, now: Conditions) -> str:
    """What is different now, in words."""
    if not _within(before.clock, now.clock, MAX_CLOCK_RATIO):
        return f"the clock is {now.clock // 1000:,} MHz instead of {before.clock // 1000:,}"
    return f"a loop takes {now.loop:.2f} s of processor time instead of {before.loop:.2f}"


def _within(one: float, other: float, ratio: float) -> bool:
    low, high = sorted((one, other))
    return not low or high <= low * ratio
