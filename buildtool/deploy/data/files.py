"""Large files of a project, such as models: a release on a device has links to them."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note, work
from buildtool.core.value import Value
from buildtool.inputs.file_states import EXECUTABLE_SUFFIX, FileStates
from buildtool.project.model import Project

FOLDER = ".data"
"""The directory of large files, in the install root; no project can have this name."""
SLOW_SIZE = 256_000_000
"""Bytes of a file whose digest takes long enough to say so."""


class DataFile(Value):
    """The file `source`, which a release has at `path`; `size` is in bytes."""

    path: str
    source: Path
    sha256: str
    size: int

    @property
    def target(self) -> str:
        """Where the link at `path` leads, from `ROOT/PROJECT/releases/ID` to `ROOT/.data`."""
        return f"{'../' * (3 + self.path.count('/'))}{FOLDER}/{self.sha256}"


def find_data(project: Project, states: FileStates, listener: Listener) -> tuple[DataFile, ...]:
    """The files of `[data.NAME]`; a file is read only if its digest is not remembered.

    A file of `models/**` is `data/NAME/` and what comes after `models/` in the release.  Raises
    `UsageError` if there is no such file, it cannot be read, or two have one place.
    """
    found: dict[str, DataFile] = {}
    for name, data in project.data.items():
        for pattern in data.files:
            files = list(_matching(project.root, pattern))
            if not files:
                raise UsageError(
                    f"data {name!r} has no files",
                    why=f"nothing in {project.root} matches {pattern!r}",
                    remedy="Put the files there, or correct files in [data."
                    f"{name}] of buildtool.toml.",
                )
            for below, source in files:
                path = f"data/{name}/{below}"
                state = _state(source, states, listener).removesuffix(EXECUTABLE_SUFFIX)
                if not re.fullmatch("[0-9a-f]{64}", state):
                    raise UsageError(f"{source} cannot be read", why=f"data {name!r} contains it")
                file = DataFile(path, source, state, source.stat().st_size)
                if found.setdefault(path, file).sha256 != state:
                    raise UsageError(
                        f"two files of data {name!r} would be {path} in the release",
                        why=f"{found[path].source} and {source} differ",
                        remedy="Give them different names, or put them into two tables.",
                    )
    return tuple(found.values())


def _state(source: Path, states: FileStates, listener: Listener) -> str:
    size = source.stat().st_size
    if size < SLOW_SIZE or states.remembers(source):
        return states.state(source)
    listener(Note(f"computing the digest of {source.name} ({size / 1e6:,.0f} MB)"))
    with work(f"reading {source.name}", listener):
        return states.state(source)


def _matching(root: Path, pattern: str) -> Iterator[tuple[str, Path]]:
    """The files that match, each with its path below the directory before the first wildcard."""
    wildcard = re.search(r"[*?\[]", pattern)
    base = pattern[: pattern.rfind("/", 0, wildcard.start() if wildcard else None) + 1]
    for path in sorted(glob.glob(pattern, root_dir=root, recursive=True)):  # noqa: PTH207 - of any root
        if (root / path).is_file():
            yield path[len(base) :], root / path
