"""Connections to the server of a remote cache: the trust store, the proxy, and how to end one."""

from __future__ import annotations

import ssl
import threading
from typing import Any
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from buildtool.cache.remote.frames import CHUNK
from buildtool.cache.remote.request_thread import GoneError, RequestThread

PARALLEL = 16
"""Connections that are kept for the next request."""


class _Seen:
    """A connection that tells the thread it works for, so that this one can end it."""

    def request(self, *arguments: Any, **named: Any) -> None:
        thread = threading.current_thread()
        if isinstance(thread, RequestThread):
            thread.connection = self
        super().request(*arguments, **named)  # type: ignore[misc]


class _Http(_Seen, HTTPConnection):
    pass


class _Https(_Seen, HTTPSConnection):
    pass


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _Http


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _Https


def connections(proxy: str) -> urllib3.PoolManager:
    """What makes and keeps connections; `proxy` is an address with its credentials, or "".

    Raises `GoneError`, which does not repeat the address, when the proxy cannot be used, and
    `OSError` when the system's certificates cannot be read.
    """
    # The system's trust store; OpenSSL looks at SSL_CERT_FILE and SSL_CERT_DIR itself.
    trust = ssl.create_default_context()
    options: dict[str, Any] = {"ssl_context": trust, "maxsize": PARALLEL, "blocksize": CHUNK}
    manager: urllib3.PoolManager
    if proxy:
        headers = None
        try:
            parts = urlsplit(proxy)
            if parts.username:
                pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
                headers = urllib3.make_headers(proxy_basic_auth=as_utf8(pair))
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
            manager = urllib3.ProxyManager(
                bare(proxy) if usable else "",
                proxy_headers=headers,
                proxy_ssl_context=trust,
                **options,
            )
        except (ValueError, HTTPError):  # their words repeat the address, password and all
            raise GoneError(
                "cannot be asked: the environment names a proxy whose address cannot be used"
                " (it is http:// or https:// with a host, perhaps a port)"
            ) from None
    else:
        manager = urllib3.PoolManager(**options)
    manager.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}
    return manager


def as_utf8(pair: str) -> str:
    """For urllib3, which encodes user and password as latin-1; servers expect UTF-8 (RFC 7617)."""
    return pair.encode().decode("latin-1")


def bare(url: str) -> str:
    """Scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
