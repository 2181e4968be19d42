"""The speed of a device while it is measured: clocks, temperature, and the time of a loop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.device.device import Device
from buildtool.device.facts import parse_clocks
from buildtool.device.script import script

if TYPE_CHECKING:
    from buildtool.documents.measurements import ConditionsObject

MAX_LOOP_RATIO = 2.5
"""Other programs on the same core double the processor time of a loop, at the same clock."""
MAX_CLOCK_RATIO = 1.1


class Conditions(Value):
    """How fast a device is: the processor time of a loop in its shell in seconds, the clock of each
    cluster of processors in kHz, and the highest temperature in 0.001 °C.  What is unknown is 0, or
    missing.

    The loop is there because a clock that firmware lowers is not always visible in sysfs.
    """

    loop: float
    clocks: tuple[int, ...]
    temperature: int

    def as_json(self) -> ConditionsObject:
        return {
            "loop_seconds": self.loop,
            "clocks_khz": list(self.clocks),
            "temperature": self.temperature / 1000,
        }


def read_conditions(device: Device) -> Conditions:
    """Ask `device`; raises `DeviceConnectionError`."""
    return parse_conditions(
        device.exec(script("conditions", "clocks")).stdout.decode(errors="replace")
    )


def parse_conditions(text: str) -> Conditions:
    """The conditions in what the script prints, in which anything may be missing."""
    # "0m0.080000s 0m0.000000s": user and system time of the shell.  Source: POSIX, `times`.
    loop = re.search(r"^(\d{1,4})m(\d{1,2}\.\d{1,9})s", text, re.ASCII | re.MULTILINE)
    clocks = parse_clocks(text)
    return Conditions(
        loop=60 * int(loop[1]) + float(loop[2]) if loop else 0,
        clocks=clocks.clusters,
        temperature=clocks.temperature,
    )


def same_speed(one: Conditions, other: Conditions) -> bool:
    """Whether samples under both conditions can be compared."""
    return _within(one.loop, other.loop, MAX_LOOP_RATIO) and not _changed_clocks(one, other)


def _changed_clocks(one: Conditions, other: Conditions) -> list[tuple[int, int]]:
    """The clocks that are different: before and after."""
    pairs = zip(one.clocks, other.clocks, strict=False)
    return [pair for pair in pairs if not _within(*pair, MAX_CLOCK_RATIO)]


def speed_change(before: Conditions, now: Conditions) -> str:
    """What is different now, in words."""
    for former, clock in _changed_clocks(before, now):
        return f"a clock is {clock // 1000:,} MHz instead of {former // 1000:,}"
    return f"a loop takes {now.loop:.2f} s of processor time instead of {before.loop:.2f}"


def _within(one: float, other: float, ratio: float) -> bool:
    low, high = sorted((one, other))
    return not low or high <= low * ratio
