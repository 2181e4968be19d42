"""A Conan server on the loopback interface, as `scripts/setup tests` installs it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.cache.remote_nginx import free_port

PACKAGES = Path(sys.prefix) / "conan-server"
# Its own command listens on all addresses.
RUN = """
import sys
from conans.server.launcher import ServerLauncher
ServerLauncher(server_dir=sys.argv[1]).server.run(host="127.0.0.1")
"""
CONFIGURATION = """\
[server]
jwt_secret: secret
jwt_expire_minutes: 120
ssl_enabled: False
port: {port}
host_name: 127.0.0.1
authorize_timeout: 1800
disk_storage_path: ./data
disk_authorize_timeout: 1800
updown_secret: secret

[write_permissions]
*/*@*/*: tester

[read_permissions]
*/*@*/*: *

[users]
tester: password
"""
LOGIN = {"CONAN_LOGIN_USERNAME_COMPANY": "tester", "CONAN_PASSWORD_COMPANY": "password"}
"""The variables with which Conan logs in to the remote `company`."""


@contextlib.contextmanager
def conan_server(folder: Path) -> Iterator[str]:
    """The URL of a server for the block, which keeps everything in `folder`."""
    if not PACKAGES.is_dir():
        pytest.fail("no Conan server: run scripts/setup tests")
    port = free_port()
    folder.mkdir()
    (folder / "server.conf").write_text(CONFIGURATION.format(port=port))
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-P", "-c", RUN, folder],
            env={**os.environ, "PYTHONPATH": str(PACKAGES)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(f"{url}/v1/ping", process, folder / "log")
            yield url
        finally:
            process.terminate()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.1)
    pytest.fail(f"the Conan server did not start: {log.read_text(encoding='utf-8')}")
