"""A revision in a worktree is what was committed, with the submodules of the user's tree."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.flow.targets import clean
from buildtool.measure.revisions import checked_out
from buildtool.project.model import Project
from buildtool.project.read import read_project

CONFIGURATION = {"protocol.file.allow": "always", "user.name": "T", "user.email": "t@localhost"}
FILE = '[project]\nname = "p"\n[host.p]\nsource = "host"\n'


def git(tree: Path, *arguments: str) -> str:
    options = [f"{name}={value}" for name, value in CONFIGURATION.items()]
    settings = [word for option in options for word in ("-c", option)]
    command = ["git", "-C", str(tree), *settings, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def repository(tree: Path, **files: str) -> Path:
    tree.mkdir(parents=True)
    git(tree, "init", "-q", "-b", "main")
    commit(tree, **files)
    return tree


def commit(tree: Path, **files: str) -> str:
    for name, text in files.items():
        file = tree / f"{name}.h"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    git(tree, "add", "--all")
    git(tree, "commit", "-q", "-m", "one")
    return git(tree, "rev-parse", "HEAD")


def headers(project: Project, revision: str) -> dict[str, str]:
    """The headers of a revision, by path in its worktree."""
    with checked_out(project, revision, lambda _: None) as found:
        root = found.root
        files = [Path(folder, name) for folder, _, names in os.walk(root) for name in names]
        return {
            str(file.relative_to(root)): file.read_text() for file in files if file.suffix == ".h"
        }


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a submodule that has a submodule; their remotes are gone."""
    inner = repository(tmp_path / "remotes" / "inner", n="1")
    outer = repository(tmp_path / "remotes" / "outer", s="1")
    git(outer, "submodule", "add", "-q", str(inner), "inner")
    commit(outer)
    tree = repository(tmp_path / "p", top="1")
    (tree / "buildtool.toml").write_text(FILE)
    (tree / ".gitignore").write_text(".buildtool\n*.gen.h\n")
    (tree / "host").mkdir()
    (tree / "host/CMakeLists.txt").write_text("project(p)\n")
    git(tree, "submodule", "add", "-q", str(outer), "third")
    git(tree, "submodule", "--quiet", "update", "--init", "--recursive")
    commit(tree)
    (tmp_path / "remotes").rename(tmp_path / "away")
    return read_project(tree / "buildtool.toml")


def test_commits_of_submodules_need_no_remote(project: Project) -> None:
    first = git(project.root, "rev-parse", "HEAD")
    commit(project.root / "third/inner", n="2")
    commit(project.root / "third", s="2")
    second = commit(project.root)
    (project.root / "third/s.h").write_text("3")

    assert headers(project, first) == {"top.h": "1", "third/s.h": "1", "third/inner/n.h": "1"}
    assert headers(project, second) == {"top.h": "1", "third/s.h": "2", "third/inner/n.h": "2"}
    assert git(project.root / "third", "status", "--short") == "M s.h"


def test_a_submodule_that_was_moved_or_removed_since(project: Project) -> None:
    first = git(project.root, "rev-parse", "HEAD")
    git(project.root, "mv", "third", "other")
    second = commit(project.root)
    git(project.root, "rm", "-q", "--force", "other")
    third = commit(project.root, **{"other/s": "plain"})

    for _ in range(2):
        assert headers(project, third) == {"top.h": "1", "other/s.h": "plain"}
        assert set(headers(project, second)) == {"top.h", "other/s.h", "other/inner/n.h"}
        assert set(headers(project, first)) == {"top.h", "third/s.h", "third/inner/n.h"}


def test_a_linked_worktree_has_submodules_of_its_own(project: Project, tmp_path: Path) -> None:
    (tmp_path / "away").rename(tmp_path / "remotes")
    linked = tmp_path / "linked"
    git(project.root, "worktree", "add", "-q", str(linked))
    git(linked, "submodule", "--quiet", "update", "--init", "--recursive")
    (tmp_path / "remotes").rename(tmp_path / "away")
    commit(linked / "third", s="linked")
    second = commit(linked)

    found = headers(read_project(linked / "buildtool.toml"), second)
    assert found == {"top.h": "1", "third/s.h": "linked", "third/inner/n.h": "1"}


def test_a_commit_that_is_nowhere_is_named(project: Project) -> None:
    unknown = "1234567890" * 4
    git(project.root, "update-index", "--cacheinfo", f"160000,{unknown},third")
    git(project.root, "commit", "-q", "-m", "lost")

    with pytest.raises(BuildtoolError) as raised:
        headers(project, "HEAD")

    assert raised.value.message == f"the submodule {project.root}/third has no commit 123456789012"
    assert "it cannot be fetched" in raised.value.why


def test_nothing_of_another_revision_stays_but_builds(project: Project) -> None:
    with checked_out(project, "HEAD", lambda _: None) as found:
        for name in ("left.gen.h", "third/left.h", ".buildtool/build/kept"):
            file = found.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("left")
    after = headers(project, "HEAD")

    assert after == {"top.h": "1", "third/s.h": "1", "third/inner/n.h": "1"}
    assert (found.root / ".buildtool/build/kept").exists()


def test_after_clean_git_knows_no_worktree(project: Project) -> None:
    headers(project, "HEAD")
    clean(project, "", include_expensive=True, listener=lambda _: None)

    assert git(project.root, "worktree", "list").count("\n") == 0
