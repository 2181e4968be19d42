"""What a build that fails leaves behind, and which steps it still runs."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from buildtool.inputs.file_states import FileStates
from tests.command_line import Buildtool
from tests.integration.engine.pair import HOST, SKEL, Machine

SETTLED = 2.1  # s; the digest of a file that changed later is not remembered


@pytest.fixture
def machine(tmp_path: Path, buildtool: Buildtool) -> Machine:
    return Machine(tmp_path, buildtool)


def fail(machine: Machine, *options: str) -> dict[str, Any]:
    """Build, which fails; returns the steps of the document, by name."""
    done = machine.run("build", "--json", *options)
    assert done.returncode == 1, done.stderr
    return {step["name"]: step for step in json.loads(done.stdout)["steps"]}


def test_digests_are_remembered_when_a_build_fails(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.build("alone")
    machine.edit("host/parts/one.c", "{", "{ broken")
    time.sleep(SETTLED)
    assert fail(machine)[HOST]["outcome"] == "failed"

    # Where the file stays what it is, the digest is not computed again.
    source, note = machine.root / "host/parts/one.c", machine.root / ".buildtool/state/digests"
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    monkeypatch.setattr(hashlib, "file_digest", None)
    assert FileStates(note).state(source) == digest


@pytest.mark.parametrize("keep_going", [True, False])
def test_a_step_that_cannot_be_checked_fails_as_others_do(
    machine: Machine, *, keep_going: bool
) -> None:
    conan = '[host.app]\nsource = "host"\nconan = "conanfile.txt"\n'
    machine.edit("buildtool.toml", '[host.app]\nsource = "host"\n', conan)
    machine.edit("buildtool.toml", "[project]\n", '[project]\nconan-recipes = ["recipes"]\n')
    (machine.root / "conanfile.txt").write_text("[requires]\n")
    (machine.root / "recipes/a").mkdir(parents=True)
    os.mkfifo(machine.root / "recipes/a/conanfile.py")  # its digest is part of the step's key

    done = machine.run("build", *(["--keep-going"] if keep_going else []))

    assert done.returncode == 1
    assert "recipes/a/conanfile.py" in done.stderr
    outcomes = {row["name"]: row["outcome"] for row in machine.why_json("--last").values()}
    assert outcomes == {HOST: "failed", SKEL: "built" if keep_going else "skipped"}
