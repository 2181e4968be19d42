"""Restores an output tree, as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from buildtool.cache.outputs import Output
from buildtool.core.trees import make_directory, remove_tree, replace_directory

Fetch = Callable[[str, Path], bool]
"""Writes the blob with this sha256 to this path, whole and verified; False when it is missing."""
Check = Callable[[Path], None]
"""Checks the tree in this directory before it is moved into place; raises to prevent that."""


def restore(
    outputs: Sequence[Output], into: Path, fetch: Fetch, check: Check = lambda _: None
) -> bool:
    """Replace the directory `into` by one with exactly these (safe) outputs, all modified now.

    Returns False when `fetch` does not have one of them, or has it with another size.  Raises what
    `check` raises, and `OSError` when there is no space or no permission.  In each of these cases
    `into` stays as it was; see `replace_directory` for processes that are killed.
    """
    fresh = into.with_name(f".{into.name}.new")
    remove_tree(fresh, ignore_errors=True)
    make_directory(into.parent)
    try:
        fresh.mkdir()
        if not all(_write(output, fresh, fetch) for output in outputs):
            return False
        for folder, _, _ in os.walk(fresh):
            os.chmod(folder, 0o755)  # noqa: PTH101 - walk yields strings
        check(fresh)
        replace_directory(fresh, into)
    finally:
        remove_tree(fresh, ignore_errors=True)
    return True


def _write(output: Output, directory: Path, fetch: Fetch) -> bool:
    path = directory / output.path
    path.parent.mkdir(parents=True, exist_ok=True)
    if output.kind == "link":
        path.symlink_to(output.target)
        return True
    if not fetch(output.digest, path) or path.stat().st_size != output.size:
        return False
    path.chmod(0o755 if output.kind == "executable" else 0o644)
    os.utime(path)
    return True
