"""The directories that belong to this tool: `.buildtool` in a project, and the user's cache.

Everything in them can be recreated.  So anything unexpected in them, such as a file in place of a
directory or a dangling link, is removed instead of reported as an error.  A link is never followed:
its target does not belong to this tool.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from buildtool.core.cache import CACHES, cache_dir
from buildtool.core.trees import remove_tree, status_of

STATE = ".buildtool"
"""Name of the directory with a project's builds."""
PROJECT_FILE = "buildtool.toml"
IGNORE_FILE = ".gitignore"
"""In a new `.buildtool`, it makes git ignore the whole directory, itself included."""
TRIES = 5
"""How often something is created again that other processes remove."""

repairs: list[str] = []
"""Descriptions of what this process has repaired."""


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

    In this tool's own directories anything else with one of these names is removed.  Raises
    `OSError`.
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


def repair_file(path: Path) -> bool:
    """Remove what is at `path` in place of a file, and make a file readable and writable.

    Returns whether anything was changed, which is never the case outside of this tool's own
    directories.  Raises `OSError`.
    """
    root = own_root(path)
    if root is None or path == root:
        return False
    status = status_of(path)
    if status is None:
        return False
    if not stat.S_ISREG(status.st_mode):
        _replace(path)
    elif lacks_mode(status, 0o600) and os.access(root, os.W_OK):
        _permit(path, status, 0o600)
    else:
        return False
    return True


def _make_directory(folder: Path, root: Path) -> None:
    status = status_of(folder)
    if status is None:
        _create(folder, root)
        return
    if stat.S_ISDIR(status.st_mode):
        # The owner may have made the whole root read-only on purpose.
        if lacks_mode(status, 0o500) or (lacks_mode(status, 0o700) and os.access(root, os.W_OK)):
            _permit(folder, status, 0o700)
        return
    by_user = folder == root or folder.parent == cache_dir()
    if by_user and stat.S_ISLNK(status.st_mode) and folder.is_dir():
        return
    is_file = stat.S_ISREG(status.st_mode) and status.st_size
    if folder == root and (is_file or root == cache_dir()):
        # A file of the user, or a cache directory that the user has named.
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    _replace(folder)
    _create(folder, root)


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


def _replace(path: Path) -> None:
    what = describe_kind(path)
    remove_tree(path)
    repairs.append(f"replaced {path}, which was {what}")


def lacks_mode(status: os.stat_result, mode: int) -> bool:
    """Whether the user owns a file that lacks some of the permissions `mode`."""
    return status.st_uid == os.geteuid() and (status.st_mode & mode) != mode


def _permit(path: Path, status: os.stat_result, mode: int) -> None:
    path.chmod(stat.S_IMODE(status.st_mode) | mode)
    repairs.append(f"made {path} readable and writable")


def describe_kind(path: Path) -> str:
    """The kind of file at `path`, in words: `a directory`, `a link to /elsewhere`."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"a link to {os.readlink(path)}"  # noqa: PTH115 - the text as written
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFREG: "a file", stat.S_IFIFO: "a named pipe"}
    return kinds.get(stat.S_IFMT(mode), "a device or a socket")
