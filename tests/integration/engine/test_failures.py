"""What a build that fails leaves behind, and which steps it still runs."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from buildtool.inputs.file_states import FileStates
from tests.integration.engine import pair
from tests.integration.engine.pair import HOST, SKEL
from tests.project import Project

SETTLED = 2.1  # s; digests of files that changed more recently are not cached


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return pair.machine(tmp_path)


@pytest.mark.long
def test_digests_are_remembered_when_a_build_fails(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build("alone")
    project.edit("host/parts/one.c", "{", "{ broken")
    time.sleep(SETTLED)
    project.fails("build", "alone")

    # The digest of an unchanged file is not computed again.
    source, saved = project.root / "host/parts/one.c", project.root / ".buildtool/state/digests"
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    monkeypatch.setattr(hashlib, "file_digest", None)
    assert FileStates(saved).state(source) == digest


@pytest.mark.parametrize("keep_going", [pytest.param(True, marks=pytest.mark.long), False])
def test_a_step_that_cannot_be_checked_fails_as_others_do(
    project: Project, *, keep_going: bool
) -> None:
    conan = '[host.app]\nsource = "host"\nconan = "conanfile.txt"\n'
    project.edit("buildtool.toml", '[host.app]\nsource = "host"\n', conan)
    project.edit("buildtool.toml", "[project]\n", '[project]\nconan-recipes = ["recipes"]\n')
    (project.root / "conanfile.txt").write_text("[requires]\n")
    (project.root / "recipes/a").mkdir(parents=True)
    os.mkfifo(project.root / "recipes/a/conanfile.py")  # its digest is part of the step's key

    output = project.fails("build", *(["--keep-going"] if keep_going else []))

    assert "recipes/a/conanfile.py" in output
    rows = json.loads(project.why("--json", "--last"))["steps"]
    outcomes = {row["name"]: row["outcome"] for row in rows}
    assert outcomes == {HOST: "failed", SKEL: "built" if keep_going else "skipped"}
