"""Runs the checks of the program `device-probe` on a device, and reads what it prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.device.errors import DeviceConnectionError
from buildtool.run.program import RunRequest

if TYPE_CHECKING:
    from buildtool.testing.session import Ran, Session

PROGRAM = "bin/device-probe"
ALARM = 14  # SIGALRM, with which the program ends itself when a step does not return
LIMIT_SECONDS = 20  # of a step: LIMIT_SECONDS of main.c
TIMEOUT_SECONDS = 120.0
MAX_BYTES = 1 << 20
_LINE = re.compile(r"([a-z_]{1,20}) (-?\d{1,20}(?: \d{1,20}){0,5000})", re.ASCII)
_STEP = re.compile(r"step ([\w-]{1,40})", re.ASCII)
_MISSING = re.compile(r"missing (\w{1,40})", re.ASCII)
SHOWN = 200
_FAILED = re.compile(r"failed [\w-]{1,40} 0x([0-9a-f]{8})", re.ASCII)


class Outcome(Value):
    """The end of a check.

    `numbers` are those that it printed, by name; `missing` is a function that libcdsprpc lacks, ""
    if it has all.  `code` is that of the function that failed, 0 if none has; `problem` says in
    words why there is no result, "" if there is one.
    """

    numbers: dict[str, tuple[int, ...]]
    missing: str = ""
    code: int = 0
    problem: str = ""
    stderr: str = ""

    @property
    def says(self) -> str:
        """The last line on standard error."""
        return self.stderr.strip().rpartition("\n")[2][:SHOWN]

    def number(self, name: str) -> int:
        """The number `name`; raises `LookupError` if it was not printed."""
        return self.numbers[name][0]


def run_check(session: Session, name: str) -> Outcome:
    """Run the check `name`, once: it may be what ends the connection to the device.

    Raises `DeviceError` when nothing can run there."""
    request = RunRequest((PROGRAM, name), timeout=TIMEOUT_SECONDS)
    try:
        return read_outcome(session.run(request, limit=MAX_BYTES, tries=1))
    except DeviceConnectionError as error:
        return Outcome({}, problem=f"the connection was lost: {error.message}")


def read_outcome(ran: Ran) -> Outcome:
    """The outcome in the output of the program, which may be anything."""
    numbers: dict[str, tuple[int, ...]] = {}
    step, missing, code = "", "", 0
    for line in ran.stdout.splitlines():
        if found := _STEP.fullmatch(line):
            step = found[1]
        elif found := _MISSING.fullmatch(line):
            missing = missing or found[1]
        elif found := _FAILED.fullmatch(line):
            code = int(found[1], 16)
        elif found := _LINE.fullmatch(line):
            numbers[found[1]] = tuple(map(int, found[2].split()))
    problem = _problem(ran, step, code)
    return Outcome(numbers, missing, code, problem, ran.stderr)


def _problem(ran: Ran, step: str, code: int) -> str:
    if ran.dsp_crash:
        return ran.dsp_crash
    if code:
        return f"{step} fails with 0x{code:x}"
    if ran.signal == ALARM:
        return f"{step} has not returned within {LIMIT_SECONDS} s"
    if ran.signal is None and ran.status is None:
        return f"it was in {step or 'no step'} after {TIMEOUT_SECONDS:.0f} s"
    if ran.signal is not None:
        return f"signal {ran.signal} ended the program in {step}"
    return f"the program ended with status {ran.status}" if ran.status else ""
