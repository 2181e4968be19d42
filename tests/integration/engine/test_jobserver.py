"""Several real Ninjas share one budget, which is never exceeded, is used up, and survives kills."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from buildtool.core.processes.process import Completed, capture
from buildtool.engine.jobserver import MAX_JOBS, Jobserver
from buildtool.sdk.packaged_tools import find_cmake
from tests.integration.engine.processes import running

# A job records when it begins and when it ends.
JOB = "echo + $$(date +%s%N) >> '{log}'; sleep {seconds}; echo - $$(date +%s%N) >> '{log}'"


def ninja(folder: Path, jobs: int, *, seconds: float = 0.2, job: str = JOB) -> Callable[..., int]:
    """A function that runs a Ninja with that many independent jobs and returns its status."""
    folder.mkdir(parents=True)
    command = job.format(log=folder.parent / "log", seconds=seconds)
    edges = "".join(f"build {number}: job\n" for number in range(jobs))
    (folder / "build.ninja").write_text(f"rule job\n  command = {command}\n{edges}")

    def run(jobserver: Jobserver) -> int:
        with jobserver.token():
            done = started(jobserver, [find_cmake().ninja, "-C", folder])
            if done.status < 0:
                jobserver.lost()
            return done.status

    return run


def started(jobserver: Jobserver, argv: list[str | Path]) -> Completed:
    return capture(argv, env={"PATH": os.environ["PATH"], **jobserver.environment})


def at_once(*work: Callable[[], object]) -> None:
    threads = [threading.Thread(target=each) for each in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def most_at_once(log: Path) -> int:
    rows = sorted(
        (line.split() for line in log.read_text(encoding="utf-8").splitlines()),
        key=lambda row: row[1],
    )
    most = now = 0
    for sign, _ in rows:
        now += 1 if sign == "+" else -1
        most = max(most, now)
    return most


def tokens(jobserver: Jobserver) -> int:
    """The number of free tokens."""
    held = b""
    try:
        while more := os.read(jobserver._source, MAX_JOBS):
            held += more
    except BlockingIOError:
        os.write(jobserver._sink, held)
    return len(held)


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.long), 3])
def test_the_jobs_of_three_ninjas_stay_within_the_budget_and_use_it(
    jobs: int, tmp_path: Path
) -> None:
    root = tmp_path / "with space"
    ninjas = [ninja(root / str(number), 4, seconds=0.1) for number in range(3)]
    with Jobserver(jobs) as jobserver:
        at_once(*(partial(run, jobserver) for run in ninjas))

        assert tokens(jobserver) == jobs
    assert most_at_once(root / "log") == jobs


def test_a_single_ninja_has_the_whole_budget(tmp_path: Path) -> None:
    run = ninja(tmp_path / "n", 8)
    with Jobserver(4) as jobserver:
        assert run(jobserver) == 0
        assert tokens(jobserver) == 4

    assert most_at_once(tmp_path / "log") == 4


def test_the_tokens_of_a_killed_ninja_come_back_and_its_jobs_are_gone(tmp_path: Path) -> None:
    # The first job to run kills its Ninja while others hold tokens.
    job = "echo $$$$ >> '{log}'; sleep 0.3; kill -KILL $$PPID; exec sleep {seconds}"
    killed = ninja(tmp_path / "killed", 4, seconds=60, job=job)
    well = ninja(tmp_path / "well" / "n", 6, seconds=0.3)
    status = list[int]()
    with Jobserver(4) as jobserver:
        at_once(lambda: status.append(killed(jobserver)), lambda: status.append(well(jobserver)))

        assert sorted(status) == [-signal.SIGKILL, 0]
        assert tokens(jobserver) == 4
        again = ninja(tmp_path / "again" / "n", 8)
        assert again(jobserver) == 0
    assert most_at_once(tmp_path / "again" / "log") == 4
    left = [pid for pid in (tmp_path / "log").read_text().split() if running(int(pid))]
    assert left == []


def test_after_a_kill_no_job_starts_before_all_token_holders_have_ended() -> None:
    order = list[str]()
    with Jobserver(3) as jobserver:
        killed, finish = threading.Event(), threading.Event()

        def dies() -> None:
            with jobserver.token():
                os.read(jobserver._source, 1)  # a token that is not returned
                jobserver.lost()
            killed.set()

        def runs_on() -> None:
            with jobserver.token():
                assert finish.wait(20)
                order.append("others are done")

        def comes_late() -> None:
            assert killed.wait(20)
            with jobserver.token():
                order.append("the next starts")

        holder = threading.Thread(target=runs_on)
        holder.start()
        while tokens(jobserver) != 2:
            time.sleep(0.001)
        late = [threading.Thread(target=each) for each in (dies, comes_late)]
        for thread in late:
            thread.start()
        time.sleep(0.2)
        assert order == []
        finish.set()
        for thread in (holder, *late):
            thread.join()
        assert tokens(jobserver) == 3

    assert order == ["others are done", "the next starts"]


def test_a_make_of_any_version_that_a_component_runs_works(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n\t@echo made\n")
    with Jobserver(2) as jobserver:
        environment = {"PATH": os.environ["PATH"], **jobserver.environment}
        done = subprocess.run(
            ["make", "-C", tmp_path],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 0, done.stderr
    assert "made" in done.stdout


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Jobserver(2) as jobserver:
        assert tokens(jobserver) == 2
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("jobs", [0, -1, MAX_JOBS + 1])
def test_a_budget_has_limits(jobs: int) -> None:
    with pytest.raises(ValueError, match="jobs"):
        Jobserver(jobs)
