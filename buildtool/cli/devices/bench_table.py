"""Prints the result of `buildtool bench`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.cli.show import place, print_json, show
from buildtool.cli.table import Table
from buildtool.measure.comparison import Benched, CountDifference, Swept
from buildtool.measure.result import BenchResult, MethodResult
from buildtool.run.budgets import lines_of
from buildtool.run.method_counts import COUNTS, QUEUES
from buildtool.sdk.hexagon_simulator import HEXAGON_SIM

DIGITS = 4
HERE = "this tree"


def show_benched(benched: Benched | Swept, file: Path, *, as_json: bool, markdown: bool) -> None:
    """Print the result, which `file` keeps, as JSON, as Markdown, or for people."""
    if as_json:
        print_json(benched.as_json(file))
        return
    for part in _swept(benched) if isinstance(benched, Swept) else _parts(benched):
        if isinstance(part, str):
            show(f"{part}\n" if markdown else part)
        else:
            show(f"{part.markdown()}\n" if markdown else part.text())
    for line in lines_of(benched.this.budgets, in_a_line=markdown):
        show(f"{line}\n" if markdown else line)
    if not markdown:
        show(f"kept in {file}")


def _parts(benched: Benched) -> Iterator[str | Table]:
    """What is printed: sentences and tables."""
    this, other = benched.this, benched.other
    title = f"bench {benched.name} on {place(this.device, this.soc, this.arch)}"
    against = f"{HERE} against {benched.against}"
    if benched.same_release:
        yield f"{title}: no difference, {HERE} and {benched.against} make the same release"
    elif not benched.ok:
        yield f"{title}: no numbers, because checks failed"
        yield from _failures(this, f"{HERE}: " if other else "")
        if other:
            yield from _failures(other, f"{benched.against}: ")
    elif other is None:
        yield f"{title}: {this.runs} runs, all checks passed{_set_aside(this)}"
        yield from _result(this)
    else:
        runs = f"{this.runs} runs of each, all checks passed{_set_aside(this, other)}"
        yield f"{title}: {against}, {runs}"
        yield from _comparison(benched, other)


def _swept(swept: Swept) -> Iterator[str | Table]:
    """A row for each combination of parameters: medians, and the counts of all methods together."""
    results = [result for _, result in swept.cells]
    measured = next((result for result in results if result.ok), results[0])
    heading = [*swept.cells[0][0], *(metric.name for metric in measured.metrics)]
    counted = _counted(results)
    heading += counted if measured.methods else ()
    rows: list[list[str]] = []
    failures: list[str] = []
    for cell, result in swept.cells:
        row = [*cell.values()]
        for metric in result.metrics:
            share = "" if metric.metric.exact else f" ±{metric.interval.half_width:.1%}"
            row.append(_with_unit(metric.interval.middle, metric.metric.unit) + share)
        if measured.methods and result.ok:
            row += _sums(result, counted)
        missing = len(heading) - len(row)
        rows.append([*row, *["failed" if missing else ""] * bool(missing), *[""] * (missing - 1)])
        text = ", ".join(f"{name} {value}" for name, value in cell.items())
        failures += (*_failures(result, f"{text}: "), *_inexact(result, f"{text}: "))
    where = place(swept.this.device, swept.this.soc, swept.this.arch)
    passed = "all checks passed" if swept.ok else "checks failed"
    yield f"bench {swept.name} on {where}: {len(rows)} combinations of values, {passed}"
    yield Table(heading, rows, frozenset(range(len(heading))))
    yield from failures


def _counted(results: Iterable[BenchResult]) -> tuple[str, ...]:
    """The counts that have columns: of loops that wait only if there were any."""
    waited = any(method.counts.waiting for result in results for method in result.methods)
    return (*COUNTS, "waiting") if waited else COUNTS


def _sums(result: BenchResult, counted: Sequence[str]) -> Iterator[str]:
    """The counts of all methods together, and by which share the packets of runs differ."""
    differ = sum(method.uncertainty for method in result.methods)
    for name in counted:
        number = sum(getattr(method.counts, name) for method in result.methods)
        share = f" ±{differ / max(number, 1):.2%}" if name == COUNTS[0] and differ else ""
        yield f"{number:,}{share}"


def _set_aside(*results: BenchResult) -> str:
    count = sum(result.set_aside for result in results)
    return f"; {count} runs at another speed of the device do not count" if count else ""


def _failures(result: BenchResult, before: str) -> Iterator[str]:
    for check in result.failed:
        yield f"✗ {before}{check.check} in {check.failed} of {check.runs} runs: {check.message}"


def _result(result: BenchResult) -> Iterator[str | Table]:
    if result.device == HEXAGON_SIM:
        yield "cycles of a simulator: those of a device are others, and so are their ratios"
    if result.metrics:
        heading = ("metric", "median", "95 % interval", "noise", "outliers")
        rows = []
        for metric in result.metrics:
            unit = metric.metric.unit
            low, high = _number(metric.interval.low), _number(metric.interval.high)
            noise, document = metric.noise, metric.as_json()
            rows.append(
                (
                    metric.name,
                    _with_unit(metric.interval.middle, unit),
                    "exact" if metric.metric.exact else f"{low} – {high}",
                    _share(noise),
                    str(document["outliers"] or ""),
                )
            )
        yield Table(heading, rows, frozenset({1, 3, 4}))
    if result.methods:
        counted = ("calls", *_counted([result]))
        numbers = [(_method(method), *_numbers(method, counted)) for method in result.methods]
        yield Table(("method", *counted), numbers, frozenset(range(1, len(counted) + 1)))
    yield from _inexact(result)
    if use := result.dsp:
        heat = f", {use.temperature[0]:.0f} °C" if use.temperature[1] else ""
        yield (
            f"DSP: load {use.load[0]:.0f} %, HVX {use.hvx[0]:.0f} %, HMX {use.hmx[0]:.0f} %,"
            f" {use.clock_khz[0] / 1000:,.0f} MHz{heat} (medians of {use.samples} seconds)"
        )


def _inexact(result: BenchResult, before: str = "") -> Iterator[str]:
    """A line for each method whose counts cannot be compared."""
    for method in result.methods:
        if method.varies:
            which = f"{method.packets_low:,} to {method.packets_high:,} packets"
            why = f"runs with the same input have different counts, {which}"
        elif method.counts.within:
            why = f"another run can have {method.counts.within:,} packets more or fewer"
        elif not method.counts.exact and method.counts.method == QUEUES:
            why = "what a callback does depends on how many messages it finds"
        elif not method.counts.exact:
            why = "a call was too long to be counted exactly"
        else:
            continue
        yield f"{before}{_method(method)}: {why}"


def _numbers(method: MethodResult, names: Sequence[str]) -> Iterator[str]:
    return (f"{getattr(method.counts, name):,}" for name in names)


def _comparison(benched: Benched, other: BenchResult) -> Iterator[str | Table]:
    if benched.metrics:
        heading = ("metric", HERE, benched.against, "ratio", "99.9 % interval", "noise", "verdict")
        medians = {
            result.name: (result, theirs.interval.middle)
            for result, theirs in zip(benched.this.metrics, other.metrics, strict=True)
        }
        rows = []
        for difference in benched.metrics:
            result, theirs = medians[difference.name]
            ratio = difference.interval
            rows.append(
                (
                    difference.name,
                    _with_unit(result.interval.middle, result.metric.unit),
                    _with_unit(theirs, result.metric.unit),
                    f"{ratio.middle:.3f}",
                    f"{ratio.low:.3f} – {ratio.high:.3f}",
                    _share(difference.noise),
                    difference.verdict,
                )
            )
        yield Table(heading, rows, frozenset({1, 2, 3, 5}))
        for difference in benched.metrics:
            if difference.verdict == "no difference" and difference.noise is not None:
                yield (
                    f"{difference.name}: no difference beyond the noise floor of"
                    f" {difference.noise:.1%}"
                )
    if benched.counts:
        columns = ("method", "count", HERE, benched.against, "difference")
        yield Table(columns, list(map(_difference, benched.counts)), frozenset({2, 3, 4}))
    elif any(method.exact for method in other.methods):
        yield "no difference: all exact counts are the same"
    yield from dict.fromkeys((*_inexact(benched.this), *_inexact(other)))


def _difference(row: CountDifference) -> tuple[str, ...]:
    what = row.name or (f"{row.skel} {row.method}" if row.skel else "threads")
    numbers = (f"{row.this:,.{DIGITS * 2}g}", f"{row.other:,.{DIGITS * 2}g}")
    return what, row.counted, *numbers, f"{row.this - row.other:+,.{DIGITS * 2}g}"


def _method(method: MethodResult) -> str:
    counts = method.counts
    if not counts.skel:
        return "threads outside of calls"
    return counts.name or f"method {counts.method} of {counts.skel}"


def _number(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 10**DIGITS else f"{number:.{DIGITS}g}"


def _share(number: float | None) -> str:
    return "" if number is None else f"{number:.1%}"


def _with_unit(number: float, unit: str) -> str:
    return f"{_number(number)} {unit}".rstrip()
