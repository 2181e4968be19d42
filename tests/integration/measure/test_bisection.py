"""The first bad commit is found in real git histories, whatever their shape."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.measure.revisions import (
    Bisection,
    Memory,
    Outcome,
    Verdict,
    bisect,
    commit_of,
    runs_to_see,
)


class History:
    """A repository, in which each commit is good, bad or skipped."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.outcomes: dict[str, Outcome] = {}
        self.judged: list[str] = []
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=T", "-c", "user.email=t@localhost")
        command = ["git", "-C", str(self.root), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, outcome: Outcome, message: str = "one") -> str:
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.is_(outcome)

    def merge(self, branch: str, outcome: Outcome) -> str:
        self.git("merge", "-q", "--no-ff", "-s", "ours", "-m", "merge", branch)
        return self.is_(outcome)

    def is_(self, outcome: Outcome) -> str:
        head = self.git("rev-parse", "HEAD")
        self.outcomes[head] = outcome
        return head

    def judge(self, commit: str) -> Verdict:
        self.judged.append(commit)
        return Verdict(commit, self.outcomes[commit], 1, "as planted")

    def bisect(self, good: str, bad: str, question: object = "q") -> Bisection:
        memory = Memory(self.root / "memory.json", question)
        return bisect(self.root, (good, bad), self.judge, memory, lambda _: None)


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


@pytest.mark.parametrize(
    "planted",
    [
        pytest.param(1, marks=pytest.mark.long),
        pytest.param(2, marks=pytest.mark.long),
        31,
        pytest.param(59, marks=pytest.mark.long),
        pytest.param(60, marks=pytest.mark.long),
    ],
)
def test_sixty_commits_need_eight_verdicts(history: History, planted: int) -> None:
    commits = [history.commit("bad" if n >= planted else "good") for n in range(61)]
    found = history.bisect(commits[0], commits[60])

    assert found.suspects == (commits[planted],)
    assert len(history.judged) <= 8
    assert not (history.root / "memory.json").exists()


def test_a_fault_on_a_merged_branch_is_found_there(history: History) -> None:
    start = history.commit("good")
    history.git("checkout", "-q", "-b", "side")
    history.commit("good")
    culprit = history.commit("bad")
    history.commit("bad")
    history.git("checkout", "-q", "main")
    history.commit("good")
    history.merge("side", "bad")
    end = history.commit("bad")

    assert history.bisect(start, end).suspects == (culprit,)


def test_what_is_skipped_stays_a_suspect(history: History) -> None:
    outcomes: list[Outcome] = ["good", "good", "skipped", "skipped", "bad", "bad"]
    commits = [history.commit(outcome) for outcome in outcomes]
    found = history.bisect(commits[0], commits[5])

    assert found.suspects[0] == commits[4]
    assert set(found.suspects) == set(commits[2:5])


def test_random_histories(tmp_path: Path) -> None:
    chance = random.Random(7)
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        history = History(folder)
        count, planted = chance.randint(2, 20), 0
        planted = chance.randint(1, count - 1)
        commits = [history.commit("bad" if n >= planted else "good") for n in range(count)]
        for commit in chance.sample(commits[1:-1], k=min(3, count - 2)):
            history.outcomes[commit] = "skipped"
        found = history.bisect(commits[0], commits[-1])
        assert commits[planted] in found.suspects
        skipped = [c for c in found.suspects if history.outcomes[c] == "skipped"]
        assert len(found.suspects) == len(skipped) + 1


def test_a_bisection_goes_on_after_it_was_interrupted(history: History) -> None:
    commits = [history.commit("bad" if n >= 11 else "good") for n in range(20)]
    judge = history.judge

    def interrupted(commit: str) -> Verdict:
        if len(history.judged) == 4:
            raise KeyboardInterrupt
        return judge(commit)

    history.judge = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        history.bisect(commits[0], commits[19])
    history.judge = judge  # type: ignore[method-assign]
    found = history.bisect(commits[0], commits[19])

    assert found.suspects == (commits[11],)
    assert len(history.judged) == len(set(history.judged)) == len(found.tried)


def test_what_was_skipped_is_tried_again(history: History) -> None:
    commits = [history.commit("bad" if n else "good") for n in range(2)]
    memory = Memory(history.root / "memory.json", "q")
    memory.add(Verdict(commits[0], "skipped", 0, "a full disk"))

    assert Memory(history.root / "memory.json", "q").known == {}


def test_another_question_has_no_memory(history: History) -> None:
    commits = [history.commit("bad" if n else "good") for n in range(2)]
    Memory(history.root / "memory.json", "other").add(Verdict(commits[1], "good", 1, ""))

    assert history.bisect(*commits).suspects == (commits[1],)


@pytest.mark.parametrize("damage", ["", "{}", "[1]", '{"question": "q", "verdicts": [[1]]}'])
def test_a_damaged_memory_is_no_memory(history: History, damage: str) -> None:
    commits = [history.commit("bad" if n else "good") for n in range(2)]
    (history.root / "memory.json").write_text(damage)

    assert history.bisect(*commits).suspects == (commits[1],)


def test_ends_that_are_not_what_they_should_be(history: History) -> None:
    first, second, third = (history.commit("good") for _ in range(3))
    with pytest.raises(UsageError, match="is not bad, but good"):
        history.bisect(first, third)
    history.outcomes[first] = "skipped"
    with pytest.raises(UsageError, match="is not good, but skipped"):
        history.bisect(first, third)
    with pytest.raises(UsageError, match="is not part of the history of"):
        history.bisect(third, second)
    assert not (history.root / "memory.json").exists()


def test_histories_without_a_common_commit(history: History) -> None:
    one = history.commit("good")
    history.git("checkout", "-q", "--orphan", "other")
    other = history.commit("bad", "another")
    with pytest.raises(UsageError, match="is not part of the history of"):
        history.bisect(one, other)


def test_a_name_of_a_tag_and_a_branch_is_the_tag(history: History) -> None:
    tagged = history.commit("good")
    history.git("tag", "v1")
    history.commit("good")
    history.git("branch", "v1")

    assert commit_of(history.root, "v1") == tagged  # although git warns


def test_a_revision_that_looks_like_an_option_is_none(history: History) -> None:
    history.commit("good")
    with pytest.raises(UsageError, match="'--all' names no commit"):
        commit_of(history.root, "--all")


@pytest.mark.parametrize(
    ("failures", "runs", "needed"),
    [(1, 1, 1), (5, 5, 1), (1, 2, 10), (2, 5, 14), (1, 20, 135), (1, 9999, 69_068)],
)
def test_a_race_is_missed_in_one_of_a_thousand(failures: int, runs: int, needed: int) -> None:
    assert runs_to_see(failures, runs) == needed
    if failures < runs:
        assert (1 - failures / runs) ** needed <= 0.001 < (1 - failures / runs) ** (needed - 1)
