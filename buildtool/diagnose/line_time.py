"""The time at the start of a line of a log."""

from __future__ import annotations

import re

from buildtool.core.value import Value

_CLOCK = re.compile(
    r"\s{0,8}(?:\d{4}-)?(\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:Z|[+-]\d\d:?\d\d)?"
)
_SYSLOG = re.compile(r"\s{0,8}([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)")
_KERNEL = re.compile(r"\s{0,8}\[ {0,12}(\d{1,10}\.\d{1,9})\]")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BOOT = "boot"


class LineTime(Value):
    """Seconds since the start of `day`, which is MM-DD, or since the machine was booted; the text
    of the time ends at `end` in its line."""

    day: str
    seconds: float
    end: int

    def is_near(self, other: LineTime) -> bool:
        """Whether the two are not more than a second apart."""
        return self.day == other.day and abs(self.seconds - other.seconds) <= 1


def line_time(line: str) -> LineTime | None:
    """The time that logcat, the journal, dmesg or ISO 8601 write at the start of `line`; None if
    there is none.  Time zones are ignored."""
    if found := _CLOCK.match(line):
        fraction = float(f"0.{found[5] or 0}")
        return LineTime(found[1], _of_day(*found.group(2, 3, 4)) + fraction, found.end())
    if found := _KERNEL.match(line):
        return LineTime(_BOOT, float(found[1]), found.end())
    if (found := _SYSLOG.match(line)) and found[1] in _MONTHS:
        day = f"{_MONTHS.index(found[1]) + 1:02}-{int(found[2]):02}"
        return LineTime(day, float(_of_day(*found.group(3, 4, 5))), found.end())
    return None


def _of_day(hours: str, minutes: str, seconds: str) -> int:
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds)
