"""A machine that uses a remote cache, and files to store in it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from buildtool.cache.remote.client import RemoteCache
from buildtool.cache.remote.config import remote_config
from buildtool.core.events import Event

KEY = "0123456789abcdef" * 4
OTHER = "fedcba9876543210" * 4
ZSTD = b"\x28\xb5\x2f\xfd"


class Machine:
    """The remote cache of one machine, with its messages."""

    def __init__(self, url: str, mode: str = "read-write", **more: str) -> None:
        config = remote_config({"BUILDTOOL_REMOTE_CACHE": url, **more}, mode=mode)
        assert config is not None
        self.messages: list[str] = []
        self.remote = RemoteCache(config, self.hear)

    def hear(self, event: Event) -> None:
        self.messages.append(event.text)  # type: ignore[union-attr]


def made(folder: Path, **contents: bytes) -> dict[str, Path]:
    folder.mkdir(exist_ok=True)
    files = {}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        files[sha256(content)] = folder / name
    return files


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def exchange_action(url: str, key: str, folder: Path, **contents: bytes) -> tuple[Machine, Machine]:
    """One machine stores an action, and another one, which may only read, fetches it."""
    ci, person = Machine(url), Machine(url, "read")
    assert person.remote.document(key) is None
    assert ci.remote.put(key, b'{"outputs": 3}', made(folder / "ci", **contents))
    document = person.remote.document(key)
    assert document is not None
    assert document.data == b'{"outputs": 3}'
    assert document.files == {sha256(text): len(text) for text in contents.values()}
    for name, content in contents.items():
        into = folder / "person" / name
        assert document.fetch(sha256(content), into)
        assert into.read_bytes() == content
        assert into.stat().st_mode & 0o777 == 0o644
    assert sorted(p.name for p in (folder / "person").iterdir()) == sorted(contents)
    assert not document.fetch(sha256(b"never stored"), folder / "none")
    return ci, person
