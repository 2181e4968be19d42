"""Runs the program of a bench once on a device, checks its output, and reads its metrics."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.files import file_digest
from buildtool.core.value import Value
from buildtool.device.errors import DeviceConnectionError, DeviceError
from buildtool.measure.conditions import Conditions
from buildtool.measure.metrics import read_metric
from buildtool.measure.reference import compare_elements
from buildtool.project.benches import SEED, Bench, filled
from buildtool.project.model import Project
from buildtool.project.runs import seconds
from buildtool.run.program import RunRequest, variables

if TYPE_CHECKING:
    from buildtool.run.method_counts import MethodCounts
    from buildtool.testing.session import Ran, Session

FIRST_SEED, OTHER_SEED = 1, 2
SHOWN = 300


class Sample(Value):
    """One run of the program of a bench.

    `evidence` is what has to be the same in all runs with one seed.  `problems` say for each check
    that failed why, in a line; a sample with problems has no metrics.  `methods` are the counts of
    an emulated DSP; `conditions` were read right after the run, on other devices.
    """

    seed: int
    seconds: float
    evidence: tuple[str, ...]
    problems: Mapping[str, str]
    metrics: Mapping[str, float]
    methods: tuple[MethodCounts, ...]
    conditions: Conditions | None = None


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

    def sample(self, seed: int) -> Sample:
        """Run the program with `seed`.  Raises `DeviceError` when it cannot run."""
        bench, problems = self.bench, {}
        if bench.output and not self._output().startswith(f"{self._release()}/"):
            self.session.ready.site.device.exec('rm -f -- "$1"', arguments=[self._output()])
        ran = self.session.run(self._request(bench.program, bench.args, seed), afresh=True)
        if problem := _end_problem(ran, bench):
            problems["exit status"] = problem
            return Sample(seed, ran.seconds, (), problems, {}, ran.methods)
        evidence = []
        if bench.output:
            try:
                self.session.ready.site.device.pull(self._output(), self._fetched)
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
        metrics = {}
        for name, metric in self.metrics.items():
            try:
                metrics[name] = read_metric(metric, ran.stdout)
            except ValueError as error:
                problems[f"metric {name}"] = str(error)
        taken = {} if problems else metrics
        return Sample(seed, ran.seconds, tuple(evidence), problems, taken, ran.methods)

    def _check_problems(self, ran: Ran, seed: int) -> Iterator[tuple[str, str]]:
        """The names of the checks that fail, and why."""
        for name in self.bench.checks:
            check = self._project.checks[name]
            found = re.search(check.no_match, ran.stdout, re.MULTILINE) if check.no_match else None
            if check.match and not re.search(check.match, ran.stdout, re.MULTILINE):
                yield name, f"the standard output does not match {check.match}: {_end(ran.stdout)}"
            elif found:
                yield name, f"the standard output contains {found[0][:SHOWN]!r}"
            # The reference is for the first seed.
            elif check.reference and seed == FIRST_SEED and (problem := self._compare(name)):
                yield name, f"{self.bench.output}: {problem}"
            elif check.program:
                checked = self.session.run(self._request(check.program, check.args, seed))
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
    return repr(lines[2][-SHOWN:]) if lines[2] else "without output"
