"""HTTP requests to the server of a remote cache."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO
from urllib.parse import unquote, urljoin, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    HTTPError,
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    SSLError,
    URLSchemeUnknown,
)
from urllib3.exceptions import TimeoutError as HTTPTimeoutError

from buildtool.cache.remote.config import RemoteConfig
from buildtool.cache.remote.requests import BadResponseError, UnavailableError, report_progress
from buildtool.cache.remote.zstd_frames import CHUNK

MAX_CONNECTIONS = 16
"""Connections that are kept for the next request."""
MAX_REDIRECTS = 3


class Server:
    """The server of one remote cache.  Threads share it.

    Raises `UnavailableError` when the system's certificates or the proxy cannot be used.
    """

    def __init__(self, config: RemoteConfig) -> None:
        self._config = config
        self._headers = {"User-Agent": "buildtool", "Accept-Encoding": "identity"}
        self._credentials: dict[str, str] = {}
        if config.token:
            self._credentials = {"Authorization": f"Bearer {config.token}"}
        elif config.user:
            pair = _as_utf8(f"{config.user}:{config.password}")
            self._credentials = urllib3.make_headers(basic_auth=pair)
        self._manager = _manager(config.url, config.proxy)
        self._server = urllib3.connection_from_url(config.url)  # only compared with redirects

    @contextmanager
    def request(
        self, method: str, path: str, body: BinaryIO | None = None, size: int = 0
    ) -> Iterator[urllib3.BaseHTTPResponse]:
        """The response for `path` below the base, such as `/ac/<key>`; `body` is seekable.

        Raises `UnavailableError` when there is no server, and `BadResponseError` for an
        invalid or incomplete response.
        """
        response = None
        try:
            response = self._send(method, path, body, size)
            yield response
            # Once the page of a 404 is read, the connection can be used again.
            left = response.length_remaining
            if left is not None and left <= CHUNK:
                response.drain_conn()
        except HTTPError as error:
            raise _failure(error, self._config.proxy, storing=body is not None) from None
        finally:
            if response is not None:
                response.close()

    def _send(
        self, method: str, path: str, body: BinaryIO | None, size: int
    ) -> urllib3.BaseHTTPResponse:
        url = self._config.url + path
        # Redirects are followed here: urllib3 would also send a body to another server, and
        # leave responses open.
        for _ in range(MAX_REDIRECTS + 1):
            headers = dict(self._headers)
            if self._server.is_same_host(url):
                headers |= self._credentials
            if body is not None:
                headers |= {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
            response = self._manager.urlopen(
                method,
                url,
                body=None if body is None else _Upload(body),
                headers=headers,
                # A server may close a kept connection as it is used again.
                retries=urllib3.Retry(None, connect=0, read=1, status=0, other=0),
                redirect=False,
                # Longer than the request's deadline, unless transferred bytes have extended that.
                timeout=2 * self._config.timeout,
                preload_content=False,
                decode_content=False,
            )
            location = response.get_redirect_location()
            if not location or body is not None:
                return response
            response.close()
            url = urljoin(url, location)
        raise BadResponseError("an endless chain of redirects")


class _Upload:
    """A body whose bytes are reported as progress; it is sent again from where it is now."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.tell, self.seek = stream.tell, stream.seek

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        report_progress(len(data))
        return data


class _Noted:
    """A connection that the request thread can end."""

    def request(self, *arguments: Any, **named: Any) -> None:
        report_progress(connection=self)
        super().request(*arguments, **named)  # type: ignore[misc]


class _Http(_Noted, HTTPConnection): ...


class _Https(_Noted, HTTPSConnection): ...


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _Http


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _Https


def _manager(url: str, proxy: str) -> urllib3.PoolManager:
    """Connections for `url`, through the address `proxy`, with its credentials, unless it is ""."""
    try:
        # The system's trust store; OpenSSL reads SSL_CERT_FILE and SSL_CERT_DIR itself.
        trust = ssl.create_default_context()
    except OSError as error:
        raise UnavailableError(f"cannot be accessed: {error.strerror}") from None
    options: dict[str, Any] = {"ssl_context": trust, "maxsize": MAX_CONNECTIONS, "blocksize": CHUNK}
    try:
        manager = _proxy_manager(proxy, options) if proxy else urllib3.PoolManager(**options)
    except (ValueError, HTTPError):  # their texts repeat the address with its password
        raise UnavailableError(
            "cannot be accessed: the environment names a proxy whose address cannot be used"
            " (it must be http:// or https:// with a host and optionally a port)"
        ) from None
    manager.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}
    if url.startswith("https:"):
        del manager.key_fn_by_scheme["http"]  # no redirect leads to a server without encryption
    return manager


def _proxy_manager(proxy: str, options: dict[str, Any]) -> urllib3.PoolManager:
    parts = urlsplit(proxy)
    headers = None
    if parts.username:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers = urllib3.make_headers(proxy_basic_auth=_as_utf8(pair))
    return urllib3.ProxyManager(
        _bare(proxy), proxy_headers=headers, proxy_ssl_context=options["ssl_context"], **options
    )


def _as_utf8(pair: str) -> str:
    """For urllib3, which encodes user and password as latin-1; servers expect UTF-8 (RFC 7617)."""
    return pair.encode().decode("latin-1")


def _bare(url: str) -> str:
    """Scheme, host and port, without credentials; raises `ValueError` without a host."""
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _failure(error: HTTPError, proxy: str, *, storing: bool) -> Exception:
    """The exception for a request that failed with this error of urllib3."""
    cause = error.reason or error if isinstance(error, MaxRetryError) else error
    if isinstance(cause, SSLError):
        if "CERTIFICATE_VERIFY_FAILED" not in str(cause):
            return UnavailableError("does not speak TLS correctly")
        return UnavailableError(
            "presents a certificate that this machine does not trust (SSL_CERT_FILE names a file"
            " with the certificates of more authorities)"
        )
    if isinstance(cause, NewConnectionError | ProxyError):
        through = f" through the proxy {_bare(proxy)}" if proxy else ""
        return UnavailableError(f"cannot be reached{through}{_reason(cause)}")
    late = any(isinstance(each, TimeoutError) for each in cause.args)  # of a body that is sent
    if late or isinstance(cause, HTTPTimeoutError):
        return UnavailableError("does not answer in time")
    if isinstance(cause, URLSchemeUnknown):
        return BadResponseError(f"a redirect to {cause.scheme}, which is not followed")
    if isinstance(cause, ProtocolError) and cause is error:
        return BadResponseError("an incomplete response")
    if isinstance(cause, ProtocolError) and not storing:
        return UnavailableError("closes the connection, or does not speak HTTP")
    if isinstance(cause, ProtocolError):  # a server may close the connection to refuse an upload
        return BadResponseError("no response to an upload")
    return BadResponseError(f"an unreadable response ({type(cause).__name__})")


def _reason(error: BaseException) -> str:
    """The system's message in the chain of causes of `error`, or a proxy's status."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return f": {cause.strerror}"
        if refused := re.match(r"Tunnel connection failed: (\d{3})\b", str(cause)):
            return f": status {refused[1]}"
        cause = cause.__cause__ or cause.__context__
    return ""
