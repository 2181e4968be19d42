"""Caches for tests: each its own, but for what takes minutes to make."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

SLOW = ("zig", "toolchains")
"""What zig compiled, and zig itself: what it has compiled is known to it by its own path."""


def share(cache: Path, names: Iterable[str] = SLOW) -> Path:
    """Let the cache directory `cache`, made if need be, share `names` with the current one."""
    current = Path(os.environ["BUILDTOOL_CACHE"])
    cache.mkdir(parents=True, exist_ok=True)
    for name in names:
        (current / name).mkdir(exist_ok=True)
        (cache / name).symlink_to((current / name).resolve())
    # The size of what is shared, as if just looked at: there are many files.
    (cache / "actions").mkdir()
    (cache / "actions" / "neighbours").write_text(f"{time.time_ns()} 0", encoding="utf-8")
    return cache
