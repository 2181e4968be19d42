"""A server for the remote cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .remote_nginx import Nginx, running


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    with running(tmp_path / "nginx") as server:
        yield server
