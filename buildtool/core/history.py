"""The history of a project: a line of JSON for each build, release, run of tests, failed run,
matrix of tests and devices, and change of a number that has a budget.

Commands append lines, and `buildtool report` reads them.  A file keeps the newest lines, within
`KEPT_LINES` and `KEPT_BYTES`; it is replaced as a whole, so that a killed process damages nothing.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.lock import locked
from buildtool.core.value import Value

DIRECTORY = "history"
"""Below `.buildtool`."""
BUILDS, RELEASES, TESTS, RUNS = "builds", "releases", "tests", "runs"
MATRICES, BUDGETS = "matrices", "budgets"
KEPT_LINES = 200
KEPT_BYTES = 4 << 20
LOCK_SECONDS = 5.0


class History(Value):
    """The lines of a file that can be read, the oldest first; `problem` says what cannot, or ""."""

    lines: tuple[Mapping[str, Any], ...]
    problem: str = ""


def append_history(state: Path, name: str, line: Mapping[str, Any]) -> None:
    """Append `line` to the history `name` in the directory `state`, `.buildtool` of a project.

    A line that cannot be written is lost: what it reports has been done.
    """
    file = _file(state, name)
    with contextlib.suppress(OSError), locked(file.with_suffix(".lock"), timeout=LOCK_SECONDS):
        lines = _texts(file)[1 - KEPT_LINES :]
        lines.append(json.dumps(line, separators=(",", ":")).encode())
        size = sum(map(len, lines)) + len(lines)
        while size > KEPT_BYTES and lines:
            size -= len(lines.pop(0)) + 1
        write_if_changed(file, b"".join(text + b"\n" for text in lines))


def read_history(state: Path, name: str) -> History:
    """The history `name` in the directory `state`; without lines if there is none."""
    file = _file(state, name)
    try:
        texts = _texts(file)
    except OSError as error:
        return History((), f"{file} cannot be read: {error.strerror}")
    lines = []
    for text in texts:
        with contextlib.suppress(ValueError, RecursionError):
            line = json.loads(text)
            if isinstance(line, dict):
                lines.append(line)
    damaged = len(texts) - len(lines)
    problem = f"{file} has {damaged} damaged lines, which are left out" if damaged else ""
    return History(tuple(lines), problem)


def _file(state: Path, name: str) -> Path:
    return state / DIRECTORY / f"{name}.jsonl"


def _texts(file: Path) -> list[bytes]:
    """The lines of `file` within `KEPT_BYTES`, without those that are empty; raises `OSError`."""
    try:
        data = read_regular(file, KEPT_BYTES)
    except FileNotFoundError:
        return []
    return [text for text in data.split(b"\n") if text.strip()]
