"""The user's cache directory, which all projects share; it is safe to delete."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.core.safe_path import check_path


def cache_dir() -> Path:
    """`$BUILDTOOL_CACHE`, else `buildtool` in the user's cache directory.

    Source: the XDG Base Directory Specification, which tells programs to ignore a relative path.
    Raises `UnsafePathError` for a path that a tool would misread.
    """
    chosen = os.environ.get("BUILDTOOL_CACHE", "")
    if not chosen:
        users = os.environ.get("XDG_CACHE_HOME", "")
        if not users.startswith("/"):
            users = os.path.expanduser("~/.cache")  # noqa: PTH111
        chosen = f"{users}/buildtool"
    directory = Path(chosen).absolute()
    check_path(directory, "the cache", "Set BUILDTOOL_CACHE to a directory without it in its path.")
    return directory
