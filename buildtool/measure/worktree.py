"""Another revision of a project, checked out beside the user's tree."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.lock import locked
from buildtool.core.own_directory import make_directory
from buildtool.core.processes.git import git
from buildtool.core.processes.process import ToolError
from buildtool.core.trees import remove_tree
from buildtool.device.configuration import FILE_NAME as DEVICES
from buildtool.measure.git import commit_of
from buildtool.project.model import Project
from buildtool.project.read import read_project

DIRECTORY = "revision"


@contextlib.contextmanager
def checked_out(project: Project, revision: str, listener: Listener) -> Iterator[Project]:
    """The project as it is in `revision`, in a worktree below `.buildtool` that stays there, so
    that the next build of a revision is incremental.

    Nothing of the user's tree changes.  Raises `UsageError` when there is no such revision or no
    project in it.
    """
    commit = commit_of(project.root, revision)
    prefix = git(project.root, "rev-parse", "--show-prefix").rpartition("\n")[2]
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
        if mine.is_file():  # devices are those of the user, whatever was committed
            (root / DEVICES).unlink(missing_ok=True)
            (root / DEVICES).symlink_to(mine)
        yield read_project(file)


def _check_out(project: Project, tree: Path, commit: str) -> None:
    """Make `tree` a worktree with the files of `commit`; what builds left there stays."""
    if (tree / ".git").is_file():
        with contextlib.suppress(ToolError):
            git(tree, "checkout", "--quiet", "--force", "--detach", commit)
            git(tree, "clean", "-d", "--force", "--quiet")  # what is ignored stays: builds
            _update_submodules(tree)
            return
    remove_tree(tree, ignore_errors=True)
    # Twice: it may be registered although it is missing.  `prune` would forget others, too.
    force = ("--force", "--force", "--detach", "--quiet")
    git(project.root, "worktree", "add", *force, str(tree), commit)
    _update_submodules(tree)


def _update_submodules(tree: Path) -> None:
    """Check out the submodules that the user's tree has; --init would change its configuration."""
    if (tree / ".gitmodules").is_file():
        git(tree, "submodule", "--quiet", "update", "--recursive", "--force")
