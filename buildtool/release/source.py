"""The revision of a project's sources, and the time that a release carries."""

from __future__ import annotations

import os
import re
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.process import ToolError, capture
from buildtool.core.value import Value
from buildtool.project.model import STATE

EPOCH_VARIABLE = "SOURCE_DATE_EPOCH"
UNKNOWN_TIME = 315532800
"""1980-01-01, the oldest time that zip files can have: that of sources without a revision."""
LATEST_TIME = 2**32 - 1  # 2106; archive formats store 32 bits


class Source(Value):
    """Where the sources of a release come from.

    `revision` is a git commit and `dirty` whether files differ from it; both are None outside of a
    git repository.  `epoch` is the time of all files of the release, in seconds since 1970.
    """

    revision: str | None
    dirty: bool | None
    epoch: int


def find_source(root: Path, output: Path) -> Source:
    """The source of the project in `root`; what is in `output` and in the cache does not make it
    dirty.

    The time is SOURCE_DATE_EPOCH, else that of the commit.  Raises `UsageError` when the variable
    is not a time.  Source: reproducible-builds.org, "SOURCE_DATE_EPOCH specification".
    """
    given = _given_epoch()
    revision, commit_time = _last_commit(root)
    time = commit_time if given is None else given
    dirty = _is_dirty(root, output) if revision else None
    return Source(revision, dirty, max(time, UNKNOWN_TIME))


def _given_epoch() -> int | None:
    text = os.environ.get(EPOCH_VARIABLE, "")
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,10}", text, re.ASCII) or int(text) > LATEST_TIME:
        raise UsageError(
            f"{EPOCH_VARIABLE} is not a time: {text!r}",
            why=f"it must be a number of seconds since 1970, at most {LATEST_TIME}",
            remedy=f"Unset it, or set it to the time of the sources: {EPOCH_VARIABLE}=$(git log -1"
            " --format=%ct)",
        )
    return int(text)


def _last_commit(root: Path) -> tuple[str | None, int]:
    """The commit that is checked out, and its time."""
    found = re.fullmatch(
        r"([0-9a-f]{40,64}) ([0-9]{1,10})", _git(root, "log", "-1", "--format=%H %ct").strip()
    )
    return (found[1], int(found[2])) if found else (None, UNKNOWN_TIME)


def _is_dirty(root: Path, output: Path) -> bool:
    ours = [f":(exclude){STATE}"]
    for folder in (output, cache_dir()):
        if folder.is_relative_to(root) and folder != root:
            ours.append(f":(exclude,literal){folder.relative_to(root)}")
    return bool(_git(root, "status", "--porcelain", "--", ".", *ours))


def _git(root: Path, *arguments: str) -> str:
    """The output of git; "" when it fails, for example outside of a repository."""
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    command = ["git", "-C", str(root), "-c", "log.showSignature=false", *arguments]
    try:
        done = capture(command, env=environment, timeout=60)
    except ToolError:
        return ""  # there is no git
    return done.output if done.status == 0 else ""
