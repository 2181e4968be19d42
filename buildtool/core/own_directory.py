"""The directories that belong to this tool: `.buildtool` in a project, and the user's cache.

Everything in them can be made again.  So what is in the way there, a file in place of a directory,
a link that leads nowhere, is removed instead of reported as an error.  A link is never followed:
what it points to belongs to somebody else.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.trees import remove_tree, status_of

STATE = ".buildtool"
"""Name of the directory in which a project's builds lie."""
PROJECT_FILE = "buildtool.toml"
IN_CACHE = (
    "actions",
    "answers",
    "buildtool-cdsprpc",
    "device",
    "digests",
    "emulator",
    "toolchains",
    "zig",
)
"""What of the cache directory is removed when it is in the way; a user may have made links to
directories of these names.  Sysroots are not among them: it takes a device to get one again."""
TRIES = 5
"""How often something is made again that other processes keep removing."""

repairs: list[str] = []
"""What was removed or changed in this process because it was in the way, in words."""


def own_root(path: Path) -> Path | None:
    """The directory of this tool's own that `path` (absolute) is or lies in; None for any other."""
    for folder in (path, *path.parents):
        if folder.name == STATE and (folder.parent / PROJECT_FILE).is_file():
            return folder
        if folder.name in IN_CACHE and folder.parent == cache_dir():
            return folder.parent
    return cache_dir() if path == cache_dir() else None


def make_directory(path: Path) -> None:
    """Make the directory `path` and those above it, as far as they are missing.

    In this tool's own directories whatever else has one of these names is removed.  Raises
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
    """Take away what is at `path` in place of a file, and let its owner read and write a file.

    Returns whether anything was changed; nothing is outside of this tool's own directories.
    Raises `OSError`.
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
        try:
            folder.mkdir(parents=folder == root, exist_ok=True)
        except OSError as error:  # of whichever directory above it
            raise type(error)(error.errno, error.strerror, str(folder)) from error
        return
    if stat.S_ISDIR(status.st_mode):
        # Without the permission to write, its owner may want it so: then it is all of it.
        if lacks_mode(status, 0o500) or (lacks_mode(status, 0o700) and os.access(root, os.W_OK)):
            _permit(folder, status, 0o700)
        return
    by_user = folder == root or folder.parent == cache_dir()
    if by_user and stat.S_ISLNK(status.st_mode) and folder.is_dir():
        return
    is_file = stat.S_ISREG(status.st_mode) and status.st_size
    if folder == root and (is_file or root == cache_dir()):
        # The user has a file of this name, or gave the name of it.
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    _replace(folder)
    folder.mkdir(exist_ok=True)


def _between(root: Path, path: Path) -> list[Path]:
    """`a`, `a/b`, `a/b/c` for a path `a/b/c` below the root."""
    relative = path.relative_to(root)
    return [*reversed(relative.parents), relative][1:]


def _replace(path: Path) -> None:
    what = describe_kind(path)
    remove_tree(path)
    repairs.append(f"replaced {path}, which was {what}")


def lacks_mode(status: os.stat_result, mode: int) -> bool:
    """Whether the user owns something without these permissions."""
    return status.st_uid == os.geteuid() and (status.st_mode & mode) != mode


def _permit(path: Path, status: os.stat_result, mode: int) -> None:
    path.chmod(stat.S_IMODE(status.st_mode) | mode)
    repairs.append(f"made {path} readable and writable")


def describe_kind(path: Path) -> str:
    """What is at `path`, in words: `a directory`, `a link to /elsewhere`."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"a link to {os.readlink(path)}"  # noqa: PTH115 - as it is written
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFREG: "a file", stat.S_IFIFO: "a named pipe"}
    return kinds.get(stat.S_IFMT(mode), "a device or a socket")
