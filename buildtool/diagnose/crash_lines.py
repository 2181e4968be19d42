"""Reads the lines in which a DSP logs that a process on it crashed.

Older and newer firmware differ in what is before the text of each line:

    CDSP:platform_qdi_driver.c:792:0x191:1: Fault PC   :    0x20020044
    b8033d:b86: CDSP0:[R]: Fault PC   :    0xFDE4BC98

Before that are time and names of logcat, of the journal or of the kernel's log, or nothing.  The
lines of other processes may be between them, and some of them may be missing.  Anybody can write
such lines into a log, so nothing in them is trusted.

The time at the start of a line of a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from buildtool.core.value import Value
from buildtool.diagnose.crash_report import MAX_FRAMES

MARKS = ("crashed!!!", "crashed in thread", "crashed shared object", "fault pc ", "code at ")
"""Texts in lower case, of which a line that begins a block has one."""
MAX_BLOCKS = 16
MAX_GAP = 500
"""Lines of others between two lines of a block."""
REGISTERS = ("Fault PC", "LR", "SP", "Bad VA", "FP", "SSR", "Error code")
"""The registers of a block, in the order of its lines."""
_HEX = r"(?:0x)?([0-9A-Fa-f]{1,8})\b"
_HEADER = re.compile(r"Process on \w{1,8} CRASHED")
_PROCESS = re.compile(
    r'Process "([^"]{0,200})" crashed in thread "([^"]{0,100})"(?: due to| for)? ?(.{0,200})'
)
_OBJECT = re.compile(rf'Crashed Shared Object "([^"]{{1,300}})" load address : *{_HEX}')
_SHELL = re.compile(rf"(?<!\S)(\S{{1,100}}) load address : *{_HEX} +and size : *{_HEX}")
_REGISTER = re.compile(rf"(?<![^\s:])({'|'.join(REGISTERS)}) *: *{_HEX}\s*$")
_CALL = re.compile(
    rf"(?<!\S)\[<{_HEX}>\] +(\S{{0,500}}?)(?:\+0x([0-9A-Fa-f]{{1,8}}))?: *\(([^()]{{1,300}})\)"
)
_OFFSET = re.compile(r"([\w.+-]{1,255})\+0x([0-9A-Fa-f]{1,8})\b", re.ASCII)
_METHOD = re.compile(r", in method (\d{1,3}) of ([\w.+-]{1,255}):", re.ASCII)
_NAME = re.compile(r"[\w.+-]{1,255}\Z", re.ASCII)
_SOURCE_LINE = re.compile(r"(?<=\.c):\d+")
_CLOCK = re.compile(
    r"\s{0,8}(?:\d{4}-)?(\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:Z|[+-]\d\d:?\d\d)?"
)
_SYSLOG = re.compile(r"\s{0,8}([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)")
_KERNEL = re.compile(r"\s{0,8}\[ {0,12}(\d{1,10}\.\d{1,9})\]")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BOOT = "boot"


class TracedCall(Value):
    """A line of a call trace: an address in a module; `offset` bytes after the exported function
    `symbol`, which is "" if the device knows none."""

    address: int
    symbol: str
    offset: int
    module: str


class Mapped(Value):
    """Where a file is loaded; `size` is 0 if that is not known."""

    name: str
    address: int
    size: int = 0


class CrashBlock(Value):
    """What the lines of a crash say: `first` and `last` are their numbers in `log`.

    `module` is the library whose code crashed, `shell` the program that loads libraries; `skel` and
    `method` are those of the call.  Texts are "" and values None if their line is missing.
    """

    log: str
    first: int
    last: int
    time: LineTime | None
    process: str
    thread: str
    reason: str
    module: Mapped | None
    shell: Mapped | None
    registers: Mapping[str, int]
    calls: tuple[TracedCall, ...]
    skel: str = ""
    method: int | None = None


class CrashLines:
    """Collects the crashes in the lines of logs."""

    def __init__(self) -> None:
        self._blocks: list[tuple[str, _Block]] = []  # each with the prefix of its lines
        self._offsets: list[CrashBlock] = []
        self._logs: dict[str, int] = {}

    def read(self, log: str, first: int, lines: Iterable[str], lowered: str) -> None:
        """Read some lines of `log`, the first of which has the number `first`; `lowered` is their
        text in lower case."""
        self._logs.setdefault(log, len(self._logs))
        begins = any(mark in lowered for mark in MARKS)
        if begins or any(b.is_near(log, first) for _, b in self._blocks):
            for number, line in enumerate(lines, first):
                self._read_line(log, number, line)

    def blocks(self) -> tuple[CrashBlock, ...]:
        """The crashes in the order of their lines."""
        blocks = [*(block.value() for _, block in self._blocks), *self._offsets]
        return tuple(sorted(blocks, key=lambda block: (self._logs[block.log], block.first)))

    def _read_line(self, log: str, number: int, line: str) -> None:
        if "code at " in line and (found := _offset(log, number, line)):
            if len(self._offsets) < MAX_BLOCKS:
                self._offsets.append(found)
            return
        parsed = _parse(line)
        if parsed is None:
            return
        kind, start, value = parsed
        prefix = _prefix(line[:start])
        for other, block in reversed(self._blocks):
            if other == prefix and block.is_near(log, number) and block.lacks(kind, value):
                block.add(number, kind, value)
                return
        if kind in (_HEADER, _PROCESS, _OBJECT, "Fault PC") and len(self._blocks) < MAX_BLOCKS:
            block = _Block(log, number, line_time(line))
            block.add(number, kind, value)
            self._blocks.append((prefix, block))


class _Block:
    """The lines of a crash that were read so far."""

    def __init__(self, log: str, number: int, time: LineTime | None) -> None:
        self._log, self._first, self._last, self._time = log, number, number, time
        self._found: dict[object, tuple[str, ...]] = {}
        self._calls: list[TracedCall] = []

    def is_near(self, log: str, number: int) -> bool:
        """Whether a line may belong to this block."""
        return log == self._log and number - self._last <= MAX_GAP

    def lacks(self, kind: object, value: tuple[str, ...]) -> bool:
        """Whether there is no such line yet; a line that is there begins another block."""
        if kind in (_HEADER, _PROCESS):
            return kind not in self._found and len(self._found) <= (kind is _PROCESS)
        return kind is _CALL or kind not in self._found or self._found[kind] == value

    def add(self, number: int, kind: object, value: tuple[str, ...]) -> None:
        self._last = number
        if kind is not _CALL:
            self._found.setdefault(kind, value)
        elif len(self._calls) < MAX_FRAMES and (module := _file_name(value[3])):
            symbol = value[1] if value[1] not in ("(null)", "") else ""
            self._calls.append(
                TracedCall(int(value[0], 16), symbol, int(value[2] or "0", 16), module)
            )

    def value(self) -> CrashBlock:
        process, thread, reason = self._found.get(_PROCESS, ("", "", ""))
        return CrashBlock(
            log=self._log,
            first=self._first,
            last=self._last,
            time=self._time,
            process=process.rpartition("/")[2].partition(" ")[2] or process,
            thread=thread,
            reason=reason.strip().removesuffix(" occurrence"),
            module=_mapped(self._found.get(_OBJECT)),
            shell=_mapped(self._found.get(_SHELL)),
            registers={
                name: int(self._found[name][0], 16) for name in REGISTERS if name in self._found
            },
            calls=tuple(self._calls),
        )


def _offset(log: str, number: int, line: str) -> CrashBlock | None:
    """The crash in a line `code at MODULE+0xOFFSET`, or in one in which libcdsprpc of the emulated
    device says so (emulator/cdsprpc/watch.c)."""
    before, _, where = line.partition("code at ")
    died = before.partition(" died: ")
    found = _OFFSET.match(where)
    if not found or (before.strip() and not died[2]):
        return None
    method = _METHOD.search(where)
    return CrashBlock(
        log=log,
        first=number,
        last=number,
        time=line_time(line),
        process="",
        thread="",
        reason=died[2][:300].strip().removesuffix(",") or f"code at {found[0]}",
        module=Mapped(found[1], 0),
        shell=None,
        registers={"Fault PC": int(found[2], 16)},
        calls=(),
        skel=method[2] if method else "",
        method=int(method[1]) if method else None,
    )


def _parse(line: str) -> tuple[object, int, tuple[str, ...]] | None:
    """What kind of line of a block `line` is, where its text begins, and its values."""
    for pattern, text in (
        (_CALL, "[<"),
        (_HEADER, "CRASHED"),
        (_PROCESS, "crashed in thread"),
        (_OBJECT, "Crashed Shared Object"),
        (_SHELL, " and size : "),
    ):
        if text in line and (found := pattern.search(line)):
            return pattern, found.start(), tuple(group or "" for group in found.groups())
    if ":" in line and (found := _REGISTER.search(line)):
        return found[1], found.start(), (found[2],)
    return None


def _prefix(text: str) -> str:
    """What the lines of a block have in common: `text` without the time, and without the line of
    the source that logs it."""
    time = line_time(text)
    return _SOURCE_LINE.sub("", text[time.end :] if time else text).strip("# ")


def _file_name(path: str) -> str:
    name = path.rpartition("/")[2]
    return name if _NAME.match(name) else ""


def _mapped(found: tuple[str, ...] | None) -> Mapped | None:
    if found is None or not (name := _file_name(found[0])):
        return None
    return Mapped(name, *(int(number, 16) for number in found[1:]))


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
