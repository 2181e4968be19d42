"""Repeats a bench until its medians are known, and says which checks failed how often.

`--sweep` gives it the values of parameters for which a bench is measured.
"""

from __future__ import annotations

import itertools
import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note, work
from buildtool.core.value import Described, Value
from buildtool.measure.sample import (
    FIRST_SEED,
    OTHER_SEED,
    Conditions,
    Sample,
    Sampler,
    read_conditions,
    same_speed,
    speed_change,
)
from buildtool.measure.statistics import Interval, median_interval, ratio_interval
from buildtool.project.benches import Bench
from buildtool.project.runs import seconds
from buildtool.project.tables import suggest

EXACT_RUNS = 3
"""Runs on the emulated device: its counts need one, and equal output needs several."""
NOTE_SECONDS = 10.0
PAUSES = (1.0, 5.0, 15.0)
"""Seconds to wait for a device that got another speed, such as one that is too hot."""
MAX_CHANGES = 2
CLOCK = "clock"
"""The name of the check that the device keeps its speed."""
MEDIAN_RUNS, RATIO_RUNS = 6, 11
"""The numbers of values from which an interval has the probability that it should have."""
MAX_CELLS = 1000
FORM = "For example: --sweep threads=1..8 --sweep rows=1024,4096"


class FailedCheck(Described):
    """A check that `failed` in some of the `runs`; `message` says why in the first of them."""

    check: Annotated[
        str,
        'name of the check; "exit status", "output", "same output", "other output",'
        ' "counts", "clock", "dsp calls" or "metric NAME" for those that each bench has',
    ]
    message: Annotated[str, "why it failed for the first time, in a line"]
    failed: Annotated[int, "number of runs in which it failed"]
    runs: Annotated[int, "number of runs in which it was made"]


class Measurement(Value):
    """The runs of one release that count, and the checks that failed in any run.  `set_aside` is
    the number of runs that do not count, as the device was faster or slower."""

    samples: tuple[Sample, ...]
    failed: tuple[FailedCheck, ...]
    set_aside: int

    def values(self, metric: str) -> list[float]:
        """The numbers of a metric, in the order of the samples."""
        return [sample.metrics[metric] for sample in self.samples]


def measure(
    samplers: Sequence[Sampler], *, emulated: bool, listener: Listener, repeat: int = 0
) -> tuple[Measurement, ...]:
    """Take samples with each of `samplers`, in turn and in random order, until the median of each
    metric is known, or with two of them the ratio of both; at least `repeat`, or if that is 0 as
    many as the bench says.

    Once a check has failed, runs follow only to know how often it fails.  Raises `DeviceError`.
    """
    bench = samplers[0].bench
    series = _Series(samplers, emulated=emulated, listener=listener)
    repeat = repeat or (EXACT_RUNS if emulated else bench.repeat)
    timed = [name for name, metric in samplers[0].metrics.items() if not metric.exact]
    if timed:
        repeat = max(repeat, MEDIAN_RUNS if len(samplers) == 1 else RATIO_RUNS)
    noted = time.monotonic()
    deadline = noted + seconds(bench.limit)
    with work("measuring", listener) as shown:
        series.prepare()
        while series.changes <= MAX_CHANGES:
            series.take_round()
            count = len(series.taken[0])
            shown.count(count, max(count, repeat), "runs")
            if count < repeat:
                continue
            if series.has_problems:
                break
            widths = {name: _interval(series.taken, name).half_width for name in timed}
            if all(width <= bench.precision for width in widths.values()):
                break
            if time.monotonic() >= deadline:
                end = f"not to ±{bench.precision:.1%}: the limit of {bench.limit} is over"
                for name, width in widths.items():
                    if width > bench.precision:
                        listener(Note(f"{name} is known to ±{width:.1%} after {count} runs, {end}"))
                break
            if time.monotonic() >= noted + NOTE_SECONDS:
                noted = time.monotonic()
                known = ", ".join(f"{name} ±{width:.1%}" for name, width in widths.items())
                listener(Note(f"{count} runs: {known}"))
    return series.measurements()


class _Series:
    """The samples of several releases on one device, all taken while it had the same speed."""

    def __init__(self, samplers: Sequence[Sampler], *, emulated: bool, listener: Listener) -> None:
        self.taken: list[list[Sample]] = [[] for _ in samplers]
        self.changes = 0
        """How often the device got another speed for good, after which all samples are new."""
        self._samplers = samplers
        self._emulated = emulated
        self._listener = listener
        self._others: list[list[Sample]] = [[] for _ in samplers]
        self._set_aside = [0 for _ in samplers]
        self._speed: Conditions | None = None

    def prepare(self) -> None:
        """Run each program with another seed, and as often as the bench says to warm up."""
        for others, sampler in zip(self._others, self._samplers, strict=True):
            bench = sampler.bench
            if bench.takes_seed:
                others.append(sampler.sample(OTHER_SEED))
            for _ in range(0 if self._emulated else bench.warmup):
                others.append(sampler.sample(FIRST_SEED))

    def take_round(self) -> None:
        """Take one more sample of each release; of none if the speed changed for good."""
        order = list(enumerate(self._samplers))
        random.shuffle(order)
        found: dict[int, Sample] = {}
        for number, sampler in order:
            sample = self._at_speed(number, sampler)
            if sample is None:
                for known, samples in enumerate(self.taken):
                    dropped = [*samples, *([found[known]] if known in found else [])]
                    self._others[known] += dropped
                    self._set_aside[known] += len(dropped)
                    samples.clear()
                return
            found[number] = sample
        for number, sample in found.items():
            self.taken[number].append(sample)

    def _at_speed(self, number: int, sampler: Sampler) -> Sample | None:
        """A sample that was taken at the speed of the others; None if it has changed for good."""
        for pause in (*PAUSES, 0):
            sample = sampler.sample(FIRST_SEED)
            if self._emulated:
                return sample
            now = read_conditions(sampler.session.ready.site.device)
            sample = sample._replace(conditions=now)
            if self._speed is None or same_speed(self._speed, now):
                self._speed = self._speed or now
                return sample
            self._others[number].append(sample)
            self._set_aside[number] += 1
            if pause:
                text = f"{speed_change(self._speed, now)}; measuring again in {pause:g} s"
                self._listener(Note(text))
                time.sleep(pause)
        self._listener(Note("the device keeps this speed: measuring anew"))
        self.changes += 1
        self._speed = now
        return None

    @property
    def has_problems(self) -> bool:
        every = (*self.taken, *self._others)
        return any(sample.problems for samples in every for sample in samples)

    def measurements(self) -> tuple[Measurement, ...]:
        """What is known of each release."""
        found = []
        every = zip(self._samplers, self.taken, self._others, self._set_aside, strict=True)
        for sampler, samples, others, set_aside in every:
            failed = [*_failed_checks([*others, *samples], takes_seed=sampler.bench.takes_seed)]
            if self.changes > MAX_CHANGES:
                message = f"the speed of the device changed {self.changes} times"
                failed.append(FailedCheck(CLOCK, message, set_aside, set_aside + len(samples)))
            found.append(Measurement(tuple(samples), tuple(failed), set_aside))
        return tuple(found)


def _interval(taken: Sequence[Sequence[Sample]], name: str) -> Interval:
    values = [[sample.metrics[name] for sample in samples] for samples in taken]
    if len(values) == 1:
        return median_interval(values[0])
    return ratio_interval(zip(*values, strict=True))


def _failed_checks(runs: Sequence[Sample], *, takes_seed: bool) -> Iterable[FailedCheck]:
    found: dict[str, list[str]] = {}
    for sample in runs:
        for check, message in sample.problems.items():
            found.setdefault(check, []).append(message)
    for check, messages in found.items():
        yield FailedCheck(check, messages[0], len(messages), len(runs))
    yield from _equality([run for run in runs if run.evidence], takes_seed=takes_seed)


def _equality(runs: Sequence[Sample], *, takes_seed: bool) -> Iterable[FailedCheck]:
    """Equal input has equal output, and other input another one."""
    same = [run.evidence for run in runs if run.seed == FIRST_SEED]
    if not same:
        return
    counts: Mapping[tuple[str, ...], int] = {text: same.count(text) for text in same}
    usual = max(counts, key=counts.__getitem__)
    if len(counts) > 1:
        message = f"equal input has {len(counts)} different outputs"
        yield FailedCheck("same output", message, len(same) - counts[usual], len(same))
    other = [run.evidence for run in runs if run.seed != FIRST_SEED]
    if takes_seed and usual in other:
        message = f"seeds {FIRST_SEED} and {OTHER_SEED} have the same output"
        yield FailedCheck("other output", message, 1, len(other))


def cells_of(bench: Bench, sweeps: Sequence[str]) -> list[dict[str, str]]:
    """All combinations of the values in `sweeps`, each of which is NAME=FIRST..LAST or
    NAME=VALUE,VALUE; raises `UsageError`."""
    axes: dict[str, list[str]] = {}
    for text in sweeps:
        name, _, values = text.partition("=")
        if name not in bench.parameters:
            known = suggest(name, bench.parameters) if bench.parameters else ""
            raise UsageError(
                f"--sweep {text}: the bench has no parameter {name!r}",
                why="args and env name parameters as {NAME}, and `parameters` has their values",
                remedy=known or 'Add them to the bench: parameters = { rows = "4096" }',
            )
        if name in axes or not values:
            what = "is swept twice" if name in axes else "has no values"
            raise UsageError(f"--sweep {text}: {name} {what}", remedy=FORM)
        axes[name] = _values(text, values)
    count = 1
    for found in axes.values():
        count *= len(found)
    if count > MAX_CELLS:
        raise UsageError(
            f"--sweep has {count:,} combinations of values",
            remedy=f"Take at most {MAX_CELLS:,}.",
        )
    return [dict(zip(axes, cell, strict=True)) for cell in itertools.product(*axes.values())]


def _values(text: str, values: str) -> list[str]:
    found = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", values, re.ASCII)
    if not found:
        return list(dict.fromkeys(values.split(",")))
    first, last = int(found[1]), int(found[2])
    if not first <= last < first + MAX_CELLS:
        raise UsageError(f"--sweep {text}: {values} is no range of values", remedy=FORM)
    return list(map(str, range(first, last + 1)))
