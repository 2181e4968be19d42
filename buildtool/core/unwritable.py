"""The error for directories of this tool that this user may not read or write."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError
from buildtool.core.trees import own_root

CACHE_REMEDY = "Set the environment variable BUILDTOOL_CACHE to a directory that you can write to."


_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT)
_OTHER_KIND = (errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.EINVAL)
"""Of a file, directory or link in the place of something else."""


class UnwritableError(BuildtoolError):
    """This user cannot read or write the cache, or the state of a project."""

    code = "unwritable"


def as_unwritable_error(error: OSError) -> UnwritableError | None:
    """`error` as an `UnwritableError` of the directory of this tool that it concerns, else None."""
    if error.errno not in (*_DENIED, *_OTHER_KIND):
        return None
    path = Path(os.fsdecode(error.filename or ""))
    root = own_root(path) if path.is_absolute() else None
    if root is None:
        return None
    message = f"{path}: {error.strerror}"
    is_other_kind = error.errno in _OTHER_KIND
    if root == cache_dir():
        delete = is_other_kind and path != root
        return UnwritableError(
            f"the cache cannot be used: {message}",
            why=f"the cache directory is {root}{_owner(path)}",
            remedy=f"Delete it: rm -rf '{path}'." if delete else CACHE_REMEDY,
        )
    if is_other_kind:
        remedy = f"Delete the directory: rm -rf '{root}'."
    elif os.path.lexists(root):
        remedy = f"Make the directory writable, or delete it: rm -rf '{root}'."
    else:
        remedy = (
            "Make the project's directory writable, or copy the project to one that you can write"
            " to."
        )
    return UnwritableError(
        f"the project's build directory cannot be used: {message}",
        why=f"all builds of the project are in {root}{_owner(path)}",
        remedy=remedy,
    )


def _owner(path: Path) -> str:
    """`; PATH belongs to NAME` if the nearest existing parent of `path` belongs to another user."""
    for place in (path, *path.parents):
        try:
            owner = place.lstat().st_uid
        except OSError:
            continue
        return f"; {place} belongs to {_name(owner)}" if owner != os.geteuid() else ""
    return ""


def _name(uid: int) -> str:
    import pwd  # noqa: PLC0415 - only an error needs it

    try:
        return f"the user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"the user {uid}"
