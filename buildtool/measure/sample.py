"""One sample of a bench: the program runs once, its output is checked, its metrics are read.

The conditions of the device tell whether samples can be compared: clocks, temperature, and the time
of a loop.
"""

from __future__ import annotations

import json
import math
import posixpath
import re
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.core.errors import UsageError
from buildtool.core.files import file_digest
from buildtool.core.value import Described, Value, computed
from buildtool.device.device import Device
from buildtool.device.errors import DeviceConnectionError, DeviceError
from buildtool.device.facts import parse_clocks
from buildtool.device.script import script
from buildtool.project.benches import ELEMENT_CODES, SEED, Bench, Check, Metric, filled
from buildtool.project.model import Project
from buildtool.project.runs import seconds
from buildtool.run.program import RunRequest, variables

if TYPE_CHECKING:
    from buildtool.run.dsp_calls import DspCalls
    from buildtool.run.method_counts import MethodCounts
    from buildtool.testing.session import Ran, Session

FIRST_SEED, OTHER_SEED = 1, 2
SHOWN_OUTPUT = 300
MAX_LOOP_RATIO = 2.5
"""Other programs on the same core double the processor time of a loop, at the same clock."""
MAX_CLOCK_RATIO = 1.1
SHOWN = 60
CHUNK_ELEMENTS = 1 << 16


class Sample(Value):
    """One run of the program of a bench.

    `evidence` is what has to be the same in all runs with one seed.  `problems` say for each check
    that failed why, in a line; a sample with problems has no metrics.  `methods` are the counts of
    an emulated DSP; `conditions` were read right after the run, on other devices; `calls` are those
    of the program with `--expect-dsp`.
    """

    seed: int
    seconds: float
    evidence: tuple[str, ...]
    problems: Mapping[str, str]
    metrics: Mapping[str, float]
    methods: tuple[MethodCounts, ...]
    conditions: Conditions | None = None
    calls: DspCalls | None = None


class Sampler:
    """Takes samples of the bench `name` of `project` with the release of a session."""

    def __init__(self, project: Project, name: str, session: Session, folder: Path) -> None:
        """Files are fetched into `folder`.  The bench and its checks are those of `project`; the
        release can be that of another revision."""
        self.session = session
        self.bench: Bench = project.benches[name]
        self.parameters = variables(self.bench.parameters)
        self._project = project
        self._fetched = folder / "output"
        release = session.ready.release
        shipped = {file.path for file in release.files} | {link.path for link in release.links}
        if self.bench.output in shipped:
            raise UsageError(
                f"[bench.{name}] output: {self.bench.output} is a file of the release",
                why="the output file is removed before each run",
                remedy="Let the program write another file.",
            )
        emulated = session.ready.site.device.emulated is not None
        self.metrics = {
            metric: project.metrics[metric]
            for metric in self.bench.metrics
            if project.metrics[metric].exact or not emulated
        }
        """The metrics that mean something on the device: on an emulated one, a time does not."""

    @property
    def place(self) -> Mapping[str, Any]:
        """The fields of `BenchResult` that say what runs where."""
        return {**self.session.ready.names, "soc": self.session.ready.soc}

    @property
    def device(self) -> Device | None:
        return self.session.ready.site.device

    def sample(self, seed: int) -> Sample:
        """Run the program with `seed`.  Raises `DeviceError` when it cannot run."""
        bench, problems = self.bench, {}
        if bench.output:
            self._clear_output()
        ran, counted = self._run(self._request(bench.program, bench.args, seed), afresh=True)
        if problem := _end_problem(ran, bench):
            problems["exit status"] = problem
            return Sample(seed, ran.seconds, (), problems, {}, ran.methods)
        evidence = []
        if bench.output:
            try:
                self._fetch_output()
                evidence.append(file_digest(self._fetched))
            except DeviceConnectionError:
                raise
            except DeviceError as error:
                problems["output"] = f"{bench.output}: {error.why or error.message}"
        for name in bench.checks:
            check = self._project.checks[name]
            if check.match:
                found = re.search(check.match, ran.stdout, re.MULTILINE)
                evidence += [str(group) for group in found.groups()] if found else []
        if ran.calls is not None and ran.calls.problem:
            problems["dsp calls"] = ran.calls.problem
        problems |= dict(self._check_problems(ran, seed)) if not problems else {}
        metrics = dict(counted)
        for name, metric in self.metrics.items():
            try:
                if name not in counted:
                    metrics[name] = read_metric(metric, ran.stdout)
            except ValueError as error:
                problems[f"metric {name}"] = str(error)
        taken = {} if problems else metrics
        return Sample(
            *(seed, ran.seconds, tuple(evidence), problems, taken, ran.methods), calls=ran.calls
        )

    def _run(self, request: RunRequest, *, afresh: bool = False) -> tuple[Ran, Mapping[str, float]]:
        """How a program ended, and the metrics that it did not print itself."""
        return self.session.run(request, afresh=afresh), {}

    def _clear_output(self) -> None:
        """Remove the output file, if that of an earlier run can be there."""
        if not self._output().startswith(f"{self._release()}/"):
            self.session.ready.site.device.exec('rm -f -- "$1"', arguments=[self._output()])

    def _fetch_output(self) -> None:
        self.session.ready.site.device.pull(self._output(), self._fetched)

    @property
    def request(self) -> RunRequest:
        """What runs with the first seed."""
        return self._request(self.bench.program, self.bench.args, FIRST_SEED)

    def _check_problems(self, ran: Ran, seed: int) -> Iterator[tuple[str, str]]:
        """The names of the checks that fail, and why."""
        for name in self.bench.checks:
            check = self._project.checks[name]
            found = re.search(check.no_match, ran.stdout, re.MULTILINE) if check.no_match else None
            if check.match and not re.search(check.match, ran.stdout, re.MULTILINE):
                yield name, f"the standard output does not match {check.match}: {_end(ran.stdout)}"
            elif found:
                yield name, f"the standard output contains {found[0][:SHOWN_OUTPUT]!r}"
            # The reference is for the first seed.
            elif check.reference and seed == FIRST_SEED and (problem := self._compare(name)):
                yield name, f"{self.bench.output}: {problem}"
            elif check.program:
                checked, _ = self._run(self._request(check.program, check.args, seed))
                if problem := _end_problem(checked, self.bench):
                    yield name, f"{check.program}: {problem}"

    def _compare(self, name: str) -> str:
        check = self._project.checks[name]
        reference = self._project.root / filled(check.reference, self.parameters)
        try:
            return compare_elements(check, self._fetched, reference)
        except OSError as error:
            return f"{reference} cannot be read: {error.strerror}"

    def _request(self, program: str, args: tuple[str, ...], seed: int) -> RunRequest:
        values = {**self.parameters, SEED: seed}
        env = variables(self.bench.env)
        return RunRequest(
            command=(program, *(filled(text, values) for text in args)),
            env={name: filled(text, values) for name, text in env.items()},
            cwd=self.bench.cwd,
            timeout=seconds(self.bench.timeout),
        )

    def _output(self) -> str:
        """The path on the device of the file that the program writes."""
        path = posixpath.join(self._release(), self.bench.cwd, self.bench.output)
        return posixpath.normpath(path)

    def _release(self) -> str:
        ready = self.session.ready
        return ready.site.release(ready.deployment.id)


def _end_problem(ran: Ran, bench: Bench) -> str:
    """Why the end of a program is not that of a success, "" if it is."""
    if ran.dsp_crash:
        return ran.dsp_crash
    if ran.signal is not None:
        return f"signal {ran.signal} ended it: {_end(ran.stderr or ran.stdout)}"
    if ran.status is None:
        return f"it did not end within {bench.timeout}: {_end(ran.stderr or ran.stdout)}"
    if ran.status:
        return f"it is {ran.status}: {_end(ran.stderr or ran.stdout)}"
    return ""


def _end(text: str) -> str:
    """The last line of an output."""
    lines = text.rstrip().rpartition("\n")
    return repr(lines[2][-SHOWN_OUTPUT:]) if lines[2] else "without output"


class Conditions(Described):
    """How fast a device is; `heat` is in 0.001 °C.  What is unknown is 0, or missing.

    The loop is there because a clock that firmware lowers is not always visible in sysfs.
    """

    loop_seconds: Annotated[float, "processor time of a loop in the device's shell; 0 if unknown"]
    clocks_khz: Annotated[tuple[int, ...], "clock of each cluster of its processors"]
    temperature: Annotated[float, "highest temperature in °C; 0 if unknown"] = computed(
        lambda self: self.heat / 1000
    )
    heat: int


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
        loop_seconds=60 * int(loop[1]) + float(loop[2]) if loop else 0,
        clocks_khz=clocks.clusters,
        heat=clocks.temperature,
    )


def same_speed(one: Conditions, other: Conditions) -> bool:
    """Whether samples under both conditions can be compared."""
    return _within(one.loop_seconds, other.loop_seconds, MAX_LOOP_RATIO) and not _changed_clocks(
        one, other
    )


def _changed_clocks(one: Conditions, other: Conditions) -> list[tuple[int, int]]:
    """The clocks that are different: before and after."""
    pairs = zip(one.clocks_khz, other.clocks_khz, strict=False)
    return [pair for pair in pairs if not _within(*pair, MAX_CLOCK_RATIO)]


def speed_change(before: Conditions, now: Conditions) -> str:
    """What is different now, in words."""
    for former, clock in _changed_clocks(before, now):
        return f"a clock is {clock // 1000:,} MHz instead of {former // 1000:,}"
    loops = now.loop_seconds, before.loop_seconds
    return "a loop takes {:.2f} s of processor time instead of {:.2f}".format(*loops)


def _within(one: float, other: float, ratio: float) -> bool:
    low, high = sorted((one, other))
    return not low or high <= low * ratio


def read_metric(metric: Metric, output: str) -> float:
    """The number of `metric` in the standard output of a program.  Raises `ValueError` when there
    is none, or one that nothing can be compared with: a time of 0 means that nothing was
    measured."""
    text = _matched(metric.match, output) if metric.match else _json_value(metric.json, output)
    try:
        number = float(text)
    except (ValueError, OverflowError):
        raise ValueError(f"{text[:SHOWN]!r} is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"the number is {number}")
    if number <= 0 and not metric.exact:
        raise ValueError(f"the number is {number:g}, so nothing was measured")
    return number


def _matched(expression: str, output: str) -> str:
    if found := re.search(expression, output, re.MULTILINE):
        return found[1] or ""
    raise ValueError(f"the standard output does not match {expression}")


def _json_value(path: str, output: str) -> str:
    try:
        value: Any = json.loads(output)
    except (ValueError, RecursionError):
        raise ValueError("the output is not a JSON document") from None
    for part in path.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (LookupError, ValueError, TypeError):
            raise ValueError(f"the JSON document has no {path}") from None
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"{path} of the JSON document is not a number")
    return str(value)


def compare_elements(check: Check, written: Path, reference: Path) -> str:
    """How the file `written` differs from `reference`, in a line; "" if each element is within the
    tolerances of `check`.  Raises `OSError`."""
    sizes = written.stat().st_size, reference.stat().st_size
    if sizes[0] != sizes[1]:
        return f"it has {sizes[0]:,} bytes, and {reference.name} has {sizes[1]:,}"
    if not sizes[1]:
        return f"{reference.name} is empty, so nothing is checked"
    element = struct.Struct(f"<{ELEMENT_CODES[check.type]}")
    if sizes[0] % element.size:
        return f"its {sizes[0]:,} bytes are no elements of type {check.type}"
    first = ""
    differing = index = 0
    with written.open("rb") as ours, reference.open("rb") as right:
        while expected := right.read(CHUNK_ELEMENTS * element.size):
            found = ours.read(len(expected))
            if found != expected:
                pairs = zip(element.iter_unpack(found), element.iter_unpack(expected), strict=True)
                for number, ((value,), (wanted,)) in enumerate(pairs, index):
                    if not _is_close(value, wanted, check):
                        first = first or f"element {number:,} is {value!r} instead of {wanted!r}"
                        differing += 1
            index += len(expected) // element.size
    return f"{first}; {differing:,} of {index:,} differ" if differing else ""


def _is_close(value: float, wanted: float, check: Check) -> bool:
    if value == wanted or (math.isnan(value) and math.isnan(wanted)):
        return True
    if math.isinf(wanted):  # of which any share is infinite
        return False
    return abs(value - wanted) <= check.absolute + check.relative * abs(wanted)
