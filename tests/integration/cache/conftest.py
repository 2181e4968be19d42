"""A server for the remote cache."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .remote_nginx import Nginx, running

SOON_SECONDS = 15.0


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    with running(tmp_path / "nginx") as server:
        yield server


@pytest.fixture
def in_time() -> Iterator[None]:
    """The test must end soon, also on a busy machine."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < SOON_SECONDS
