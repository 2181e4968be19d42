"""Downloads a large file over HTTP; a download that was interrupted continues."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO
from urllib.parse import urljoin, urlsplit

import urllib3

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, StepOutput, open_step, progress

TRIES = 5
"""How often in a row a download continues that has brought less than `BLOCK`."""
WAIT_SECONDS = 2.0
TIMEOUT = urllib3.Timeout(connect=20, read=60)
BLOCK = 1 << 18
TELL_SECONDS = 0.2
MAX_REDIRECTS = 5
MAX_BYTES = 16 << 30
"""More than any SDK has: what a server sends without an end must not fill the disk.
It is the limit of archives whose size is unknown."""
OK, PARTIAL, NOT_SATISFIABLE = 200, 206, 416


class DownloadError(BuildtoolError):
    """A file cannot be downloaded."""

    code = "download"


def download(url: str, file: Path, name: str, listener: Listener, size: int = 0) -> None:
    """Download `url` as `file`.  What has arrived is in `file` with `.part` appended: the next call
    continues there.

    `name` is for messages; `size` is the expected number of bytes, 0 if it is unknown.  Raises
    `DownloadError` and `OSError`.
    """
    part = file.with_name(f"{file.name}.part")
    with open_step(name, f"downloading from {urlsplit(url).hostname}", listener) as step:
        with part.open("ab") as stream:
            _Download(url, stream, name, listener, size=size).run()
        part.replace(file)
        step.outcome = "downloaded"


class _Download:
    """The download of a file into `stream`, after what is there."""

    def __init__(
        self, url: str, stream: IO[bytes], name: str, listener: Listener, *, size: int
    ) -> None:
        self._url = url
        self._stream = stream
        self._name = name
        self._listener = listener
        self._size = size
        self._limit = size or MAX_BYTES
        self._manager = urllib3.PoolManager(retries=False, timeout=TIMEOUT)

    def run(self) -> None:
        """Append what is missing; again when the connection breaks."""
        tries = 0
        while True:
            before = self._stream.tell()
            try:
                if self._continue():
                    return
                reason = "the connection was closed before the end"
            except urllib3.exceptions.HTTPError as error:
                reason = str(error)
            tries = 0 if self._stream.tell() >= before + BLOCK else tries + 1
            if tries >= TRIES:
                raise self._error(
                    reason, "Check the network, and repeat the command: it continues."
                )
            time.sleep(WAIT_SECONDS * min(tries, 1))

    def _continue(self) -> bool:
        """Append what the server sends; returns whether it is the end of the file."""
        have = self._stream.tell()
        response = self._open(have)
        try:
            if response.status == NOT_SATISFIABLE:  # there is nothing after what has arrived
                return True
            if response.status not in (OK, PARTIAL):
                answer = f"the server answers {response.status} {response.reason}"
                raise self._error(answer, "Check the version.")
            if response.status == OK and have:  # the server sends the whole file
                self._stream.truncate(0)
                have = 0
            length = response.length_remaining
            end = self._size if length is None else have + length
            if end > self._limit:
                raise self._too_large(f"the server announces {end:,} bytes")
            self._receive(response, have, end)
            return not end or self._stream.tell() >= end
        finally:
            response.close()

    def _receive(self, response: urllib3.BaseHTTPResponse, have: int, end: int) -> None:
        started = told = time.monotonic()
        while data := response.read1(BLOCK):  # `read` loses what arrived before a break
            self._stream.write(data)
            if self._stream.tell() > self._limit:
                raise self._too_large(f"more than {self._limit:,} bytes arrived")
            now = time.monotonic()
            if now - told >= TELL_SECONDS:
                told = now
                done = self._stream.tell()
                text = progress(done, end, (done - have) / (now - started))
                self._listener(StepOutput(self._name, text))

    def _open(self, have: int) -> urllib3.BaseHTTPResponse:
        """The response for what follows the first `have` bytes, after redirects."""
        headers = {"User-Agent": "buildtool", "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        url = self._url
        for _ in range(MAX_REDIRECTS + 1):
            response = self._manager.request(
                "GET", url, headers=headers, preload_content=False, redirect=False
            )
            location = response.get_redirect_location()
            if not location:
                return response
            response.close()
            try:
                following = urljoin(url, location)
            except ValueError as error:
                raise self._error(f"it leads to {location}: {error}", "") from None
            if urlsplit(url).scheme == "https" and urlsplit(following).scheme != "https":
                raise self._error(f"it leads to {location}, which is not encrypted", "")
            url = following
        raise self._error("it leads from one address to the next", "")

    def _too_large(self, why: str) -> DownloadError:
        self._stream.truncate(0)  # the next call would continue behind it
        return self._error(
            why,
            f"It is not the archive, which has {self._size:,} bytes."
            if self._size
            else "It is no SDK.",
        )

    def _error(self, why: str, remedy: str) -> DownloadError:
        mirror = "A mirror, or a file, can be named with --from."
        return DownloadError(
            f"{self._url} cannot be downloaded", why=why, remedy=f"{remedy} {mirror}".strip()
        )
