"""Where the remote cache is, its mode and its credentials: from the environment and the project.

Credentials appear in no message and no `repr`: an error does not repeat an invalid value.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from buildtool.core.errors import UsageError

URL = "BUILDTOOL_REMOTE_CACHE"
MODE = "BUILDTOOL_REMOTE_CACHE_MODE"
TOKEN = "BUILDTOOL_REMOTE_CACHE_TOKEN"
USER = "BUILDTOOL_REMOTE_CACHE_USER"
PASSWORD = "BUILDTOOL_REMOTE_CACHE_PASSWORD"

MODES = ("read", "read-write", "off")
SCHEMES = ("https", "http", "grpcs", "grpc")
"""The plain protocol of HTTP caches, and the remote execution API (REv2); with TLS or without."""
TIMEOUT = 5.0
_HOW = f"Set {TOKEN} for a bearer token, or {USER} and {PASSWORD} for basic authentication."


@dataclass(frozen=True)
class RemoteConfig:
    """One remote cache.  `url` has one of the `SCHEMES`, no credentials and no trailing slash.

    `timeout` is in seconds: what one request may take beyond the time that its bytes need.
    `proxy` is the proxy's address, credentials included, or "".
    """

    url: str
    mode: str = "read"
    token: str = field(default="", repr=False)
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    timeout: float = TIMEOUT
    proxy: str = field(default="", repr=False)

    @property
    def in_the_open(self) -> bool:
        """Whether credentials are sent unencrypted to another machine."""
        parts = urlsplit(self.url)
        is_plain = parts.scheme in ("http", "grpc")
        return bool(self.token or self.user) and is_plain and not _is_loopback(parts)


def remote_config(
    environment: Mapping[str, str], *, url: str = "", mode: str = ""
) -> RemoteConfig | None:
    """The remote cache to use, or None when there is none or it is switched off.

    `url` and `mode` come from the project file; the environment takes precedence, where an empty
    variable counts as unset.  Raises `UsageError` for an invalid address, mode or credentials.
    """
    source = MODE if environment.get(MODE) else "the project file"
    mode = environment.get(MODE) or mode or "read"
    if mode not in MODES:
        raise UsageError(
            f"{mode!r} is not a mode of a remote cache",
            why=f"{source} sets it; the modes are {', '.join(MODES)}",
            remedy=f"Set {MODE} to read or read-write, or to off to build without a remote cache.",
        )
    source = URL if environment.get(URL) else "the project file"
    address = environment.get(URL) or url
    if not address or mode == "off":
        return None
    parts = _parsed(address, source)
    if "@" in parts.netloc and source != URL:
        raise UsageError(
            "the remote cache's address in the project file contains a user name or password",
            why="a project file is shared, credentials are personal",
            remedy=f"Remove them from the address; set {TOKEN}, or {USER} and {PASSWORD}.",
        )
    token, user, password = _credentials(environment, parts)
    return RemoteConfig(
        url=f"{parts.scheme}://{_host(parts)}{parts.path.rstrip('/')}",
        mode=mode,
        token=token,
        user=user,
        password=password,
        proxy=_proxy(environment, parts),
    )


def _parsed(address: str, source: str) -> SplitResult:
    wrong = ""
    parts = urlsplit("")
    try:
        parts = urlsplit(address)
        if not address.isascii() or not address.isprintable() or " " in address:
            wrong = "it contains a space or a character that an address may not contain"
        elif parts.scheme not in SCHEMES:
            wrong = f"it does not start with {'://, '.join(SCHEMES)}://"
        elif not parts.hostname or parts.port == 0:
            wrong = "it names no host, or port 0"
        elif parts.query or parts.fragment or address.endswith(("?", "#")):
            wrong = "it has a part after ? or #, where /ac and /cas cannot be appended"
    except ValueError:
        wrong = "it is not a URL, or its port is not a number up to 65535"
    if wrong:
        raise UsageError(
            "the address of the remote cache cannot be used",
            why=f"{source}: {wrong}",
            remedy=f"For example: {URL}=https://cache.example.com/builds",
        )
    return parts


def _credentials(environment: Mapping[str, str], parts: SplitResult) -> tuple[str, str, str]:
    """(token, user, password); either the token or the other two are empty."""
    token = environment.get(TOKEN, "")
    user, password = environment.get(USER, ""), environment.get(PASSWORD, "")
    in_url = "@" in parts.netloc
    if sum((bool(token), bool(user or password), in_url)) > 1:
        raise UsageError(
            "there is more than one set of credentials for the remote cache",
            why=f"looked at {TOKEN}, {USER} and {PASSWORD}, and the address in {URL}",
            remedy=_HOW,
        )
    if in_url:
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise UsageError(
            "half of the credentials for the remote cache is missing",
            why=f"there is a {'user name' if user else 'password'} without the other one",
            remedy=_HOW,
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"{TOKEN} cannot be sent",
            why="it contains a space, a line end or a character that is not ASCII",
            remedy=f"Set {TOKEN} to the bare token, without the word Bearer or a line end.",
        )
    if ":" in user or not (user + password).isprintable():
        raise UsageError(
            "the user name or password for the remote cache cannot be sent",
            why="a colon in the user name, or a control character in one of them",
            remedy=_HOW,
        )
    return token, user, password


def _proxy(environment: Mapping[str, str], parts: SplitResult) -> str:
    """The proxy that the environment names for this address.

    Lower case takes precedence, and HTTP_PROXY is ignored in a CGI program, as in curl.
    """
    from urllib.request import proxy_bypass  # noqa: PLC0415 - slow, seldom needed

    found = {
        name.lower().removesuffix("_proxy"): value
        for name, value in sorted(environment.items())  # upper case sorts first
        if name.lower().endswith("_proxy") and value
        if not (name == "HTTP_PROXY" and "REQUEST_METHOD" in environment)
    }
    proxy = found.get(parts.scheme) or found.get("all") or ""
    if not proxy or proxy_bypass(_host(parts), found):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _host(parts: SplitResult) -> str:
    """Host and port, without credentials."""
    return parts.netloc.rpartition("@")[2]


def _is_loopback(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
