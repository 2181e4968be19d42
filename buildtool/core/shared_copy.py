"""Hard links to installed files, at a path that does not depend on where they are installed.

Ninja runs a command again when its command line differs, or when a header is newer than an output
made from it; zig compiles its libraries again when their inodes differ.  A compiler in a virtual
environment changes all of these with each new environment, although it is the same compiler.  So
builds use hard links to it in the user's cache, named by its version.  On another file system than
the installed files, where links are impossible, the files are copied.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.trees import make_directory, remove_tree

DIRECTORY = "toolchains"


def shared_copy(name: str, files: Mapping[str, Path]) -> Path | None:
    """The directory `name` in the cache with `files`, each under its name.

    It is created from hard links, or copies, if it is missing; `files` may contain directories, but
    not as the first one.  None if it cannot be created: the cache is read-only or its file system
    is too full for copies, or the files belong to another user.
    """
    directory = cache_dir() / DIRECTORY / name
    first = next(iter(files))
    if (directory / first).is_file():
        return directory
    import shutil  # noqa: PLC0415 - it is there most of the time

    try:
        try:
            _create(directory, files, os.link)
        except OSError as error:
            if error.errno != errno.EXDEV or not _have_room(files.values(), directory.parent):
                return None
            _create(directory, files, shutil.copy2)
    except (OSError, shutil.Error):
        return None
    return directory if (directory / first).is_file() else None


def is_in_shared_copy(path: str) -> bool:
    """Whether `path` is in one of these directories, whose files never change."""
    directory = cache_dir() / DIRECTORY
    return path.startswith((f"{directory}/", f"{directory.resolve()}/"))


def _create(
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
