"""Unit tests never start a process, and leave no repairs to report to the next test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from buildtool.core.own_directory import repairs


@pytest.fixture(autouse=True)
def _no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **_: object) -> None:
        raise AssertionError(f"a unit test started a process: {arguments}")

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)


@pytest.fixture(autouse=True)
def _no_repairs() -> Iterator[None]:
    """Forget what a test repaired: the next command line in this process would report it."""
    yield
    repairs.clear()
