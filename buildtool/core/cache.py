"""The user's cache directory: shared by all projects, safe to delete."""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir() -> Path:
    """`$BUILDTOOL_CACHE`, else `buildtool` in the user's cache directory."""
    if chosen := os.environ.get("BUILDTOOL_CACHE"):
        return Path(chosen).absolute()
    import platformdirs  # noqa: PLC0415 - most commands never get here

    return Path(platformdirs.user_cache_dir("buildtool", appauthor=False))
