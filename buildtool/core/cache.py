"""The user's cache directory: shared by all projects, safe to delete."""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir() -> Path:
    """`$BUILDTOOL_CACHE`, else `buildtool` in the user's cache directory.

    Source: the XDG Base Directory Specification, by which a relative `$XDG_CACHE_HOME` counts for
    nothing.
    """
    if chosen := os.environ.get("BUILDTOOL_CACHE"):
        return Path(chosen).absolute()
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    users = chosen if chosen.startswith("/") else os.path.expanduser("~/.cache")  # noqa: PTH111
    return Path(users, "buildtool").absolute()
