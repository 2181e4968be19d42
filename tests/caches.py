"""Caches for tests: each its own, but for what takes minutes to make."""

from __future__ import annotations

import os
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
    return cache
