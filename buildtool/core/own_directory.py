"""The directories that belong to this tool: `.buildtool` in a project, and the user's cache.

Everything in them can be recreated.  A link in them is never followed, since its target does not
belong to this tool.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from buildtool.core.cache import CACHES, cache_dir
from buildtool.core.trees import status_of

STATE = ".buildtool"
"""Name of the directory with a project's builds."""
PROJECT_FILE = "buildtool.toml"
IGNORE_FILE = ".gitignore"
"""In a new `.buildtool`, it makes git ignore the whole directory, itself included."""
TRIES = 5
"""How often something is created again that other processes remove."""


def own_root(path: Path) -> Path | None:
    """The directory of this tool that `path` (absolute) is or is in; None if there is none."""
    for folder in (path, *path.parents):
        if folder.name == STATE and (folder.parent / PROJECT_FILE).is_file():
            return folder
        known = CACHES.get(folder.name)
        if known and known.recreated and folder.parent == cache_dir():
            return folder.parent
    return cache_dir() if path == cache_dir() else None


def make_directory(path: Path) -> None:
    """Create the directory `path` and its parents, as far as they are missing.

    Raises `OSError`; of this tool's own directories also for a link in place of one, except where
    users put them: `.buildtool` itself, and each directory of the cache, may be on another disk.
    """
    root = own_root(path)
    if root is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    folders = [root, *(root / part for part in _between(root, path))]
    for last in range(TRIES):
        try:
            for folder in folders:
                _make_directory(folder, root)
            return
        except FileNotFoundError:  # another process has just removed one of them
            if last == TRIES - 1:
                raise


def _make_directory(folder: Path, root: Path) -> None:
    status = status_of(folder)
    if status is None:
        _create(folder, root)
    elif not stat.S_ISDIR(status.st_mode):
        by_user = folder == root or folder.parent == cache_dir()
        if not (by_user and stat.S_ISLNK(status.st_mode) and folder.is_dir()):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def _create(folder: Path, root: Path) -> None:
    try:
        folder.mkdir(parents=folder == root, exist_ok=True)
        if folder == root and folder.name == STATE:
            (folder / IGNORE_FILE).write_text("*\n", encoding="utf-8")
    except OSError as error:  # may name any of the directories above `path`
        raise type(error)(error.errno, error.strerror, str(folder)) from error


def _between(root: Path, path: Path) -> list[Path]:
    """`a`, `a/b`, `a/b/c` for a path `a/b/c` below the root."""
    relative = path.relative_to(root)
    return [*reversed(relative.parents), relative][1:]
