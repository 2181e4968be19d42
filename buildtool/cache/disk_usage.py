"""The disk usage of files and directories."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.value import Value


class DiskUsage(Value):
    """A number of files, and their bytes."""

    files: int = 0
    bytes: int = 0


def disk_usage(root: Path) -> DiskUsage:
    """The files below `root`, or `root` itself; files with several hard links count once."""
    seen = set()
    files = size = 0
    for status in _statuses(root):
        if stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) not in seen:
            seen.add((status.st_dev, status.st_ino))
            files, size = files + 1, size + status.st_size
    return DiskUsage(files, size)


def _statuses(root: Path) -> Iterator[os.stat_result]:
    if not root.is_dir():
        if os.path.lexists(root):
            yield root.lstat()
        return
    folders = [str(root)]
    while folders:
        with (
            contextlib.suppress(OSError),
            os.scandir(folders.pop()) as entries,
        ):  # deleted meanwhile, or not readable
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                    continue
                with contextlib.suppress(FileNotFoundError):
                    yield entry.stat(follow_symlinks=False)
