"""Fixtures for tests of whole builds: builds from scratch, each run once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.integration.engine.scratch import Scratch


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    """Builds from scratch, one at a time, in parallel with the test."""
    with ThreadPoolExecutor(1) as pool:
        yield Scratch(tmp_path_factory.mktemp("from scratch"), pool)
        pool.shutdown(cancel_futures=True)
