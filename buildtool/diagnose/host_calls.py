"""The call of the ARM64 side that failed because the process on the DSP had crashed.

The crashes that the DSP of a device has logged, in the lines of a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from buildtool.core.value import Value
from buildtool.diagnose.crash_lines import CrashBlock, CrashLines, LineTime, line_time
from buildtool.diagnose.line_patterns import codes_in

CRASHED = frozenset((0x0D, 0x2E, 0x27, 0x72, 0x8000040D))
"""Codes that calls return then: AEE_EBADSTATE, AEE_EINTERRUPTED, AEE_ENOSUCH, AEE_ECONNREFUSED."""
MAX_CALLS = 1000
MAX_DISTANCE = 200
"""Lines between a crash and a call of which no time is known."""
# Source: qualcomm/fastrpc, src/fastrpc_apps_user.c, remote_handle64_invoke.
_METHOD = re.compile(r"failed for module (\S{1,200}?), handle \w{1,18}, method (\d{1,3}) on domain")


class HostCall(Value):
    """A line about a call that failed with `code`; `skel` and `method` are "" and None if it does
    not name them."""

    log: str
    line: int
    text: str
    time: LineTime | None
    code: int
    skel: str
    method: int | None


class HostCalls:
    """Collects the calls that failed with a code of `CRASHED`."""

    def __init__(self) -> None:
        self._calls: list[HostCall] = []

    def add(self, log: str, line: int, text: str, code: int) -> None:
        """Add a line that has `code`."""
        if code not in CRASHED or len(self._calls) >= MAX_CALLS:
            return
        found = _METHOD.search(text)
        skel, method = (found[1].rpartition("/")[2], int(found[2])) if found else ("", None)
        self._calls.append(HostCall(log, line, text, line_time(text), code, skel, method))

    def of(self, block: CrashBlock) -> HostCall | None:
        """The call that failed because of the crash, if its line is of the same second, or close to
        it and without a time; lines that name a method of a library in the crash come first."""
        modules = {call.module for call in block.calls}
        if block.module:
            modules.add(block.module.name)
        calls = [call for call in self._calls if _belongs(call, block)]
        return min(calls, key=lambda call: _rank(call, block, modules), default=None)


def _belongs(call: HostCall, block: CrashBlock) -> bool:
    if call.time and block.time:
        return call.time.is_near(block.time)
    return call.log == block.log and abs(call.line - block.last) <= MAX_DISTANCE


def _rank(
    call: HostCall, block: CrashBlock, modules: Iterable[str]
) -> tuple[bool, bool, bool, int]:
    after = call.log != block.log or call.line > block.first
    return call.skel not in modules, call.method is None, not after, abs(call.line - block.last)


def crashes_in_lines(
    log: str, lines: Sequence[str]
) -> tuple[tuple[CrashBlock, HostCall | None], ...]:
    """The crashes in all `lines` of `log`, each with the call that failed because of it."""
    blocks, calls = CrashLines(), HostCalls()
    lowered = [line.lower() for line in lines]
    blocks.read(log, 1, lines, "\n".join(lowered))
    for number, line in enumerate(lowered, 1):
        for code in codes_in(line):
            calls.add(log, number, lines[number - 1], code)
    return tuple((block, calls.of(block)) for block in blocks.blocks())
