"""`buildtool bisect`: the first commit in which a test fails or a bench is wrong or slower."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Event, Listener, Note, StepFailed, TestFinished, Warned, work
from buildtool.core.value import Value
from buildtool.device.errors import DeviceError
from buildtool.engine.options import Options
from buildtool.flow.benches import Side, check_bench, measure_sides
from buildtool.flow.divergences import diverge
from buildtool.flow.preparation import with_choice
from buildtool.flow.targets import build_release
from buildtool.flow.tests import test as run_tests
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.run.method_counts import COUNTS
from buildtool.run.program import ProgramError
from buildtool.run.recorded.recording import Recording
from buildtool.run.recorded.repeat import Repeat

if TYPE_CHECKING:
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.measure.result import BenchResult
    from buildtool.measure.revisions import Bisection, Verdict

MEMORY = "bisect.json"


class Question(Value):
    """What makes a commit bad: that `test` fails, or that a check of `bench` does; or that its
    `metric` is worse than `limit`; or that results of the `recorded` calls are others.  A test runs
    `runs` times, or until it fails; a bench so often, or if that is once, as often as by itself."""

    test: str = ""
    bench: str = ""
    metric: str = ""
    limit: float = 0
    runs: int = 1
    recorded: str = ""


def bisect(
    project: Project,
    good: str,
    bad: str,
    device_name: str,
    question: Question,
    *,
    choice: DeviceChoice,
    listener: Listener,
    options: Options,
) -> Bisection:
    """Find the first commit after `good` up to `bad` that is bad.

    Commits are built in a worktree.  Those that cannot be built are skipped.  Raises `UsageError`,
    and `DeviceError` when the device fails; then the next call goes on.
    """
    from buildtool.measure.revisions import Memory, commit_of, subject_of
    from buildtool.measure.revisions import bisect as find_first_bad

    if question.bench:
        check_bench(project, question.bench, emulated=device_name == BUILT_IN_TARGET)
        _check_metric(project, question, emulated=device_name == BUILT_IN_TARGET)
    ends = commit_of(project.root, good), commit_of(project.root, bad)
    asked = [*ends, device_name, *question, *choice, *_definition(project, question.bench)]
    memory = Memory(project.state / MEMORY, asked)
    if memory.known:
        listener(Note(f"going on after {len(memory.known)} commits that were tried before"))

    def tell(verdict: Verdict) -> None:
        what = f"{verdict.outcome}: {subject_of(project.root, verdict.commit)}"
        listener(Note(f"{what} ({verdict.evidence})"))

    judge = _Judge(
        project, device_name, question, choice=choice, listener=listener, options=options
    )

    def verdict(commit: str) -> Verdict:
        with work(f"trying {commit[:12]}", listener):
            return judge.verdict(commit)

    return find_first_bad(project.root, ends, verdict, memory, tell)


def _definition(project: Project, name: str) -> list[str]:
    """The bench `name` as it is now, with its metrics and checks."""
    if not name:
        return []
    bench = project.benches[name]
    parts = [project.metrics[metric] for metric in bench.metrics]
    return list(map(repr, (bench, parts, [project.checks[check] for check in bench.checks])))


def _check_metric(project: Project, question: Question, *, emulated: bool) -> None:
    """Raise `UsageError` for a limit of a number that the device does not give."""
    metrics = project.benches[question.bench].metrics
    names = [name for name in metrics if project.metrics[name].exact or not emulated]
    names += COUNTS if emulated else ()  # sums of all methods
    if question.metric and question.metric not in names:
        raise UsageError(
            f"[bench.{question.bench}] has no metric {question.metric!r}"
            + (" on sim" if emulated else ""),
            remedy=f"Take one of: {', '.join(names)}",
        )


class _Judge:
    """Says whether a commit is good or bad."""

    def __init__(
        self,
        project: Project,
        device_name: str,
        question: Question,
        *,
        choice: DeviceChoice,
        listener: Listener,
        options: Options,
    ) -> None:
        self._project = project
        self._device_name = device_name
        self._question = question
        self._choice = choice
        self._listener = partial(_without_results, listener)
        self._options = options

    def verdict(self, commit: str) -> Verdict:
        """What `commit` is; raises `DeviceError`."""
        from buildtool.deploy.ready import target_on
        from buildtool.measure.revisions import Verdict, checked_out

        try:
            with checked_out(self._project, commit, self._listener) as found:
                target = target_on(found, self._device_name, self._choice)
                wanted = with_choice(found, target, self._choice)
                build_release(wanted, target, self._listener, self._options)
                if self._question.recorded:
                    judge = self._judge_calls
                else:
                    judge = self._judge_test if self._question.test else self._judge_bench
                runs, problem = judge(found)
        except ProgramError as error:
            return Verdict(commit, "skipped", 0, error.message)
        except DeviceError:
            raise
        except BuildtoolError as error:
            return Verdict(commit, "skipped", 0, error.message.partition("\n")[0])
        if problem:
            return Verdict(commit, "bad", runs, problem)
        return Verdict(commit, "good", runs, "passed once" if runs == 1 else f"passed {runs} runs")

    def _judge_test(self, found: Project) -> tuple[int, str]:
        """How often the test ran, and why it failed; "" if it did not."""
        from buildtool.testing.results import Outcome, title
        from buildtool.testing.suites import TIMEOUT

        for number in range(1, self._question.runs + 1):
            done = run_tests(
                *(found, self._device_name, [self._question.test]),
                timeout=TIMEOUT,
                choice=self._choice,
                listener=self._listener,
                options=self._options,
                shard="",
            )
            if done.interrupted:
                raise KeyboardInterrupt
            failed = [result for result in done.bad if result.outcome is not Outcome.NOT_RUN]
            for result in failed or done.bad:
                text = f"{title(result.suite, result.name)} {result.outcome.value}"
                text += f": {result.message}"
                if failed:
                    return number, text + _of(number)
                raise (DeviceError if result.lost else ProgramError)(text, why=result.output)
            good = {Outcome.PASSED, Outcome.EXPECTED_FAILURE}
            if not any(result.outcome in good for result in done.tests):
                raise ProgramError(f"no test of {self._question.test} has run to its end")
        return self._question.runs, ""

    def _judge_calls(self, found: Project) -> tuple[int, str]:
        result = diverge(
            *(found, self._device_name, Recording(Path(self._question.recorded))),
            Repeat(self._choice),
            listener=self._listener,
            options=self._options,
        )
        return 1, " ".join(map(str.strip, result.first.lines()[:2])) if result.first else ""

    def _judge_bench(self, found: Project) -> tuple[int, str]:
        from buildtool.measure.measurement import CLOCK

        side = Side(found, self._choice, "bench")
        (result,) = measure_sides(
            *(self._project, self._question.bench, self._device_name, [side]),
            listener=self._listener,
            options=self._options,
            repeat=0 if self._question.runs == 1 else self._question.runs,
        )
        for check in result.failed:
            if check.check == CLOCK:  # that is no property of the commit
                raise DeviceError(check.message, remedy="Let the device cool down, and try again.")
            why = f"{check.check} in {check.failed} of {check.runs} runs: {check.message}"
            return result.runs, why
        return result.runs, self._beyond_limit(result) if self._question.metric else ""

    def _beyond_limit(self, result: BenchResult) -> str:
        name, limit = self._question.metric, self._question.limit
        for metric in result.metrics:
            if metric.name == name:
                value, higher = metric.interval.middle, metric.metric.better == "higher"
                break
        else:
            for method in result.methods:
                if not method.exact:
                    raise ProgramError(f"runs with the same input have different {name}")
            value = sum(getattr(method.counts, name) for method in result.methods)
            higher = False
        worse = value < limit if higher else value > limit
        return f"{name} is {value:g}, which is worse than {limit:g}" if worse else ""


def _of(number: int) -> str:
    return f" (in run {number})" if number > 1 else ""


def _without_results(listener: Listener, event: Event) -> None:
    """Pass on what shows progress: the result of each commit is told once, in a line."""
    if not isinstance(event, (TestFinished, StepFailed, Warned)):
        listener(event)
