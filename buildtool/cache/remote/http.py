"""HTTP to the server of a remote cache: one request, its answer, redirects, one retry."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3.exceptions import (
    NewConnectionError,
    ProtocolError,
    ProxyError,
    SSLError,
)
from urllib3.exceptions import TimeoutError as LateError

from buildtool.cache.remote.config import RemoteConfig
from buildtool.cache.remote.connections import as_utf8, bare, connections
from buildtool.cache.remote.frames import CHUNK, BadAnswerError
from buildtool.cache.remote.request_thread import GoneError, RequestThread

CONNECT = 3.0
"""Seconds to get a connection, and to send a piece on it: a lost packet goes again after 1 s."""
LATE = "does not answer in time"
HOPS = 3
"""Redirects that are followed."""
REDIRECTS = (301, 302, 303, 307, 308)


class Answer:
    """Status, headers and body of a response; the body is read in pieces that came together."""

    def __init__(self, response: urllib3.BaseHTTPResponse, thread: RequestThread[Any]) -> None:
        self._response = response
        self._exchange = thread
        self.status = response.status
        said = response.headers.get("content-length", "")
        self.length = int(said) if said.isascii() and said.isdigit() and len(said) < 20 else None

    @property
    def kind(self) -> str:
        """The media type, shortened to what is safe to show."""
        kind = self._response.headers.get("content-type", "").partition(";")[0].strip()[:40]
        return kind if kind.isascii() and kind.isprintable() else ""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, b"" at the end; never waits to fill them up."""
        self._exchange.alive()
        data = self._response.read1(CHUNK if size < 0 else size, decode_content=False)
        self._exchange.alive(len(data))
        return data


class Server:
    """The server's base address and how to ask it.  Threads share it.

    Raises `GoneError` when the system's certificates or the proxy cannot be used.
    """

    def __init__(self, config: RemoteConfig) -> None:
        self._base = config.url
        self._timeout = urllib3.Timeout(connect=min(CONNECT, config.timeout), read=config.timeout)
        self._headers = {"User-Agent": "buildtool", "Accept-Encoding": "identity"}
        self._credentials: Mapping[str, str] = {}
        if config.token:
            self._credentials = {"Authorization": f"Bearer {config.token}"}
        elif config.user:
            pair = f"{config.user}:{config.password}"
            made = urllib3.make_headers(basic_auth=as_utf8(pair))
            self._credentials = {"Authorization": made["authorization"]}
        try:
            self._manager = connections(config.proxy)
        except OSError as error:
            raise GoneError(f"cannot be asked: {error.strerror}") from None
        self._through = f" through the proxy {bare(config.proxy)}" if config.proxy else ""

    @contextmanager
    def ask(
        self,
        thread: RequestThread[Any],
        method: str,
        path: str,
        body: Callable[[], BinaryIO] | None = None,
        size: int = 0,
    ) -> Iterator[Answer]:
        """Ask for `path` below the base, e.g. `/ac/<key>`; `body` opens what is sent, `size` bytes.

        Raises `GoneError` when there is no answer, `BadAnswerError` for a redirect that is not
        followed, and urllib3's other errors when an answer breaks off.
        """
        response = None
        try:
            response = self._follow(thread, method, self._base + path, body, size)
            answer = Answer(response, thread)
            yield answer
            # The page that comes with a 404 is read, so that the connection can be used again.
            left = response.length_remaining
            while left and left <= CHUNK and answer.read():
                pass
            if left is not None and not response.length_remaining:
                response.release_conn()
        except (SSLError, ssl.SSLError) as error:
            raise GoneError(_certificate(error)) from None
        except (NewConnectionError, ProxyError) as error:
            raise GoneError(f"cannot be reached{self._through}{_reason(error)}") from None
        except LateError:
            raise GoneError(LATE) from None
        except ProtocolError:
            raise BadAnswerError("an answer that breaks off") from None
        finally:
            if response is not None:
                response.close()

    def _follow(
        self,
        thread: RequestThread[Any],
        method: str,
        url: str,
        body: Callable[[], BinaryIO] | None,
        size: int,
    ) -> urllib3.BaseHTTPResponse:
        for _ in range(HOPS + 1):
            response = self._twice(thread, method, url, body, size)
            where = response.headers.get("location")
            if response.status not in REDIRECTS or not where:
                return response
            response.close()
            url = self._redirected(method, url, where)
        raise BadAnswerError("redirects without an end")

    def _redirected(self, method: str, url: str, where: str) -> str:
        try:
            there = urljoin(url, where)
            old, new = urlsplit(url), urlsplit(there)
            host, port = new.hostname, new.port
        except ValueError:
            raise BadAnswerError("a redirect to what is no address") from None
        if not there.isascii() or not there.isprintable() or not host:
            raise BadAnswerError("a redirect to what is no address")
        shown = f"{new.scheme}://{host}{f':{port}' if port else ''}"
        if new.scheme not in ("http", "https") or (old.scheme == "https" and new.scheme == "http"):
            raise BadAnswerError(f"a redirect to {shown}, which is not followed")
        if method == "PUT" and _origin(there) != _origin(url):
            raise BadAnswerError(f"a redirect of what is stored to {shown}, which is not followed")
        return there

    def _twice(
        self,
        thread: RequestThread[Any],
        method: str,
        url: str,
        body: Callable[[], BinaryIO] | None,
        size: int,
    ) -> urllib3.BaseHTTPResponse:
        # A server may end a kept connection just when it is used again: that once is no failure.
        try:
            return self._once(thread, method, url, body, size)
        except ProtocolError as error:
            if any(isinstance(each, TimeoutError) for each in _causes(error)):
                raise GoneError(LATE) from None  # what was sent was not taken
        thread.alive()
        try:
            return self._once(thread, method, url, body, size)
        except ProtocolError:
            if method == "PUT":  # it may hang up on what it does not want to store
                raise BadAnswerError("no answer to what it was to store") from None
            raise GoneError("hangs up, or does not talk HTTP") from None

    def _once(
        self,
        thread: RequestThread[Any],
        method: str,
        url: str,
        body: Callable[[], BinaryIO] | None,
        size: int,
    ) -> urllib3.BaseHTTPResponse:
        headers = dict(self._headers)
        if _origin(url) == _origin(self._base):
            headers.update(self._credentials)
        stream = None
        if body is not None:
            headers |= {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
            stream = _Counted(body(), thread)
        try:
            return self._manager.urlopen(
                method,
                url,
                body=stream,
                headers=headers,
                retries=False,
                redirect=False,
                preload_content=False,
                timeout=self._timeout,
            )
        finally:
            if stream is not None:
                stream.close()


class _Counted:
    """A body whose bytes are counted while they are sent."""

    def __init__(self, stream: BinaryIO, thread: RequestThread[Any]) -> None:
        self._stream, self._exchange = stream, thread
        self.close = stream.close

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._exchange.alive(len(data))
        return data


def _origin(url: str) -> tuple[str, str | None, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def _certificate(error: Exception) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return (
            "shows a certificate that this machine does not trust (SSL_CERT_FILE names a file with"
            " the certificates of more authorities)"
        )
    return "does not talk TLS as it should"


def _reason(error: Exception) -> str:
    """The operating system's words at the bottom of an error of urllib3, or a proxy's status."""
    for each in _causes(error):
        if isinstance(each, OSError) and each.strerror:
            return f": {each.strerror}"
        if refused := re.match(r"Tunnel connection failed: (\d{3})\b", str(each)):
            return f": status {refused[1]}"
    return ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
