"""A remote cache with a short timeout, and the document and file that tests store there."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping

from buildtool.cache.remote.client import RemoteCache, pack
from buildtool.cache.remote.config import RemoteConfig, remote_config
from buildtool.cache.remote.zstd_frames import ZstdFrame, compress
from buildtool.core.events import Event

KEY = "0123456789abcdef" * 4
CONTENT = b"content\n" * 300
TIMEOUT = 1.0
"""Seconds; builds allow more."""


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def frame_of(content: bytes) -> bytes:
    frame = io.BytesIO()
    compress(io.BytesIO(content), frame)
    return frame.getvalue()


FRAME = frame_of(CONTENT)
FRAMES = {sha256(CONTENT): ZstdFrame(sha256(FRAME), len(FRAME), len(CONTENT))}
DOCUMENT = pack(KEY, b"data", FRAMES) or b""
assert DOCUMENT


class Build:
    """A remote cache with a short timeout, and its messages."""

    def __init__(
        self, url: str, environment: Mapping[str, str] | None = None, timeout: float = TIMEOUT
    ) -> None:
        self.messages: list[str] = []
        config = RemoteConfig(url, mode="read-write", timeout=timeout)
        if environment is not None:
            found = remote_config({"BUILDTOOL_REMOTE_CACHE": url, **environment})
            assert found is not None
            config = found
        self.remote = RemoteCache(config, self.hear)

    def hear(self, event: Event) -> None:
        self.messages.append(event.text)  # type: ignore[union-attr]
