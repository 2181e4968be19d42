"""Hard links to installed files, at a path that does not depend on where they are installed.

Ninja runs a command again when its command line differs, or when a header is newer than an output
made from it.  A compiler in a virtual environment changes both with each new environment, although
it is the same compiler.  So builds use hard links to it in the user's cache, named by its version.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.own_directory import make_directory
from buildtool.core.trees import remove_tree

DIRECTORY = "toolchains"


def shared_copy(name: str, files: Mapping[str, Path]) -> Path | None:
    """The directory `name` in the cache with `files`, each under its name.

    It is created from hard links if it is missing; `files` may contain directories, but not as the
    first one.  None where links are impossible: the cache is read-only or on another file system,
    or the files belong to another user.
    """
    directory = cache_dir() / DIRECTORY / name
    first = next(iter(files))
    if (directory / first).is_file():
        return directory
    import shutil  # noqa: PLC0415 - it is there most of the time
    import tempfile  # noqa: PLC0415

    try:
        make_directory(directory.parent)
        with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".") as temporary:
            fresh = Path(temporary, name)
            fresh.mkdir()
            for own, source in files.items():
                if source.is_dir():
                    shutil.copytree(source, fresh / own, symlinks=True, copy_function=os.link)
                else:
                    os.link(source, fresh / own)
            # Not `replace_directory`: a copy that another process has just created may be in use.
            with contextlib.suppress(OSError):
                if not (directory / first).is_file():
                    remove_tree(directory)
            with contextlib.suppress(OSError):
                fresh.rename(directory)
    except (OSError, shutil.Error):
        return None
    return directory if (directory / first).is_file() else None
