"""The section of tests: how often each passed, and which ones are flaky.

The section of failures: builds, tests and runs that failed, with what is known of the cause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from buildtool.core.value import Value
from buildtool.report.blocks import (
    Block,
    Cell,
    Finding,
    Folded,
    Plot,
    Plots,
    Point,
    Section,
    Strip,
    Table,
    Text,
    amount_of,
    duration,
    moment,
    object_of,
    plural,
    rows_of,
    text_of,
    time_of,
)
from buildtool.report.blocks import Finding as Failure
from buildtool.testing.results import BAD, Outcome

BAD_WORDS = frozenset(outcome.value for outcome in BAD)
SQUARES = 40
NAMED = 3
SHORT = 120
SHOWN, MOST = 9, 100
LAST_LINE = "last line"
LINE = 160
"""Characters of the last line that a test has written."""
INTERRUPTED, INTERRUPTED_STATUS = "interrupted", 130


class Tested(Value):
    """A test in a run; `lost` is how often the connection was lost and it was run again, `said` the
    last line that it wrote."""

    suite: str
    name: str
    outcome: str
    seconds: float
    message: str
    lost: int
    said: str
    crash: tuple[tuple[str, str], ...]
    finding: tuple[tuple[str, str], ...]

    @property
    def bad(self) -> bool:
        return self.outcome in BAD_WORDS


class TestedRun(Value):
    """A run of tests on a device, which Ctrl-C can have `interrupted`."""

    started: float
    seconds: float
    interrupted: bool
    device: str
    target: str
    release: str
    tests: tuple[Tested, ...]

    @property
    def bad(self) -> int:
        return sum(test.bad for test in self.tests)

    @property
    def succeeded(self) -> int:
        return sum(not test.bad and test.outcome != INTERRUPTED for test in self.tests)


class TestHistory(Value):
    """A test on a device in all runs, the oldest first."""

    __test__ = False  # pytest collects classes of this name

    title: str
    device: str
    runs: tuple[tuple[TestedRun, Tested], ...]

    @property
    def failed(self) -> int:
        return sum(test.bad for _, test in self.runs)

    def order(self) -> tuple[bool, bool, int, str, str]:
        """What tests are sorted by: those that failed last, flaky ones, those that failed."""
        last_bad = self.runs[-1][1].bad
        return not last_bad, not self.flaky, -self.failed, self.title, self.device

    @property
    def flaky(self) -> bool:
        """Whether it passed and failed with the same release, or passed only when run again."""
        by_release: dict[str, set[bool]] = {}
        for run, test in self.runs:
            if test.outcome not in (Outcome.SKIPPED.value, INTERRUPTED):
                by_release.setdefault(run.release, set()).add(test.bad)
        again = any(test.lost and not test.bad for _, test in self.runs)
        return again or any(len(kinds) > 1 for kinds in by_release.values())


def read_tests(line: Mapping[str, Any]) -> TestedRun:
    """A run of tests in a line of the history."""
    device = " ".join(filter(None, (text_of(line, key, SHORT) for key in ("device", "soc"))))
    return TestedRun(
        started=time_of(line, "started"),
        seconds=amount_of(line, "seconds"),
        interrupted=line.get("interrupted") is True,
        device=device,
        target=text_of(line, "target", SHORT),
        release=text_of(line, "release", SHORT),
        tests=tuple(map(_test, rows_of(line, "tests"))),
    )


def _test(row: Mapping[str, Any]) -> Tested:
    outcome, message = text_of(row, "outcome", SHORT), _optional(row, "message", 500)
    return Tested(
        suite=text_of(row, "suite", SHORT),
        name=text_of(row, "name", SHORT),
        outcome=INTERRUPTED if message == INTERRUPTED else outcome,
        seconds=amount_of(row, "seconds"),
        message=message,
        lost=int(amount_of(row, "lost")) if "lost" in row else 0,
        said=_optional(row, "said", LINE),
        crash=crash_lines(object_of(row, "crash")),
        finding=finding_lines(object_of(row, "finding")),
    )


def _optional(row: Mapping[str, Any], key: str, limit: int) -> str:
    return text_of(row, key, limit) if key in row else ""


def by_test(runs: Sequence[TestedRun]) -> list[TestHistory]:
    """The tests of all runs by device: those that failed or are flaky first, then by name."""
    found: dict[tuple[str, str], list[tuple[TestedRun, Tested]]] = {}
    for run in runs:
        for test in run.tests:
            found.setdefault((f"{test.suite}/{test.name}", run.device), []).append((run, test))
    histories = [TestHistory(*key, tuple(each)) for key, each in found.items()]
    return sorted(histories, key=TestHistory.order)


def tests_section(runs: Sequence[TestedRun], problems: Sequence[Text]) -> Section:
    """The section of `runs`, the oldest first."""
    if not runs:
        none = Text("No run of tests is recorded.", code="buildtool test")
        return Section("tests", "Tests", "no test", "", (*problems, none))
    last, histories = runs[-1], by_test(runs)
    flaky = sum(each.flaky for each in histories)
    failing = sum(bool(each.failed) or each.flaky for each in histories)
    blocks: list[Block] = [*problems]
    text = (
        f"Last run, {moment(last.started)} on {last.device}:"
        f" {'interrupted; ' if last.interrupted else ''}{last.succeeded} of"
        f" {len(last.tests)} tests succeeded in {duration(last.seconds)}."
        f" In {plural(len(runs), 'run')}, {failing} of {len(histories)} tests failed at"
        f" least once; {flaky} flaky (failed and succeeded with the same release)."
    )
    blocks.append(Text(text, "bad" if last.bad else ""))
    if len(runs) > 1 and any(run.bad for run in runs):
        blocks.append(Plots((_plot(runs),)))
    rows = tuple(map(_row, histories))
    columns = ("test", "device", "last", "failed", "", "last runs", "median time")
    caption = "Tests, those that failed first"
    blocks.append(Table(caption, columns, rows, shown=max(failing, 10), brief=min(failing, 20)))
    ended = "interrupted, " if last.interrupted else ""
    fact = f"{ended}{last.succeeded} of {len(last.tests)} succeeded, {flaky} flaky"
    state = "bad" if last.bad else "warn" if flaky or ended else "good"
    return Section("tests", "Tests", fact, state, tuple(blocks))


def _plot(runs: Sequence[TestedRun]) -> Plot:
    points = []
    for run in runs:
        hover = f"{moment(run.started)}, {run.device}: {run.bad} of {len(run.tests)} failed"
        points.append(Point(moment(run.started), run.bad, run.bad, run.bad, "bad", hover))
    return Plot("Tests that failed in each run", "tests", tuple(points), bars=True)


def _row(history: TestHistory) -> tuple[Cell, ...]:
    _, last = history.runs[-1]
    times = sorted(test.seconds for _, test in history.runs)
    median, count = times[len(times) // 2], len(history.runs)
    squares = tuple(
        (_state(test), f"{moment(run.started)}: {test.outcome}")
        for run, test in history.runs[-SQUARES:]
    )
    steady = not (history.failed or history.flaky)
    return (
        Cell(history.title),
        Cell(history.device),
        Cell(last.outcome, _state(last), hover=last.message),
        Cell(f"{history.failed} of {count}", number=history.failed / count),
        Cell("flaky" if history.flaky else "", "warn"),
        Cell("", number=history.failed / count, graphic=None if steady else Strip(squares)),
        Cell(duration(median), number=median),
    )


def _state(test: Tested) -> str:
    if test.bad:
        return "bad"
    return "warn" if test.lost else "good" if test.outcome == Outcome.PASSED.value else ""


def failures_of(runs: Sequence[TestedRun]) -> list[tuple[float, Failure]]:
    """The causes for which tests failed in each run, each with its time."""
    found = []
    for run in runs:
        alike: dict[tuple[tuple[str, str], ...], list[Tested]] = {}
        for test in run.tests:
            if test.bad:
                message = ("message", test.message or test.outcome)
                cause = (message, *test.crash) if test.crash else test.finding or (message,)
                alike.setdefault(cause, []).append(test)
        for cause, tests in alike.items():
            names = ", ".join(f"{test.suite}/{test.name}" for test in tests[:NAMED])
            more = f" and {len(tests) - NAMED} more" if len(tests) > NAMED else ""
            title = f"test {names}{more} on {run.device}: {tests[0].outcome}"
            lines = (*cause, *_last_lines(tests))
            found.append((run.started, Failure(title, moment(run.started), lines)))
    return found


def _last_lines(tests: Sequence[Tested]) -> tuple[tuple[str, str], ...]:
    """What the first of some tests have written last; each with its name if they differ."""
    said = [test for test in tests[:NAMED] if test.said]
    alike = len({test.said for test in said}) == 1
    lines = dict.fromkeys(test.said if alike else f"{test.name}: {test.said}" for test in said)
    return ((LAST_LINE, "\n".join(lines)),) if lines else ()


def finding_lines(row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """A first finding as lines; raises `LookupError` and `ValueError`."""
    if not row:
        return ()
    lines = ((key, text_of(row, key)) for key in ("cause", "evidence", "remedy"))
    return tuple(line for line in lines if line[1])


def crash_lines(row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Where a crash was, as lines; raises `LookupError` and `ValueError`."""
    return tuple((word, text_of(row, word, 500)) for word in ("buffer", "at") if word in row)


def read_failed_run(line: Mapping[str, Any]) -> tuple[float, Finding]:
    """A run of a program that failed, with its time, in a line of the history."""
    command, status = line["command"], line["status"]
    if not isinstance(command, list) or not isinstance(status, int):
        raise ValueError("it is no run")
    words = " ".join(text_of({"": word}, "", 200) for word in command[:20])
    started, crash = time_of(line, "started"), text_of(line, "dsp_crash", 500)
    place = object_of(line, "crash")
    lines = [("DSP", crash)] if crash else []
    if not crash and "what" in place:  # on the ARM64 side, or found in logs
        lines.append(("crash", text_of(place, "what", 500)))
    lines += (*crash_lines(place), *finding_lines(object_of(line, "finding")))
    ended = INTERRUPTED if status == INTERRUPTED_STATUS else f"exit status {status}"
    title = f"run {words} on {text_of(line, 'device', 100)}: {ended}"
    return started, Finding(title, moment(started), tuple(lines))


def failures_section(
    failures: Sequence[tuple[float, Finding]], problems: Sequence[Text]
) -> Section:
    """The section of the newest of `failures`."""
    newest = sorted(failures, key=lambda each: each[0], reverse=True)
    if not newest:
        none = Text("Nothing that failed is recorded.")
        return Section("failures", "Failures", "none recorded", "good", (*problems, none))
    alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[Finding]] = {}
    for _, finding in newest:
        cause = tuple(line for line in finding.lines if line[0] != LAST_LINE)
        alike.setdefault((finding.title, cause), []).append(finding)
    found = [_with_count(each) for each in alike.values()]
    blocks: tuple[Block, ...] = (*problems, *found[:SHOWN])
    if earlier := tuple(found[SHOWN:MOST]):
        blocks += (Folded(plural(len(earlier), "earlier failure"), earlier),)
    fact = f"{plural(len(newest), 'failure')}, last {newest[0][1].when}"
    return Section("failures", "Failures", fact, "", blocks)


def _with_count(alike: Sequence[Finding]) -> Finding:
    """The newest of findings that are alike, with how many there are."""
    first, last = alike[0], alike[-1]
    if len(alike) == 1:
        return first
    return first._replace(when=f"{len(alike)} times, from {last.when} to {first.when}")
