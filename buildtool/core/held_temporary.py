"""Temporary directories that a later process removes when their owner was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.lock import held_directory
from buildtool.core.trees import remove_tree


@contextlib.contextmanager
def held_temporary_directory(prefix: str) -> Iterator[Path]:
    """A new directory, whose name begins with `prefix`, which is removed after the block.

    Also removes the directories with this prefix that processes left which were killed: a directory
    is held as long as its owner lives.  Raises `OSError`.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):  # it is held, or another user's
            _remove_unless_held(left)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        with contextlib.ExitStack() as stack:
            stack.callback(remove_tree, folder, ignore_errors=True)
            with contextlib.suppress(FileNotFoundError):
                stack.enter_context(held_directory(folder))
            if folder.is_dir():  # else another process has removed it before it was held
                yield folder
                return


def _remove_unless_held(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(handle).st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(folder)  # locked: who is about to hold it waits, and finds it removed
    finally:
        os.close(handle)
