"""A real nginx with WebDAV on loopback, with its own prefix and port, in one process."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

CONFIGURATION = """
daemon off;
master_process off;
error_log {prefix}/error.log;
pid {prefix}/nginx.pid;
events {{ worker_connections 64; }}
http {{
    access_log {prefix}/access.log;
    client_body_temp_path {prefix}/body;
    proxy_temp_path {prefix}/proxy;
    fastcgi_temp_path {prefix}/fastcgi;
    uwsgi_temp_path {prefix}/uwsgi;
    scgi_temp_path {prefix}/scgi;
    {http}
    server {{
        listen 127.0.0.1:{port}{tls};
        {server}
        location /builds/ {{
            root {prefix}/files;
            {store}
            {location}
        }}
    }}
}}
"""
AFTER = "/and-after-that"
STORE = "dav_methods PUT; create_full_put_path on; client_max_body_size 0;"


class Nginx:
    """One server; `url` is its address, `files` the directory in which it stores files."""

    def __init__(self, prefix: Path, **parts: str) -> None:
        self.prefix = prefix
        self.files = prefix / "files/builds"
        self.port = 0
        self.scheme = "https" if parts.get("tls") else "http"
        self._parts = {"http": "", "server": "", "location": "", "tls": "", "store": STORE} | parts
        self._process: subprocess.Popen[bytes] | None = None
        self._alone = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.files.mkdir(parents=True)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/builds"

    def log(self) -> list[str]:
        """`METHOD /path status` of each request so far."""
        # nginx writes a line of the log after the response.  It is a single process: once it has
        # responded to another request, the lines of all earlier ones are written.
        with contextlib.suppress(urllib.error.HTTPError):
            self._alone.open(f"http://127.0.0.1:{self.port}{AFTER}", timeout=20).close()
        lines = (self.prefix / "access.log").read_text().splitlines()
        rows = (line.split('"') for line in lines if AFTER not in line)
        return [f"{row[1].rpartition(' ')[0]} {row[2].split()[0]}" for row in rows]

    def stored(self, kind: str) -> list[Path]:
        """The files that are stored below /ac or /cas."""
        return sorted(path for path in (self.files / kind).glob("*") if path.is_file())

    def start(self) -> None:
        # Another process can take the free port before nginx does: try again.
        for _ in range(5):
            self.port = self.port or free_port()
            text = CONFIGURATION.format(prefix=self.prefix, port=self.port, **self._parts)
            (self.prefix / "nginx.conf").write_text(text)
            self._process = subprocess.Popen(
                [program(), "-p", self.prefix, "-c", self.prefix / "nginx.conf", "-e", "error.log"],
                stdin=subprocess.DEVNULL,
            )
            if self._answers():
                return
            self.kill()
            self.port = 0
        raise AssertionError((self.prefix / "error.log").read_text())

    def kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGKILL)
            process.wait()

    def _answers(self) -> bool:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if self._process is None or self._process.poll() is not None:
                return False
            # Without the pid file, another process may be responding on this port.
            if (self.prefix / "nginx.pid").exists():
                with (
                    contextlib.suppress(OSError),
                    socket.create_connection(("127.0.0.1", self.port), 1),
                ):
                    return True
            time.sleep(0.01)
        return False


def program() -> str:
    """nginx, which Debian installs in a directory that is only in root's PATH."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert found, "there is no nginx: scripts/setup tests"
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextlib.contextmanager
def running(prefix: Path, **parts: str) -> Iterator[Nginx]:
    """An nginx for the block."""
    nginx = Nginx(prefix, **parts)
    nginx.start()
    try:
        yield nginx
    finally:
        nginx.kill()
