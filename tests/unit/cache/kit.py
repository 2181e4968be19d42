"""A cache in a temporary directory, and ways to damage its files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from buildtool.cache.action import Action, read_action
from buildtool.cache.local import LocalCache
from buildtool.cache.outputs import Output
from buildtool.cache.store import Item
from buildtool.core.events import Event

KEY = "d" * 64
Break = Callable[[Path], None]


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Kit:
    """A cache, and files to store in it."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp = tmp_path
        self.events: list[Event] = []
        self.cache = self.opened()

    def opened(self, limit: int = 1 << 30) -> LocalCache:
        return LocalCache(self.tmp / "cache", limit, self.events.append)

    def put(self, data: bytes, cache: LocalCache | None = None) -> str:
        source = self.tmp / "source"
        source.write_bytes(data)
        assert (cache or self.cache).put(sha(data), source)
        return sha(data)

    def put_action(self, number: int, cache: LocalCache | None = None, size: int = 1000) -> str:
        """Put an action with one output; returns its key."""
        digest = self.put(number.to_bytes(4, "big") * (size // 4), cache)
        key = sha(f"action {number}".encode())
        action = Action(KEY, key, {}, (Output("out", "file", digest, size),), "1", 0.0)
        assert (cache or self.cache).put_document(key, action.as_bytes())
        return key

    def whole(self, key: str) -> bool:
        """Whether the action and its output exist; this does not count as use."""
        cache = self.opened()
        action = read_action(cache.document(key) or b"", key)
        return action is not None and all(cache.has(one.digest) for one in action.outputs)

    def blob(self, digest: str) -> Path:
        return self.cache.store.path(Item("cas", digest))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


def truncate(path: Path) -> None:
    path.chmod(0o600)
    os.truncate(path, path.stat().st_size - 1)


def empty(path: Path) -> None:
    path.chmod(0o600)
    os.truncate(path, 0)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink()
    (path / "sub").mkdir(parents=True)


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")
