"""Limits of `[budget.NAME]` in tests: a test that exceeds one has failed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from buildtool.project.model import Project
from buildtool.run.budget_names import check_budgets
from buildtool.run.budgets import (
    BudgetSubject,
    Functions,
    functions_of,
    judge,
    uses_of,
    uses_of_calls,
    wants_stack,
    with_stacks,
)
from buildtool.run.size_budgets import judge_sizes
from buildtool.testing.ctest.suite import CTestSuite
from buildtool.testing.results import Outcome, TestResult, title

if TYPE_CHECKING:
    from buildtool.run.program import RunRequest
    from buildtool.testing.session import Session
    from buildtool.testing.suites import Suite


def check_budgets_of(project: Project, suites: Sequence[Suite]) -> None:
    """Raise `UsageError` for budgets of what neither the project nor its tests have."""
    if project.budgets:
        listed = [(each.name, name) for each in suites if _is_ctest(each) for name in each.names()]
        check_budgets(project, {text for row in listed for text in (row[1], title(*row))})


def _is_ctest(suite: Suite) -> bool:
    return isinstance(suite, CTestSuite)


def within_budget(session: Session, result: TestResult, request: RunRequest | None) -> TestResult:
    """The result of a test, which has failed if it exceeds a limit.  `request` runs it again, if
    that is possible without its suite."""
    project = session.project
    if not project.budgets or result.outcome is not Outcome.PASSED:
        return result
    ready, names = session.ready, _names(result)
    what, where = title(result.suite, result.name), f"{result.device} {ready.soc} {ready.arch}"
    emulated = bool(ready.site.device.emulated)
    subject = BudgetSubject(project, f"test {what}", where, ready.release.id, emulated=emulated)

    def profile() -> Functions:
        return functions_of(session.profile(request)) if request else {}

    if result.methods and request and wants_stack(project):
        measured = session.stacks(request)
        result = result._replace(methods=tuple(with_stacks(result.methods, measured)))
    uses = uses_of(names, result.methods) if result.methods else {}
    if result.calls and not emulated:
        uses = uses_of_calls(names, result.calls)
    verdicts = judge(subject, names, uses, profile)
    lines = [line for verdict in verdicts if verdict.exceeded for line in verdict.lines()]
    others = [line for verdict in verdicts if verdict.value is None for line in verdict.lines()]
    result = result._replace(output="\n".join(filter(None, (result.output, *others))))
    if not lines:
        return result
    message = "; ".join(map(str.strip, lines))
    return result._replace(outcome=Outcome.FAILED, message=message)


class Sizes:
    """A test for each skel that has a budget: whether its code and data keep it."""

    name = "budget"

    def __init__(self, project: Project) -> None:
        skels = {*project.skels}
        self._tests = [name for name in project.budgets if name.partition("/")[0] in skels]

    def names(self) -> Sequence[str]:
        return self._tests

    known_names = names

    def run(
        self, session: Session, names: Collection[str] | None, begin: Callable[[str], None]
    ) -> Iterator[TestResult]:
        verdicts = judge_sizes(session.project, session.ready.release)
        for name in self._tests if names is None else names:
            begin(name)
            found = [verdict for verdict in verdicts if verdict.budget == name]
            lines = [line for verdict in found if verdict.exceeded for line in verdict.lines()]
            outcome = Outcome.FAILED if lines else Outcome.PASSED if found else Outcome.SKIPPED
            device = session.ready.site.device.name
            message = "; ".join(map(str.strip, lines))
            yield TestResult(self.name, name, device, outcome, 0, message)


def _names(result: TestResult) -> tuple[str, ...]:
    return result.name, title(result.suite, result.name)


def unmeasured(project: Project, results: Iterable[TestResult]) -> Iterator[str]:
    """A line for each budget that no test was measured for, and no bench can be."""
    known = {*project.benches}
    for result in results:
        known |= uses_of(_names(result), result.methods).keys() if result.methods else set()
        known |= uses_of_calls(_names(result), result.calls).keys() if result.calls else set()
        known |= {result.name} if result.suite == Sizes.name else set()
    for name in project.budgets:
        if name not in known and name.rpartition("/")[0] not in known:
            yield f'[budget."{name}"]: no test was measured that has to do with it'
