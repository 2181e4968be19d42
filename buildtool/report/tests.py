"""The section of tests: how often each passed, and which ones are flaky.

The section of failures: builds, tests and runs that failed, with what is known of the cause.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    Time,
    duration,
    moment,
    plural,
)
from buildtool.report.blocks import Finding as Failure
from buildtool.testing.results import BAD, Outcome

BAD_WORDS = frozenset(outcome.value for outcome in BAD)
SQUARES = 40
NAMED = 3
SHOWN, MOST = 9, 100
LAST_LINE = "last line"
INTERRUPTED, INTERRUPTED_STATUS = "interrupted", 130


class Crash(Value):
    """Where a crash was; `what` is for the ARM64 side, or from logs."""

    buffer: str = ""
    at: str = ""
    what: str = ""

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        words = (("buffer", self.buffer), ("at", self.at))
        return tuple(line for line in words if line[1])


class Cause(Value):
    """A first finding."""

    cause: str
    evidence: str
    remedy: str

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        return tuple(line for line in self._asdict().items() if line[1])


class Tested(Value):
    """A test in a run; `lost` is how often the connection was lost and it was run again, `said` the
    last line that it wrote."""

    suite: str
    name: str
    outcome: str
    seconds: float
    message: str = ""
    lost: int = 0
    said: str = ""
    crash: Crash | None = None
    finding: Cause | None = None

    @property
    def ended(self) -> str:
        """The outcome; of a test that Ctrl-C ended, that."""
        return INTERRUPTED if self.message == INTERRUPTED else self.outcome

    @property
    def bad(self) -> bool:
        return self.ended in BAD_WORDS


class TestedRun(Value, kw_only=True):
    """A run of tests on a device, which Ctrl-C can have `interrupted`."""

    started: Time
    seconds: float
    interrupted: bool = False
    device: str
    soc: str
    target: str
    release: str
    tests: tuple[Tested, ...]

    @property
    def where(self) -> str:
        """The device, with its SoC if that is known."""
        return f"{self.device} {self.soc}".strip()

    @property
    def bad(self) -> int:
        return sum(test.bad for test in self.tests)

    @property
    def succeeded(self) -> int:
        return sum(not test.bad and test.ended != INTERRUPTED for test in self.tests)


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
            if test.ended not in (Outcome.SKIPPED.value, INTERRUPTED):
                by_release.setdefault(run.release, set()).add(test.bad)
        again = any(test.lost and not test.bad for _, test in self.runs)
        return again or any(len(kinds) > 1 for kinds in by_release.values())


def by_test(runs: Sequence[TestedRun]) -> list[TestHistory]:
    """The tests of all runs by device: those that failed or are flaky first, then by name."""
    found: dict[tuple[str, str], list[tuple[TestedRun, Tested]]] = {}
    for run in runs:
        for test in run.tests:
            found.setdefault((f"{test.suite}/{test.name}", run.where), []).append((run, test))
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
        f"Last run, {moment(last.started)} on {last.where}:"
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
        hover = f"{moment(run.started)}, {run.where}: {run.bad} of {len(run.tests)} failed"
        points.append(Point(moment(run.started), run.bad, run.bad, run.bad, "bad", hover))
    return Plot("Tests that failed in each run", "tests", tuple(points), bars=True)


def _row(history: TestHistory) -> tuple[Cell, ...]:
    _, last = history.runs[-1]
    times = sorted(test.seconds for _, test in history.runs)
    median, count = times[len(times) // 2], len(history.runs)
    squares = tuple(
        (_state(test), f"{moment(run.started)}: {test.ended}")
        for run, test in history.runs[-SQUARES:]
    )
    steady = not (history.failed or history.flaky)
    return (
        Cell(history.title),
        Cell(history.device),
        Cell(last.ended, _state(last), hover=last.message),
        Cell(f"{history.failed} of {count}", number=history.failed / count),
        Cell("flaky" if history.flaky else "", "warn"),
        Cell("", number=history.failed / count, graphic=None if steady else Strip(squares)),
        Cell(duration(median), number=median),
    )


def _state(test: Tested) -> str:
    if test.bad:
        return "bad"
    return "warn" if test.lost else "good" if test.ended == Outcome.PASSED.value else ""


def failures_of(runs: Sequence[TestedRun]) -> list[tuple[float, Failure]]:
    """The causes for which tests failed in each run, each with its time."""
    found = []
    for run in runs:
        alike: dict[tuple[tuple[str, str], ...], list[Tested]] = {}
        for test in run.tests:
            if test.bad:
                message = ("message", test.message or test.ended)
                crash, known = test.crash and test.crash.lines, test.finding and test.finding.lines
                cause = (message, *crash) if crash else known or (message,)
                alike.setdefault(cause, []).append(test)
        for cause, tests in alike.items():
            names = ", ".join(f"{test.suite}/{test.name}" for test in tests[:NAMED])
            more = f" and {len(tests) - NAMED} more" if len(tests) > NAMED else ""
            title = f"test {names}{more} on {run.where}: {tests[0].ended}"
            lines = (*cause, *_last_lines(tests))
            found.append((run.started, Failure(title, moment(run.started), lines)))
    return found


def _last_lines(tests: Sequence[Tested]) -> tuple[tuple[str, str], ...]:
    """What the first of some tests have written last; each with its name if they differ."""
    said = [test for test in tests[:NAMED] if test.said]
    alike = len({test.said for test in said}) == 1
    lines = dict.fromkeys(test.said if alike else f"{test.name}: {test.said}" for test in said)
    return ((LAST_LINE, "\n".join(lines)),) if lines else ()


class FailedRun(Value):
    """A run of a program that failed."""

    started: Time
    command: tuple[str, ...]
    status: int
    device: str
    dsp_crash: str
    crash: Crash | None = None
    finding: Cause | None = None

    @property
    def failure(self) -> tuple[float, Finding]:
        """Its time, and what is known of it."""
        crash = self.crash or Crash()
        lines = [("DSP", self.dsp_crash)] if self.dsp_crash else []
        if not self.dsp_crash and crash.what:  # on the ARM64 side, or found in logs
            lines.append(("crash", crash.what))
        lines += (*crash.lines, *(self.finding.lines if self.finding else ()))
        ended = INTERRUPTED if self.status == INTERRUPTED_STATUS else f"exit status {self.status}"
        title = f"run {' '.join(self.command[:20])} on {self.device}: {ended}"
        return self.started, Finding(title, moment(self.started), tuple(lines))


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
