"""Durations, ports, and the checks of `[run.NAME]`, `[test.NAME]` and `[expected-failure.TAG]`.

Requirements: `requires` of a target, what a device has to be able to do according to its capability
card; `expect-dsp`, what programs have to ask of the DSP.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

from buildtool.core.errors import UsageError
from buildtool.core.value import Described, Value
from buildtool.project.benches import Bench
from buildtool.project.keys import Violation, file_violations, path_violations
from buildtool.project.model import ExpectedFailure, Run, Test

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
MAX_PORT = (1 << 16) - 1
VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
LONGEST = 500 * 3600
"""Seconds of the longest duration: the kernel's calls that wait take milliseconds in 31 bits."""
DURATION_FORM = 'Write a number and a unit: "90s", "2m" or "1h".'
PORT_FORM = 'Write PORT or HERE:PORT, such as "8080" or "9000:8080"; HERE may be 0.'
CAPABILITIES = {
    "arch": "",
    "hvx-units": "",
    "hvx-integer": "",
    "hvx-float": "",
    "vtcm": "MiB",
    "hmx": "",
    "unsigned-pd": "",
    "zero-copy": "",
    "unmap": "",
    "map-size": "MiB",
    "dspqueue": "",
    "sessions": "",
    "latency": "us",
    "bandwidth": "MB/s",
    "clock": "MHz",
}
"""What `buildtool probe` finds out, and the unit of its number; "" for none."""
NUMBERS = frozenset({"arch", "hvx-units", *(name for name, unit in CAPABILITIES.items() if unit)})
_TEXT = (  # not compiled: few projects have requirements
    r"(?P<name>[a-z0-9-]+)"
    r"(?: *(?P<sign>>=|<=) *(?P<arch>v?)(?P<limit>\d{1,9}(?:\.\d{1,6})?) *(?P<unit>\S*))?"
)
_COUNT = r"(?P<sign>>=|<=) *(?P<limit>\d{1,9})"
MESSAGES = "messages"
"""The key of `expect-dsp` for messages in queues; other keys are names of methods."""


class Forward(Described):
    """A TCP port of a device, and the port of 127.0.0.1 here that leads to it; 0 for a free one."""

    here: Annotated[int, "port of 127.0.0.1"]
    there: Annotated[int, "port of the device"]


def seconds(text: str) -> float:
    """The duration "90", "90s", "1.5m" or "1h" in seconds; raises `ValueError`."""
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)([smh]?)", text)
    if not found or float(found[1]) == 0:
        raise ValueError(f"{text!r} is not a duration")
    duration = float(found[1]) * _UNITS[found[2] or "s"]
    if duration > LONGEST:
        raise ValueError(f"{text!r} is longer than {LONGEST // 3600}h")
    return duration


def option_seconds(text: str) -> float:
    """The value of --timeout in seconds, 0 if it is not given; raises `UsageError`."""
    if not text:
        return 0
    try:
        return seconds(text)
    except ValueError as error:
        raise UsageError(f"--timeout: {error}", remedy=DURATION_FORM) from error


def ports(text: str) -> Forward:
    """The ports in "8080" or "9000:8080", of which the second is the device's.

    Raises `ValueError`.
    """
    found = re.fullmatch(r"(?:(\d{1,5}):)?(\d{1,5})", text, re.ASCII)
    named = Forward(int(found[1] or found[2]), int(found[2])) if found else Forward(0, 0)
    if not 0 < named.there <= MAX_PORT or named.here > MAX_PORT:
        raise ValueError(f"{text!r} does not name ports from 1 to {MAX_PORT}")
    return named


def run_violations(runs: Mapping[str, Run]) -> Iterator[Violation]:
    """The problems of named runs."""
    for name, run in runs.items():
        if not run.program:
            yield ("run", name, "program"), "is empty", 'Name a program: "bin/demo".'
        yield from program_violations(("run", name), run)
        for text in run.forward:
            try:
                ports(text)
            except ValueError as error:
                yield ("run", name, "forward"), str(error), PORT_FORM


def violations_of_tests(root: Path, tests: Mapping[str, Test]) -> Iterator[Violation]:
    """The problems of the tests of the project in `root`."""
    for name, test in tests.items():
        at = ("test", name)
        if not (test.program or test.pytest or test.calls):
            yield at, "lacks the key 'program'", 'Add: program = "bin/demo-test", or pytest = […]'
        if test.calls:
            yield from file_violations(root, test.calls, (*at, "calls"), "a recording of calls")
        kind = "pytest" if test.pytest else "calls"
        for key in ("program", "args", "cwd", "farf") if getattr(test, kind) else ():
            if getattr(test, key):
                yield (
                    (*at, key),
                    f"is for a program, and this test is for {kind}",
                    "Remove it, or add another test: the tests themselves say what runs.",
                )
        for path in test.pytest:
            yield from path_violations(root, path.partition("::")[0], (*at, "pytest"))
        yield from program_violations(at, test)


def expected_failure_violations(
    expected: Mapping[str, ExpectedFailure],
) -> Iterator[Violation]:
    """The problems of expected failures."""
    for tag, failure in expected.items():
        if not failure.reason.strip():
            at = ("expected-failure", tag, "reason")
            yield at, "is empty", "Write why these tests fail; reports show it."
        yield from requirement_violations(("expected-failure", tag), failure.requires)


def requirement_violations(at: tuple[str, str], requires: Iterable[str]) -> Iterator[Violation]:
    """The problems of the key `requires` of a table."""
    for requirement in requires:
        try:
            parse_requirement(requirement)
        except ValueError as error:
            example = 'requires = ["hvx-float", "arch >= v73", "vtcm >= 2 MiB"]'
            yield (*at, "requires"), str(error), f"Write it as in {example}."


def program_violations(at: tuple[str, str], run: Run | Test | Bench) -> Iterator[Violation]:
    """The problems of keys that all programs have."""
    for variable in run.env:
        if not re.fullmatch(VARIABLE, variable):
            yield (
                (*at, "env"),
                f"{variable!r} is not the name of a variable",
                "Use letters, digits and '_'; do not start with a digit.",
            )
    if run.timeout:
        try:
            seconds(run.timeout)
        except ValueError as error:
            yield (*at, "timeout"), str(error), DURATION_FORM


class Requirement(Value):
    """A capability or a count, and with `sign` (">=" or "<=") the limit of its number."""

    name: str
    sign: str = ""
    limit: float = 0

    def met_by(self, value: float) -> bool:
        return {"": True, ">=": value >= self.limit, "<=": value <= self.limit}[self.sign]


def parse_requirement(text: str) -> Requirement:
    """The requirement in `text`, such as "hvx-float", "arch >= v73" or "vtcm >= 2 MiB".

    Raises `ValueError` with what is wrong.
    """
    found = re.fullmatch(_TEXT, text, re.ASCII)
    if not found:
        raise ValueError(f"{text!r} is neither NAME nor NAME >= NUMBER UNIT, or with <=")
    name, sign = found["name"], found["sign"] or ""
    if name not in CAPABILITIES:
        raise ValueError(f"there is no capability {name!r}: {', '.join(CAPABILITIES)}")
    if sign and name not in NUMBERS:
        raise ValueError(f"{name} has no number: a DSP has it, or has it not")
    if sign and (found["unit"] != CAPABILITIES[name] or (found["arch"] and name != "arch")):
        raise ValueError(f"{text!r}: the unit of {name} is {CAPABILITIES[name] or 'none'}")
    return Requirement(name, sign, float(found["limit"] or 0))


def parse_count(name: str, text: object) -> Requirement:
    """The requirement `name = text` of `expect-dsp`, such as `messages = ">= 1"`.

    Raises `ValueError` with what is wrong.
    """
    if not re.fullmatch(r"[A-Za-z_]\w{0,199}", name, re.ASCII):
        raise ValueError(f"{name!r} is neither messages nor the C name of a method")
    found = re.fullmatch(_COUNT, text, re.ASCII) if isinstance(text, str) else None
    if not found:
        raise ValueError(f"{name} = {text!r} is not a number of calls")
    return Requirement(name, found["sign"], int(found["limit"]))
