"""Another revision of a project, checked out beside the user's tree."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.lock import locked
from buildtool.core.processes.git import git
from buildtool.core.processes.process import ToolError
from buildtool.core.trees import STATE, make_directory, remove_tree
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
    prefix = _line(project.root, "rev-parse", "--show-prefix")
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


def forget_worktree(project: Project, removed: Collection[Path]) -> None:
    """Let git forget the worktree below `.buildtool`, if that is in `removed`."""
    tree = project.state / DIRECTORY
    if tree in removed:
        with contextlib.suppress(ToolError):
            git(project.root, "worktree", "remove", "--force", "--force", str(tree))


def _check_out(project: Project, tree: Path, commit: str) -> None:
    """Make `tree` a worktree with the files of `commit`; what builds left there stays."""
    beside = Path(_line(project.root, "rev-parse", "--show-toplevel"))
    if (tree / ".git").is_file():
        with contextlib.suppress(ToolError):
            _switch(tree, commit)
            _add_submodules(tree, beside, _git_directories(beside))
            return
    remove_tree(tree, ignore_errors=True)
    # Twice: it may be registered although it is missing.  `prune` would forget others, too.
    force = ("--force", "--force", "--detach", "--quiet")
    git(project.root, "worktree", "add", *force, str(tree), commit)
    _add_submodules(tree, beside, _git_directories(beside))


def _switch(tree: Path, commit: str) -> None:
    """Check out `commit`; of what was there before, only builds stay."""
    checkout = ("checkout", "--quiet", "--force", "--detach", "--no-recurse-submodules")
    git(tree, *checkout, commit)
    git(tree, "clean", "-ffdx", "--quiet", "--exclude", STATE)


def _add_submodules(tree: Path, beside: Path, owners: Sequence[Path]) -> None:
    """Check out in `tree` the submodules that the user has: in the working tree `beside`, or, when
    that has another commit, in the git directories `owners` of its repository.

    They share the objects of the user's, which can have commits that are nowhere else.  Raises
    `BuildtoolError` when a commit cannot be found.
    """
    for commit, path in _submodules(tree):
        kept = [owner / "modules" / name for name in _names(tree, path) for owner in owners]
        found = _git_directories(beside / path) if (beside / path / ".git").exists() else ()
        found = (*found, *(each for each in kept if (each / "objects").is_dir()))
        objects = [each / "objects" for each in found if (each / "objects").is_dir()]
        if not objects:
            continue  # nor does the user's tree have it
        folder = tree / path
        if not (folder / ".git").is_dir():
            remove_tree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            form = _line(tree, "rev-parse", "--show-object-format")
            git(folder, "init", "--quiet", "--template=", f"--object-format={form}")
        (folder / ".git/objects/info").mkdir(exist_ok=True)
        lines = b"".join(os.fsencode(each) + b"\n" for each in objects)
        (folder / ".git/objects/info/alternates").write_bytes(lines)
        _fetch_missing(folder, commit, beside / path, found[0])
        _switch(folder, commit)
        _add_submodules(folder, beside / path, found)


def _fetch_missing(folder: Path, commit: str, there: Path, source: Path) -> None:
    """Fetch `commit`, if the submodule `there` of the user with the git directory `source` lacks
    it, from where that comes from."""
    try:
        git(folder, "cat-file", "-e", f"{commit}^{{commit}}")
    except ToolError:
        try:
            url = _line(folder, "--git-dir", str(source), "config", "remote.origin.url")
            git(folder, "fetch", "--quiet", "--no-tags", "--depth=1", url, commit)
        except ToolError as error:
            raise BuildtoolError(
                f"the submodule {there} has no commit {commit[:12]}",
                why=f"the revision needs it, and it cannot be fetched: {error.why}",
                remedy=f"Fetch it from where it is: git -C {there} fetch REMOTE",
            ) from error


def _git_directories(tree: Path) -> tuple[Path, ...]:
    """The directories of git for a working tree: its own, and that of the main one."""
    rows = git(
        tree, "rev-parse", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir"
    )
    own, common = rows.split("\n")[-2:]
    return tuple(dict.fromkeys((Path(common), Path(own))))


def _submodules(tree: Path) -> list[tuple[str, str]]:
    """The commits and paths of the submodules of a working tree."""
    listed = git(tree, "ls-files", "--stage", "-z")
    return re.findall(r"160000 ([0-9a-f]{40,64}) 0\t([^\0]+)\0", listed)


def _names(tree: Path, path: str) -> list[str]:
    """The name of the submodule at `path`, by which git keeps its repository."""
    try:
        rows = git(tree, "config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\.")
    except ToolError:  # there is no such file
        return []
    return re.findall(rf"submodule\.([^\n\0]+)\.path\n{re.escape(path)}\0", rows)


def _line(directory: Path, *arguments: str) -> str:
    """The last line of what a git command prints, after warnings."""
    return git(directory, *arguments).rpartition("\n")[2]
