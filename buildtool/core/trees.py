"""Removes and replaces directory trees."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def remove_tree(path: Path, *, ignore_errors: bool = False) -> None:
    """Remove `path`, whatever it is; of a link, only the link.  A missing path is not an error.

    Directories of this user without write permission are removed too.  Raises `OSError` unless
    `ignore_errors` is set; what could not be removed then stays.
    """
    try:
        _remove(path)
    except OSError:
        if not ignore_errors:
            raise


def replace_directory(fresh: Path, path: Path) -> None:
    """Move the directory `fresh` to `path` in place of whatever is there.

    Both paths must be on one file system.  Raises `OSError`; `path` then stays as it was.  A
    process that is killed here leaves `path` old, new or missing, never mixed.  Callers keep other
    processes away from `path`.
    """
    old = path.with_name(f".{path.name}.old")
    remove_tree(old)
    exists = os.path.lexists(path)
    if exists:
        path.rename(old)
    try:
        fresh.rename(path)
    except BaseException:
        if exists:
            old.rename(path)
        raise
    remove_tree(old, ignore_errors=True)


def status_of(path: Path) -> os.stat_result | None:
    """The status of `path`, for a link that of the link itself; None when nothing is there."""
    try:
        return path.lstat()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise


def _remove(path: Path) -> None:
    status = status_of(path)
    if status is None:
        return
    if not stat.S_ISDIR(status.st_mode):
        path.unlink(missing_ok=True)
        return
    import shutil  # noqa: PLC0415 - most builds remove nothing

    try:
        shutil.rmtree(path)
    except FileNotFoundError:  # another process removes it too
        shutil.rmtree(path, ignore_errors=True)
    except PermissionError:
        _make_writable(path)
        shutil.rmtree(path)


def _make_writable(root: Path) -> None:
    waiting = [str(root)]
    while waiting:
        folder = waiting.pop()
        os.chmod(folder, 0o700)  # noqa: PTH101 - scandir gives strings
        with os.scandir(folder) as entries:
            waiting += [each.path for each in entries if each.is_dir(follow_symlinks=False)]
