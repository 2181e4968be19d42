"""Another revision of a project, checked out beside the user's tree."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.lock import locked
from buildtool.core.own_directory import make_directory
from buildtool.core.processes.process import ToolError, capture, check
from buildtool.core.trees import remove_tree
from buildtool.device.configuration import FILE_NAME as DEVICES
from buildtool.project.model import Project
from buildtool.project.read import read_project

DIRECTORY = "revision"
GIT_SECONDS = 600.0


@contextlib.contextmanager
def checked_out(project: Project, revision: str, listener: Listener) -> Iterator[Project]:
    """The project as it is in `revision`, in a worktree below `.buildtool` that stays there, so
    that the next build of a revision is incremental.

    Nothing of the user's tree changes.  Raises `UsageError` when there is no such revision or no
    project in it.
    """
    prefix = _git(project.root, "rev-parse", "--show-prefix")
    commit = commit_of(project, revision)
    tree = project.state / DIRECTORY

    def waiting() -> None:
        listener(Note("waiting for another buildtool that compares revisions of this project"))

    make_directory(project.state)
    with locked(project.state / f"{DIRECTORY}.lock", waiting):
        _check_out(project, tree, commit)
        root = tree / prefix
        file = root / "buildtool.toml"
        if not file.is_file():
            raise UsageError(
                f"{revision} has no project",
                why=f"the commit {commit[:12]} has no {prefix}buildtool.toml",
                remedy="Name a revision that has one.",
            )
        mine = project.root / DEVICES
        if mine.is_file() and not (root / DEVICES).exists():
            (root / DEVICES).symlink_to(mine)
        yield read_project(file)


def commit_of(project: Project, revision: str) -> str:
    """The id of the commit that `revision` names; raises `UsageError`."""
    try:
        return _git(
            project.root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"
        )
    except ToolError as error:
        raise UsageError(
            f"{revision!r} names no commit of {project.root}",
            why=error.why,
            remedy="Name a branch, a tag, or a commit: HEAD~3",
        ) from error


def _check_out(project: Project, tree: Path, commit: str) -> None:
    """Make `tree` a worktree with the files of `commit`; what builds left there stays."""
    if (tree / ".git").is_file():
        with contextlib.suppress(ToolError):
            _git(tree, "checkout", "--quiet", "--force", "--detach", commit)
            _update_submodules(tree)
            return
    remove_tree(tree, ignore_errors=True)
    _git(project.root, "worktree", "prune")
    _git(project.root, "worktree", "add", "--quiet", "--force", "--detach", str(tree), commit)
    _update_submodules(tree)


def _update_submodules(tree: Path) -> None:
    if (tree / ".gitmodules").is_file():
        _git(tree, "submodule", "--quiet", "update", "--init", "--recursive", "--force")


def _git(directory: Path, *arguments: str) -> str:
    """The last line of the output of a git command; raises `ToolError` when it fails."""
    # Hooks run git with these variables, which name the repository of the user's tree.
    local = re.compile(r"GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY)")
    environment = {
        **{name: value for name, value in os.environ.items() if not local.fullmatch(name)},
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
    }
    command = ["git", "-C", str(directory), "-c", "core.hooksPath=/dev/null", *arguments]
    done = capture(command, env=environment, timeout=GIT_SECONDS)
    check(done, f"git {arguments[0]}")
    return done.output.rstrip("\n").rpartition("\n")[2]
