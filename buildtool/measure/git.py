"""Asks git about the repository of a project; changes nothing of the user's tree."""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.escape import escape
from buildtool.core.processes.git import git
from buildtool.core.processes.process import ToolError


def commit_of(root: Path, revision: str) -> str:
    """The id of the commit that `revision` names; raises `UsageError`."""
    try:
        text = git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except ToolError as error:
        raise UsageError(
            f"{revision!r} names no commit of {root}",
            why=error.why,
            remedy="Name a branch, a tag, or a commit: HEAD~3",
        ) from error
    return _commits(text)[0]


def subject_of(root: Path, commit: str) -> str:
    """A commit in a line: its short id, and the first line of its message."""
    text = git(root, "log", "-1", "--no-show-signature", "--format=%x00%h %s", commit)
    return escape(text.partition("\0")[2].partition("\n")[0])


def by_distance(root: Path, good: list[str], bad: str) -> list[str]:
    """The commits that can be the first bad one, when `bad` is and all of `good` are not: first
    those that halve the others best.  Source: git-rev-list(1), --bisect-all."""
    text = git(root, "rev-list", "--bisect-all", bad, *(f"^{commit}" for commit in good))
    return _commits(text)


def is_ancestor(root: Path, older: str, newer: str) -> bool:
    """Whether `older` is part of the history of `newer`."""
    try:
        return older in _commits(git(root, "merge-base", older, newer))
    except ToolError:  # they have no common ancestor
        return False


def _commits(text: str) -> list[str]:
    """The ids at the beginning of lines."""
    return re.findall(r"^([0-9a-f]{40,64})\b", text, re.ASCII | re.MULTILINE)
