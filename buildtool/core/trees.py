"""Removes and replaces directory trees; the directories that belong to this tool; shared copies.

This tool's own directories are `.buildtool` in a project, and the user's cache.  Everything in them
can be recreated.  A link in them is never followed, since its target does not belong to this tool.
A directory that this user may not read or write is an `UnwritableError`.

A shared copy consists of hard links to installed files, at a path that does not depend on where
they are installed.  Ninja runs a command again when its command line differs, or when a header is
newer than an output made from it; zig compiles its libraries again when their inodes differ.  A
compiler in a virtual environment changes all of these with each new environment, although it is the
same compiler.  So builds use hard links to it in the user's cache, named by its version.  On
another file system than the installed files, where links are impossible, the files are copied.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from buildtool.core.cache import CACHES, cache_dir
from buildtool.core.errors import BuildtoolError

SHARED_COPIES = "toolchains"
"""Name of their directory in the cache."""
STATE = ".buildtool"
"""Name of the directory with a project's builds."""
PROJECT_FILE = "buildtool.toml"
IGNORE_FILE = ".gitignore"
"""In a new `.buildtool`, it makes git ignore the whole directory, itself included."""
TRIES = 5
"""How often something is created again that other processes remove."""


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


def shared_copy(name: str, files: Mapping[str, Path]) -> Path | None:
    """The directory `name` in the cache with `files`, each under its name.

    It is created from hard links, or copies, if it is missing; `files` may contain directories, but
    not as the first one.  None if it cannot be created: the cache is read-only or its file system
    is too full for copies, or the files belong to another user.
    """
    directory = cache_dir() / SHARED_COPIES / name
    first = next(iter(files))
    if (directory / first).is_file():
        return directory
    import shutil  # noqa: PLC0415 - it is there most of the time

    try:
        try:
            _create_copy(directory, files, os.link)
        except OSError as error:
            if error.errno != errno.EXDEV or not _have_room(files.values(), directory.parent):
                return None
            _create_copy(directory, files, shutil.copy2)
    except (OSError, shutil.Error):
        return None
    return directory if (directory / first).is_file() else None


def is_in_shared_copy(path: str) -> bool:
    """Whether `path` is in one of these directories, whose files never change."""
    directory = cache_dir() / SHARED_COPIES
    return path.startswith((f"{directory}/", f"{directory.resolve()}/"))


def _create_copy(
    directory: Path, files: Mapping[str, Path], copy: Callable[[str | Path, str | Path], object]
) -> None:
    """Create `directory` unless another process does; `copy` links or copies one file."""
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    make_directory(directory.parent)
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".") as temporary:
        fresh = Path(temporary, directory.name)
        fresh.mkdir()
        for own, source in files.items():
            if source.is_dir():
                shutil.copytree(source, fresh / own, symlinks=True, copy_function=copy)
            else:
                copy(source, fresh / own)
        # Not `replace_directory`: a copy that another process has just created may be in use.
        with contextlib.suppress(OSError):
            if not (directory / next(iter(files))).is_file():
                remove_tree(directory)
        with contextlib.suppress(OSError):
            fresh.rename(directory)


def _have_room(sources: Iterable[Path], directory: Path) -> bool:
    """Whether copies of `sources` need at most half of the space that is free in `directory`."""
    import shutil  # noqa: PLC0415

    found = (path for source in sources for path in (source, *source.rglob("*")))
    return 2 * sum(path.lstat().st_size for path in found) <= shutil.disk_usage(directory).free


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
