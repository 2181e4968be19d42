"""What tests on the emulated device share: its programs, and a cache of builds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.device.emulated.emulator import build_emulator


@pytest.fixture(scope="session")
def _common_cache(_cache: None) -> Path:
    return Path(os.environ["BUILDTOOL_CACHE"])


@pytest.fixture(scope="session", autouse=True)
def _emulator(_cache: None) -> None:
    """Build the emulated device's programs, which a command would say in its output."""
    build_emulator(lambda _: None)


@pytest.fixture
def earlier_builds(
    _common_cache: Path, _own_actions: None, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give the test the cache that fixtures of modules use: what any of them, or of the tests with
    this fixture, has built is restored."""
    monkeypatch.setenv("BUILDTOOL_CACHE", str(_common_cache))
    return _common_cache
