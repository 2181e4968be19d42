"""Revisions of a project: what git says of them, how `bisect` chooses among them, and how one is
checked out beside the user's tree, in which nothing is changed.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.escape import escape
from buildtool.core.events import Listener, Note
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.lock import locked
from buildtool.core.processes.process import ToolError, git
from buildtool.core.trees import STATE, make_directory, remove_tree
from buildtool.core.value import Described, Value
from buildtool.device.configuration import FILE_NAME as DEVICES
from buildtool.project.model import Project
from buildtool.project.read import read_project

DIRECTORY = "revision"
MISS = 0.001
"""How likely it may be that a revision with the fault passes all of its runs."""
Outcome = Literal["good", "bad", "skipped"]


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


class Verdict(Described):
    """What one commit is; `evidence` says why, in a line.  `runs` is how often it ran."""

    commit: Annotated[str, "id of the commit"]
    outcome: Annotated[Outcome, "what it is"]
    runs: Annotated[int, "how often the test or the bench ran"]
    evidence: Annotated[str, "why it is that, in a line"]


class Bisection(Value):
    """The commits that were tried, in order, and those that can be the first bad one: one, or
    several if all of them but one were skipped."""

    tried: tuple[Verdict, ...]
    suspects: tuple[str, ...]


def runs_to_see(failures: int, runs: int) -> int:
    """How often a revision runs so that a fault which appears in `failures` of `runs` is missed
    with a probability of at most 0.1 %."""
    if failures == runs:
        return 1
    return math.ceil(math.log(MISS) / math.log(1 - failures / runs))


class Memory:
    """The verdicts on commits, kept in `file` until the first bad one is found, so that a bisection
    that was interrupted goes on.  Those of another `question` are forgotten."""

    def __init__(self, file: Path, question: object) -> None:
        self._file = file
        self._question = question
        self.known: dict[str, Verdict] = {}
        try:
            kept = read_checksummed(file)
            if kept["question"] == question:
                self.known = {row[0]: Verdict(*row) for row in kept["verdicts"]}
        except (OSError, ValueError, LookupError, TypeError):
            return

    def add(self, verdict: Verdict) -> None:
        if verdict.outcome == "skipped":  # a full disk may have been the reason
            return
        self.known[verdict.commit] = verdict
        kept = {"question": self._question, "verdicts": list(self.known.values())}
        write_checksummed(self._file, kept)

    def forget(self) -> None:
        self._file.unlink(missing_ok=True)


def bisect(
    root: Path,
    ends: tuple[str, str],
    judge: Callable[[str], Verdict],
    memory: Memory,
    tell: Callable[[Verdict], None],
) -> Bisection:
    """Find the first bad commit between `ends`, the ids of a good commit of the repository `root`
    and of a later bad one.

    `judge` says what a commit is, and `tell` gets each verdict.  Both ends are judged first.
    Raises `UsageError` when they are not what they should be, and whatever `judge` raises.
    """
    good, bad = ends
    if not is_ancestor(root, good, bad):
        raise UsageError(
            f"{good[:12]} is not part of the history of {bad[:12]}",
            why="the good commit has to be an ancestor of the bad one",
            remedy="Exchange them, or name their last common commit: git merge-base GOOD BAD",
        )
    tried: list[Verdict] = []

    def verdict_on(commit: str) -> Verdict:
        verdict = memory.known.get(commit) or judge(commit)
        if commit not in memory.known:
            memory.add(verdict)
        tried.append(verdict)
        tell(verdict)
        return verdict

    for commit, expected in ((good, "good"), (bad, "bad")):
        verdict = verdict_on(commit)
        if verdict.outcome != expected:
            memory.forget()
            raise UsageError(
                f"{subject_of(root, commit)} is not {expected}, but {verdict.outcome}",
                why=verdict.evidence,
                remedy="Name another commit, or ask for what differs between both.",
            )
    known_good = [good]
    while True:
        suspects = by_distance(root, known_good, bad)
        skipped = {verdict.commit for verdict in tried if verdict.outcome == "skipped"}
        open_ = [commit for commit in suspects if commit != bad and commit not in skipped]
        if not open_:
            break
        verdict = verdict_on(open_[0])
        if verdict.outcome == "bad":
            bad = verdict.commit
        elif verdict.outcome == "good":
            known_good.append(verdict.commit)
    memory.forget()
    others = (commit for commit in suspects if commit != bad)  # they were skipped
    return Bisection(tuple(tried), (bad, *others))
