"""A real BuildGrid on loopback, whose action cache is in memory and whose CAS in a directory."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .remote_machine import ZSTD
from .remote_nginx import free_port

PACKAGES = Path(sys.prefix) / "buildgrid"
RUN = "from buildgrid.server.app import cli; cli()"
CONFIGURATION = """
server:
  - !channel
    address: 127.0.0.1:{port}
{security}
description: a cache
thread-pool-size: 20
instances:
  - name: '{instance}'
    storages:
      - !disk-storage &cas
        path: {files}
    caches:
      - !lru-action-cache &actions
        storage: *cas
        max-cached-refs: 1000
        allow-updates: {writable}
    services:
      - !action-cache
        cache: *actions
      - !cas
        storage: *cas
      - !bytestream
        storage: *cas
"""
PLAIN = "    insecure-mode: true"


class BuildGrid:
    """One server; `url` is its address."""

    def __init__(self, url: str, files: Path, process: subprocess.Popen[bytes]) -> None:
        self.url = url
        self._files = files
        self._process = process

    def stored(self) -> list[Path]:
        """The files of its CAS that a client stored: it keeps results of actions there, too."""
        files = (path for path in self._files.rglob("*") if path.is_file())
        return sorted(path for path in files if path.read_bytes().startswith(ZSTD))

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def buildgrid(
    folder: Path, instance: str = "", security: str = PLAIN, *, writable: bool = True
) -> Iterator[BuildGrid]:
    """A server for the block, which keeps everything in `folder`."""
    if not PACKAGES.is_dir():
        pytest.fail("no BuildGrid: run scripts/setup tests")
    port, files = free_port(), folder / "files"
    files.mkdir(parents=True)
    (folder / "server.yml").write_text(
        CONFIGURATION.format(
            port=port,
            security=security,
            instance=instance,
            files=files,
            writable=str(writable).lower(),
        )
    )
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-c", RUN, "server", "start", folder / "server.yml"],
            env={**os.environ, "PYTHONPATH": str(PACKAGES), "PYTHONWARNINGS": "ignore"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            _wait(process, port, folder / "log")
            scheme = "grpc" if security == PLAIN else "grpcs"
            yield BuildGrid(f"{scheme}://127.0.0.1:{port}/{instance}".rstrip("/"), files, process)
        finally:
            process.kill()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    while True:
        assert process.poll() is None, log.read_text(encoding="utf-8")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
