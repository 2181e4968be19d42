"""A cache of what programs print about themselves.

A build with nothing to do must not start a process, but compilers have to be asked where they
search for their parts.  Their output names these paths, so an entry is valid while the program and
every path in its output, existing or not, have the same stamp as when the program ran.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.cache import cache_dir
from buildtool.core.file_stamp import is_settled, stamp_of
from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.processes.process import Completed

MAX_PATHS = 1000
_PATH = re.compile(r"(?<![\w.])/[^\s:;,'\"()]+")
_NO_FILE = [0, 0, 0, 0]


def cached_probe(
    argv: Sequence[str | Path], env: Mapping[str, str], run: Callable[[], Completed]
) -> Completed:
    """The output of `argv`, an absolute program and its arguments, in the environment `env`.

    On a cache miss `run` starts the program; its errors are passed on.  Only successful runs are
    cached.
    """
    words = tuple(map(str, argv))
    name = hashlib.sha256(json.dumps([words, dict(env)], sort_keys=True).encode()).hexdigest()
    entry = cache_dir() / "answers" / name[:32]
    output = _cached_output(entry)
    if output is not None:
        return Completed(words, 0, output)
    done = run()
    paths = sorted({words[0], *_PATH.findall(done.output)})
    if done.status == 0 and len(paths) <= MAX_PATHS:
        stamps = {path: _file_stamp(path) for path in paths}
        if is_settled(max(stamp[3] for stamp in stamps.values())):
            entry_data = {"output": done.output, "stamps": stamps}
            # A cache that cannot be written to costs time, nothing else.
            with contextlib.suppress(OSError):
                write_if_changed(entry, json.dumps(entry_data))
    return done


def _cached_output(entry: Path) -> str | None:
    try:
        entry_data: Any = json.loads(read_regular(entry))
        valid = all(_file_stamp(path) == stamp for path, stamp in entry_data["stamps"].items())
        return str(entry_data["output"]) if valid else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _file_stamp(path: str) -> list[int]:
    """Inode, size, modification time and change time of a file; zeros if there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - some hundred of them
    except (OSError, ValueError):
        return _NO_FILE
    return [*stamp_of(status)]
