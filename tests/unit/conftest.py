"""Unit tests never start a process."""

from __future__ import annotations

import subprocess

import pytest


@pytest.fixture(autouse=True)
def _no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **_: object) -> None:
        raise AssertionError(f"a unit test started a process: {arguments}")

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)
