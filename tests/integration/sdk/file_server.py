"""A file server on loopback, which can send less, more or something else than it announces."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Server(http.server.ThreadingHTTPServer):
    """Serves `data` at any path; the first `cuts` answers end after half of what they announce, and
    the others have `status` if it is not 200, and the fields `header`."""

    daemon_threads = True

    def __init__(
        self,
        data: bytes,
        *,
        cuts: int = 0,
        ranges: bool = True,
        status: int = 200,
        header: dict[str, str] | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.data, self.cuts, self.ranges, self.status = data, cuts, ranges, status
        self.header = header or {}
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/ndk.zip"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        self.server.asked.append(wanted)
        found = re.fullmatch(r"bytes=(\d+)-", wanted)
        start = int(found[1]) if found and self.server.ranges else 0
        body = self.server.data[start:]
        cut = self.server.cuts > 0
        fails = self.server.status != 200 and not cut
        self.send_response(self.server.status if fails else 206 if start else 200)
        for name, value in ({"Content-Length": str(len(body))} | self.server.header).items():
            self.send_header(name, value)
        self.end_headers()
        self.server.cuts -= cut
        self.wfile.write(body[: len(body) // 2] if cut else body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(data: bytes, **options: Any) -> Iterator[Server]:
    with Server(data, **options) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
