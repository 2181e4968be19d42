"""The crashes that the DSP of a device has logged, in the lines of a log."""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.diagnose.crash_lines import CrashBlock, CrashLines
from buildtool.diagnose.host_calls import HostCall, HostCalls
from buildtool.diagnose.line_patterns import codes_in


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
