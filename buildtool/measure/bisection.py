"""Finds the first bad commit between a good and a bad one."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from buildtool.core.errors import UsageError
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.value import Value
from buildtool.measure.git import by_distance, is_ancestor, subject_of

if TYPE_CHECKING:
    from buildtool.documents.measurements import VerdictObject

MISS = 0.001
"""How likely it may be that a revision with the fault passes all of its runs."""
Outcome = Literal["good", "bad", "skipped"]


class Verdict(Value):
    """What one commit is; `evidence` says why, in a line.  `runs` is how often it ran."""

    commit: str
    outcome: Outcome
    runs: int
    evidence: str

    def as_json(self) -> VerdictObject:
        return {
            "commit": self.commit,
            "outcome": self.outcome,
            "runs": self.runs,
            "evidence": self.evidence,
        }


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
