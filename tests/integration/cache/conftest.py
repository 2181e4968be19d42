"""A server for the remote cache."""

from __future__ import annotations

import subprocess
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


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate authority `ca.pem`, and `server.pem` and `server.key` for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("authority")
    key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -batch"
    for line in (
        f"req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=test",
        f"req -x509 {key} -keyout server.key -out server.pem -subj /CN=server -CA ca.pem"
        " -CAkey ca.key -addext subjectAltName=IP:127.0.0.1"
        " -addext basicConstraints=critical,CA:FALSE",
    ):
        subprocess.run(["openssl", *line.split()], cwd=folder, check=True, capture_output=True)
    return folder
