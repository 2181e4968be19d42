"""A gRPC channel to the server of a remote cache, and what its failures mean.

Importing it raises `UnavailableError` when the packages of the extra `grpc` are missing.
"""

from __future__ import annotations

import base64
import os
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from buildtool.cache.remote.config import RemoteConfig
from buildtool.cache.remote.failure_policy import BadResponseError, UnavailableError

# gRPC prints what it thinks of servers, and of processes that start others.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
try:
    import google.protobuf  # noqa: F401
    import grpc
except ImportError:
    raise UnavailableError(
        "cannot be used: grpc:// needs the extra of that name: pip install hexagon-buildtool[grpc]"
    ) from None

CallError = grpc.RpcError
_STATUS = {
    "NOT_FOUND": 404,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "UNIMPLEMENTED": 405,
    "RESOURCE_EXHAUSTED": 507,
}
"""The HTTP status with the meaning of a gRPC status."""


def open_channel(config: RemoteConfig) -> Any:
    """The channel to the server; raises `UnavailableError` when the file with certificates cannot
    be read."""
    parts = urlsplit(config.url)
    options = [("grpc.primary_user_agent", "buildtool")]
    if parts.scheme == "grpc":
        return grpc.insecure_channel(parts.netloc, options)
    # The authorities that Python trusts here; gRPC has others inside.
    file = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    try:
        trust = grpc.ssl_channel_credentials(Path(file).read_bytes() if file else None)
    except OSError as error:
        raise UnavailableError(f"cannot be accessed: {error.strerror}") from None
    return grpc.secure_channel(parts.netloc, trust, options)


def credentials(config: RemoteConfig) -> list[tuple[str, str]]:
    """The metadata of each call."""
    if config.token:
        return [("authorization", f"Bearer {config.token}")]
    pair = base64.b64encode(f"{config.user}:{config.password}".encode()).decode()
    return [("authorization", f"Basic {pair}")] if config.user else []


def status_of(error: Any) -> int:
    """The HTTP status of an answer that is an error; raises the exception for one that is none."""
    if status := _STATUS.get(error.code().name):
        return status
    raise failure(error) from None


def failure(error: Any) -> Exception:
    """The exception for a call that failed with this error of gRPC."""
    name = error.code().name
    if name not in ("UNAVAILABLE", "DEADLINE_EXCEEDED"):
        return BadResponseError(f"the gRPC status {name}")
    why = "".join(filter(str.isprintable, error.details() or "")).rpartition(": ")[2]
    return UnavailableError(f"cannot be reached: {why[:80] or name}")
