"""Lay an output tree down: as a whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from buildtool.cache.outputs import Output
from buildtool.core.own_directory import make_directory
from buildtool.core.trees import remove_tree, replace_directory

Fetch = Callable[[str, Path], bool]
"""Write the blob with this sha256 to this path, whole and checked; False when that cannot be."""
Check = Callable[[Path], None]
"""Look at the tree in this directory before it takes its place; whatever it raises stops that."""


def restore(
    outputs: Sequence[Output], into: Path, fetch: Fetch, check: Check = lambda _: None
) -> bool:
    """Make `into` the directory with exactly these (safe) outputs, all modified now.

    False, and `into` stays as it was, when `fetch` lacks any of them, or has it with another size.
    The caller keeps others away from `into`.  Raises what `check` raises, and `OSError` when there
    is no space or no permission; `into` stays as it was then too.  A process killed here leaves
    `into` old, new or missing, never mixed.
    """
    fresh = into.with_name(f".{into.name}.new")
    remove_tree(fresh, ignore_errors=True)
    make_directory(into.parent)
    try:
        fresh.mkdir()
        if not all(_lay(output, fresh, fetch) for output in outputs):
            return False
        for folder, _, _ in os.walk(fresh):
            os.chmod(folder, 0o755)  # noqa: PTH101 - whatever the umask is
        check(fresh)
        replace_directory(fresh, into)
    finally:
        remove_tree(fresh, ignore_errors=True)
    return True


def _lay(output: Output, directory: Path, fetch: Fetch) -> bool:
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
