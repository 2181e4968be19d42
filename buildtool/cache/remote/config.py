"""Where the remote cache is, what may be done with it, and who asks: from the environment.

Credentials are in no message and no `repr`: a value that is refused is not repeated.
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
TIMEOUT = 5.0
EXAMPLE = f"For example: {URL}=https://cache.example.com/builds"


@dataclass(frozen=True)
class RemoteConfig:
    """One remote cache.  `url` is http or https without credentials and without a last slash.

    `timeout` is in seconds: what one request may take beyond the time its bytes need.
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
    def has_credentials(self) -> bool:
        return bool(self.token or self.user)

    @property
    def in_the_open(self) -> bool:
        """Whether credentials are sent unencrypted to another machine."""
        parts = urlsplit(self.url)
        return self.has_credentials and parts.scheme == "http" and not _loopback(parts.hostname)


def remote_config(
    environment: Mapping[str, str], *, url: str = "", mode: str = ""
) -> RemoteConfig | None:
    """The remote cache to use, or None when there is none or it is switched off.

    `url` and `mode` are what the project says; the environment is asked first.  An empty variable
    counts as unset.  Raises `UsageError` for an address, mode or credentials that cannot be.
    """
    mode, mode_from = (
        (environment.get(MODE) or mode or "read"),
        (MODE if MODE in environment else ""),
    )
    if mode not in MODES:
        raise UsageError(
            f"{mode!r} is no mode of a remote cache",
            why=f"{mode_from or 'the project file'} says so; there are {', '.join(MODES)}",
            remedy=f"Set {MODE} to read or read-write, or to off to build without a remote cache.",
        )
    address = environment.get(URL, "")
    said_by = URL if address else "the project file"
    address = address or url
    if not address or mode == "off":
        return None
    parts = _checked(address, said_by)
    if "@" in parts.netloc and said_by != URL:
        raise UsageError(
            "the remote cache's address in the project file holds a user name or password",
            why="a project file is shared, credentials are a person's own",
            remedy=f"Take them out of the address; set {TOKEN}, or {USER} and {PASSWORD}.",
        )
    token, user, password = _credentials(environment, parts)
    place = parts.netloc.rpartition("@")[2]
    return RemoteConfig(
        url=f"{parts.scheme.lower()}://{place}{parts.path.rstrip('/')}",
        mode=mode,
        token=token,
        user=user,
        password=password,
        proxy=_proxy(environment, parts),
    )


def _checked(address: str, said_by: str) -> SplitResult:
    def wrong(why: str) -> UsageError:
        return UsageError(
            "the address of the remote cache cannot be used",
            why=f"{said_by}: {why}",
            remedy=EXAMPLE,
        )

    if not address.isascii() or not address.isprintable() or " " in address:
        raise wrong("it holds a space or a character that an address may not hold")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise wrong("it is no URL, or its port is no number up to 65535") from None
    if parts.scheme.lower() not in ("http", "https"):
        raise wrong("it does not begin with http:// or https://")
    if not parts.hostname or port == 0:
        raise wrong("it names no host, or port 0")
    if parts.query or parts.fragment or address.endswith(("?", "#")):
        raise wrong("it has a part after ? or #, where /ac and /cas could not be added")
    return parts


def _credentials(environment: Mapping[str, str], parts: SplitResult) -> tuple[str, str, str]:
    """(token, user, password) of which the token or the other two are empty."""
    token = environment.get(TOKEN, "")
    user, password = environment.get(USER, ""), environment.get(PASSWORD, "")
    in_url = "@" in parts.netloc
    remedy = f"Set {TOKEN} for a bearer token, or {USER} and {PASSWORD} for basic authentication."
    if sum((bool(token), bool(user or password), in_url)) > 1:
        raise UsageError(
            "there is more than one set of credentials for the remote cache",
            why=f"looked at {TOKEN}, {USER} and {PASSWORD}, and the address in {URL}",
            remedy=remedy,
        )
    if in_url:
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise UsageError(
            "half of the credentials for the remote cache is missing",
            why=f"there is a {'user name' if user else 'password'} without the other one",
            remedy=remedy,
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"{TOKEN} cannot be sent",
            why="it holds a space, a line end or a character that is not ASCII",
            remedy=f"Set {TOKEN} to the bare token, without the word Bearer or a line end.",
        )
    if ":" in user or not (user + password).isprintable():
        raise UsageError(
            "the user name or password for the remote cache cannot be sent",
            why="a colon in the user name, or a control character in one of them",
            remedy=remedy,
        )
    return token, user, password


def _proxy(environment: Mapping[str, str], parts: SplitResult) -> str:
    """The proxy that the environment names for this address; small letters win, as in curl."""
    from urllib.request import proxy_bypass  # noqa: PLC0415 - slow, seldom needed

    found = {
        name.lower().removesuffix("_proxy"): value
        for name, value in sorted(environment.items())  # capitals sort first
        if name.lower().endswith("_proxy")
        and value
        # A CGI server puts the header "Proxy:" of whoever asks there.
        and not (name == "HTTP_PROXY" and "REQUEST_METHOD" in environment)
    }
    proxy = found.get(parts.scheme.lower()) or found.get("all") or ""
    if not proxy or proxy_bypass(parts.netloc.rpartition("@")[2], found):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _loopback(host: str | None) -> bool:
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost" or (host or "").endswith(".localhost")
