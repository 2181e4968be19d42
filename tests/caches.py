"""Cache directories for tests, which share only what takes minutes to create.

A build tree is configured again when it is built with another cache directory, since the path of
the compiler is in it.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

SLOW = ("zig", "toolchains")
"""zig's compilation cache, and zig itself, whose path is part of the keys of that cache."""


def share(cache: Path, names: Iterable[str] = SLOW) -> Path:
    """Create the cache directory `cache`, which shares `names` with the current one."""
    current = Path(os.environ["BUILDTOOL_CACHE"])
    cache.mkdir(parents=True, exist_ok=True)
    for name in names:
        (current / name).mkdir(exist_ok=True)
        (cache / name).symlink_to((current / name).resolve())
    return empty(cache)


def empty(cache: Path) -> Path:
    """Remove all build results from the cache directory `cache`."""
    shutil.rmtree(cache / "actions", ignore_errors=True)
    (cache / "actions").mkdir()
    # A recent size of the shared directories, so that their many files are not counted.
    (cache / "actions" / "neighbours").write_text(f"{time.time_ns()} 0", encoding="utf-8")
    return cache
