"""What lies in the cache directory besides the action cache: how much it is, and what of it can go.

It counts towards the same limit, except what it takes a device to get again.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from buildtool.cache import emulator_cache, zig_cache
from buildtool.cache.disk_usage import DiskUsage, disk_usage
from buildtool.cache.eviction import ACTIONS, Entry, Freed, evict
from buildtool.cache.index import Index
from buildtool.cache.store import Store
from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value

DESCRIPTIONS = {
    "zig": "compiled by zig",
    "emulator": "programs of the emulated device",
    "device": "emulated devices",
    "buildtool-cdsprpc": "import stubs",
    "digests": "digests of compilers and SDKs",
    "answers": "answers of compilers",
    "sysroots": "from devices, not counted",
    "toolchains": "links to compilers, not counted",
}
"""What else lies in the cache directory."""
NEVER_CLEARED = ("sysroots",)
"""What is never cleared: it takes a device to get it again."""
COUNTED = tuple(name for name in DESCRIPTIONS if name not in ("sysroots", "toolchains"))
"""What counts towards the limit."""
NOTES = ("answers", "digests")
"""Small files, each of which costs a moment to make again."""
REMEMBERED_NS = 3600 * 10**9
"""How long the size is remembered: to look at every file takes a tenth of a second."""


class OtherCaches(Value):
    """Everything in the cache `directory` besides the action cache."""

    directory: Path

    def usage(self) -> dict[str, DiskUsage]:
        """How much there is, by name."""
        found = self.directory.iterdir() if self.directory.is_dir() else ()
        return {path.name: disk_usage(path) for path in sorted(found) if path.name != ACTIONS}

    def size(self) -> int:
        """Bytes that count, as they were within the last hour; each hour, `sweep` comes first."""
        try:
            when, size = map(int, read_regular(self._note).split())
            if 0 <= time.time_ns() - when < REMEMBERED_NS and size >= 0:
                return size
        except (OSError, ValueError):
            pass
        self.sweep()
        size = sum(disk_usage(self.directory / name).bytes for name in COUNTED)
        self._remember(size)
        return size

    def collect(self, store: Store, index: Index, target: int) -> dict[str, Freed]:
        """Delete what was used longest ago, of `store` and of all this, until no more than `target`
        bytes are left of what can be deleted."""
        entries = [*zig_cache.entries(self.directory / zig_cache.NAME), *self._entries()]
        freed = evict(store, index, target, entries)
        gone = sum(each.bytes for name, each in freed.items() if name != ACTIONS)
        self._remember(sum(entry.size for entry in entries) - gone)
        return freed

    def sweep(self) -> None:
        """Delete what killed processes left."""
        zig_cache.sweep(self.directory / zig_cache.NAME)

    def clear(self) -> dict[str, Freed]:
        """Deletes everything that a build makes again, of a link only the link."""
        freed = {}
        for name in DESCRIPTIONS:
            path = self.directory / name
            if name in NEVER_CLEARED or not os.path.lexists(path):
                continue
            usage = DiskUsage() if path.is_symlink() else disk_usage(path)
            remove_tree(path, ignore_errors=True)
            freed[name] = Freed(usage.files, usage.bytes)
        remove_tree(self._note, ignore_errors=True)
        return freed

    def _entries(self) -> Iterator[Entry]:
        for name in NOTES:
            folder = self.directory / name
            for path in folder.iterdir() if folder.is_dir() else ():
                with contextlib.suppress(OSError):
                    status = path.lstat()
                    used = max(status.st_atime_ns, status.st_mtime_ns)
                    yield Entry(name, status.st_size, used, partial(_delete, path))
        yield from emulator_cache.entries(self.directory / emulator_cache.NAME)

    def _remember(self, size: int) -> None:
        with contextlib.suppress(OSError):
            write_if_changed(self._note, f"{time.time_ns()} {size}")

    @property
    def _note(self) -> Path:
        return self.directory / ACTIONS / "neighbours"


def counted_bytes(found: Mapping[str, DiskUsage]) -> int:
    """The bytes of it that count towards the limit."""
    return sum(one.bytes for name, one in found.items() if name in COUNTED)


def _delete(path: Path) -> bool:
    remove_tree(path)
    return True
