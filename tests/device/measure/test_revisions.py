"""`bench --against REV` on sim: exact differences, and a tree of the user that stays as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.device.measure.measured import commit, document, git
from tests.json_documents import validate
from tests.project import Project

KERNEL = "dsp/src/my_project_dsp_imp.c"
START = "    int i = 0;"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The template's project in a folder of a repository."""
    project = Project(tmp_path_factory.mktemp("a repository") / "part" / "my-project")
    project.root.mkdir(parents=True)
    project.succeeds("init", "--template", "hvx")
    git(project, "init", "-q", str(project.root.parent.parent))
    commit(project, "as it was")
    return project


@pytest.fixture
def kernel(template: Project) -> Project:
    git(template, "checkout", "-q", "--force", "master")
    return template


def test_one_packet_more_is_a_difference(kernel: Project) -> None:
    kernel.edit(KERNEL, START, f'{START}\n    __asm__ volatile("nop");')
    found = document(kernel, "sim", "--against", "HEAD")

    validate("bench", found)
    assert (found["ok"], found["metrics"]) == (True, [])
    (row,) = found["counts"]
    assert (row["name"], row["counted"]) == ("my_project_dsp_scale_add", "packets")
    assert 2 <= row["this"] - row["other"] < 10  # of two calls; QEMU does not count nop as one


def test_the_difference_is_that_of_the_profiles(kernel: Project) -> None:
    kernel.edit(KERNEL, START, f'{START}\n    __asm__ volatile("nop");')
    found = document(kernel, "sim", "--against", "HEAD")
    packets = []
    for _ in range(2):
        kernel.succeeds("run", "sim", "--profile")
        profile = json.loads((kernel.root / ".buildtool/profile/dsp.json").read_text())
        (own,) = (row for row in profile["functions"] if row["name"] == found["counts"][0]["name"])
        packets.append(own["packets"])
        git(kernel, "checkout", "-q", "--force", "master")

    assert packets[0] - packets[1] == found["counts"][0]["this"] - found["counts"][0]["other"]
    # What the emulated device itself would do for `run --trace` is no work of the skel.
    assert found["this"]["methods"][0]["name"] == "my_project_dsp_open"
    assert found["this"]["methods"][0]["packets"] < 1000


def test_a_comment_makes_the_same_release(kernel: Project) -> None:
    kernel.edit(KERNEL, START, f"{START} /* nothing */")
    done = kernel.run("bench", "sim", "--against", "HEAD")

    assert done.returncode == 0
    first = done.stdout.splitlines()[0]
    assert first.endswith("no difference, this tree and HEAD make the same release")


@pytest.mark.long
def test_a_zero_kernel_has_no_number_although_it_is_fast(kernel: Project) -> None:
    kernel.edit(KERNEL, START, "    if (1) return memset(result, 0, result_len * 2), 0;\n" + START)
    done = kernel.run("bench", "sim", "--against", "HEAD")

    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [
        "bench verified on sim QCS6490 (v68): no numbers, because checks failed",
        "✗ this tree: exit status in 3 of 3 runs: it is 1:"
        " 'my-project: element 0 of 1024 is 0, should be 20003'",
    ]
    assert "packets" not in done.stdout


def test_the_users_tree_is_not_touched(kernel: Project) -> None:
    kernel.edit(KERNEL, START, f"{START} ")
    head, before = git(kernel, "rev-parse", "HEAD"), (kernel.root / KERNEL).read_text()
    git(kernel, "checkout", "-q", "-b", "other")
    document(kernel, "sim", "--against", "master")

    assert git(kernel, "rev-parse", "HEAD") == head
    assert git(kernel, "symbolic-ref", "--short", "HEAD") == "other\n"
    assert (kernel.root / KERNEL).read_text() == before


def test_a_revision_without_the_project_is_named(kernel: Project) -> None:
    git(kernel, "checkout", "-q", "--orphan", "empty")
    git(kernel, "rm", "-rq", "--cached", ".")
    git(kernel, "commit", "-q", "--allow-empty", "-m", "nothing")
    git(kernel, "checkout", "-q", "--force", "master")
    done = kernel.run("bench", "sim", "--against", "empty")

    assert done.returncode == 2
    assert "empty has no project" in done.stderr
    assert "has no part/my-project/buildtool.toml" in done.stderr


@pytest.mark.long
def test_a_worktree_that_was_damaged_is_made_anew(kernel: Project) -> None:
    kernel.edit(KERNEL, START, f'{START}\n    __asm__ volatile("nop");')
    document(kernel, "sim", "--against", "HEAD")
    damaged = kernel.root / ".buildtool" / "revision"
    (damaged / ".git").write_text("gitdir: /nonexistent\n")
    found = json.loads(kernel.succeeds("bench", "sim", "--against", "HEAD", "--json"))

    assert found["counts"]


def test_no_revision_has_this_name(kernel: Project) -> None:
    done = kernel.run("bench", "sim", "--against", "no-such-branch")

    assert done.returncode == 2
    assert done.stderr.startswith("error: 'no-such-branch' names no commit")  # first
    assert not Path(kernel.root / "no-such-branch").exists()


def test_other_worktrees_of_the_user_stay(kernel: Project) -> None:
    other = kernel.root.parents[1] / "other"
    git(kernel, "worktree", "add", "-q", "-B", "elsewhere", str(other))
    away = other.rename(other.with_name("unmounted"))
    kernel.edit(KERNEL, START, f"{START} /* c */")
    shutil.rmtree(kernel.root / ".buildtool" / "revision", ignore_errors=True)
    kernel.succeeds("bench", "sim", "--against", "HEAD")
    away.rename(other)

    assert str(other) in git(kernel, "worktree", "list")
    git(kernel, "worktree", "remove", "--force", str(other))


@pytest.mark.parametrize(
    ("directory", "message"),
    [("nosuch", "there is no nosuch/buildtool.toml"), (".", "has the project that it would be")],
)
def test_a_directory_without_another_project(kernel: Project, directory: str, message: str) -> None:
    done = kernel.run("bench", "sim", "--against-directory", directory)

    assert done.returncode == 2
    assert message in done.stderr
