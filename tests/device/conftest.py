"""The cache of tests for which it does not matter whether a project is built or restored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def _common_cache(_cache: None) -> Path:
    return Path(os.environ["BUILDTOOL_CACHE"])


@pytest.fixture
def earlier_builds(
    _common_cache: Path, _own_actions: None, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give the test the cache that fixtures of modules use: what any of them, or of the tests with
    this fixture, has built is restored."""
    monkeypatch.setenv("BUILDTOOL_CACHE", str(_common_cache))
    return _common_cache
