"""Patterns select tests of suites."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import pytest

from buildtool.core.errors import UsageError
from buildtool.testing.results import TestResult
from buildtool.testing.session import Session
from buildtool.testing.suites import select


class Suite:
    def __init__(self, name: str, *names: str) -> None:
        self.name = name
        self._names = names

    def names(self) -> tuple[str, ...]:
        return self._names

    def known_names(self) -> tuple[str, ...]:
        return self._names

    def run(
        self, session: Session, names: Collection[str] | None, begin: Callable[[str], None]
    ) -> Iterator[TestResult]:
        raise AssertionError(f"tests run: {session} {names} {begin}")


SUITES = [Suite("dsp", "add", "mul"), Suite("host", "add", "read")]


def selected(*patterns: str) -> dict[str, Collection[str] | None]:
    return {suite.name: names for suite, names in select(SUITES, patterns)}


def test_without_patterns_every_test_runs_and_no_suite_is_listed() -> None:
    assert selected() == {"dsp": None, "host": None}


def test_a_pattern_selects_in_all_suites() -> None:
    assert selected("add") == {"dsp": ["add"], "host": ["add"]}
    assert selected("host/a*") == {"host": ["add"]}
    assert selected("dsp", "re*") == {"dsp": ["add", "mul"], "host": ["read"]}


def test_a_pattern_that_selects_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match="there is no test 'rad'") as error:
        selected("add", "rad")
    assert "Did you mean 'host/read'?" in error.value.remedy
    assert "dsp/add, dsp/mul, host/add, host/read" in error.value.remedy
