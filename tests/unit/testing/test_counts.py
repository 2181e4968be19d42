"""How many tests have ended, and of how many, as listeners are told while suites run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from types import SimpleNamespace
from typing import cast

from buildtool.core.events import Event, TestsCounted
from buildtool.deploy.contents import ReleaseOnDevice
from buildtool.testing.results import Outcome, TestResult
from buildtool.testing.session import Session
from buildtool.testing.suites import Suite, run_suites


class Named:
    """A suite of tests that pass; if they are not `known`, they become known when it runs."""

    def __init__(self, name: str, *tests: str, known: bool = True) -> None:
        self.name = name
        self._tests = tests
        self._known = known

    def names(self) -> tuple[str, ...]:
        return self._tests

    def known_names(self) -> tuple[str, ...]:
        return self._tests if self._known else (self.name,)

    def run(
        self, session: Session, names: Collection[str] | None, begin: Callable[[str], None]
    ) -> Iterator[TestResult]:
        del session
        self._known = True
        for name in self._tests if names is None else names:
            begin(name)
            yield TestResult(self.name, name, "sim", Outcome.PASSED, 0)


def counts(*selected: tuple[Suite, Collection[str] | None]) -> list[tuple[int, int]]:
    """What listeners are told, without repetitions."""
    site = SimpleNamespace(device=SimpleNamespace(name="sim"))
    ready = SimpleNamespace(site=site, names=dict.fromkeys(ReleaseOnDevice._fields, ""), soc="")
    project = SimpleNamespace(expected_failures={}, budgets={})
    known = SimpleNamespace(ready=ready, project=project, tags=frozenset(), card=None)
    session = cast("Session", known)
    events: list[Event] = []
    run_suites([*selected], session, events.append)
    told = [(event.ended, event.tests) for event in events if isinstance(event, TestsCounted)]
    return list(dict.fromkeys(told))


def test_the_tests_of_all_suites_are_counted() -> None:
    assert counts((Named("a", "1", "2"), None), (Named("b", "3"), None)) == [
        *((0, 3), (1, 3), (2, 3), (3, 3)),
        (0, 0),
    ]


def test_selected_tests_are_counted() -> None:
    assert counts((Named("a", "1", "2"), ["2"]))[0] == (0, 1)


def test_the_number_is_unknown_until_each_suite_knows_its_tests() -> None:
    suites = (Named("a", "1"), None), (Named("b", "2", "3", known=False), None)
    assert counts(*suites) == [(0, 0), (1, 0), (1, 3), (2, 3), (3, 3)]
