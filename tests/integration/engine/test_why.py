"""The exact output of `buildtool why`: what a build would do and why, and what the last one did."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.files import file_digest
from tests.integration.engine.pair import FILES, HOST, SKEL, machine
from tests.project import Project

HOST_FINE, SKEL_FINE = f"{HOST}: up to date\n", f"{SKEL}: up to date\n"
LEVEL = "host/second/level.h"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that was built in its first state."""
    project = machine(tmp_path_factory.mktemp("why"))
    project.build()
    return project


@pytest.fixture
def here(built: Project) -> Project:
    """The project, reset to its first state; tests that use it must not build it."""
    built.lay_out(FILES)
    built.variables.clear()
    return built


@pytest.fixture
def own(tmp_path: Path) -> Project:
    """A new project whose target `alone`, of the host only, is built."""
    project = machine(tmp_path / "machine")
    project.build("alone")
    return project


def without_digests(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{8}\b", "…", text)


def let_through(project: Project) -> None:
    project.variables |= {"LET_THROUGH": "1", "NOT_LET_THROUGH": "1"}


NOW: list[tuple[str, Callable[[Project], object], str, str]] = [
    ("nothing", lambda m: (m.root / LEVEL).touch(), HOST_FINE, SKEL_FINE),
    (
        "a define",
        lambda m: m.edit(
            "buildtool.toml", '"host"', '"host"\ndefines = {LEVEL = 2, HERE = "here"}'
        ),
        f"{HOST}: rebuilt\n"
        "    cmake.defines.HERE: nothing → 'here'\n"
        "    cmake.defines.LEVEL: nothing → '2'\n",
        SKEL_FINE,
    ),
    (
        "a file",
        lambda m: m.edit(LEVEL, "LEVEL 1", "LEVEL 2"),
        f"{HOST}: rebuilt\n    {LEVEL} changed: … → …\n",
        SKEL_FINE,
    ),
    (
        "a file that is gone",
        lambda m: (m.root / LEVEL).unlink(),
        f"{HOST}: rebuilt\n    {LEVEL} is gone\n",
        SKEL_FINE,
    ),
    (
        "a glob",
        lambda m: (m.root / "host/parts/two.c").write_text(""),
        f"{HOST}: rebuilt\n"
        "    host/parts/two.c matches a glob now (GLOB LIST_DIRECTORIES host/parts/*.c)\n",
        SKEL_FINE,
    ),
    (
        "a header that shadows",
        lambda m: (m.root / "host/first/level.h").write_text("#define LEVEL 3\n"),
        f"{HOST}: rebuilt\n"
        "    host/first/level.h appeared: it hides another file, or is searched for\n",
        SKEL_FINE,
    ),
    (
        "an environment variable",
        let_through,
        f"{HOST}: rebuilt\n    environment.LET_THROUGH: nothing → '1'\n",
        f"{SKEL}: rebuilt\n    environment.LET_THROUGH: nothing → '1'\n",
    ),
]


@pytest.mark.parametrize(
    ("change", "host", "skel"), [row[1:] for row in NOW], ids=[row[0] for row in NOW]
)
def test_what_a_build_would_do_now(
    change: Callable[[Project], object], host: str, skel: str, here: Project
) -> None:
    change(here)

    assert without_digests(here.why()) == host + skel


def test_an_output_that_is_gone_is_restored(here: Project) -> None:
    (path,) = here.root.glob(".buildtool/out/app/*/bin/app")
    kept = path.rename(here.root.with_name("app"))

    assert here.why("alone") == (
        f"{HOST}: restored from the local cache\n    the output bin/app is missing\n"
    )

    kept.rename(path)
    assert here.why("alone") == HOST_FINE


def test_another_build_type_is_another_tree(here: Project) -> None:
    assert here.why("alone", "--build-type", "Debug") == (
        f"{HOST}: rebuilt\n    it was not built here before\n"
    )
    assert here.why("alone", "--build-type", "Release") == HOST_FINE
    done = here.run("why", "--build-type", "Fast")
    assert done.returncode == 2
    assert "'Fast' is not a build type" in done.stderr


def test_why_touches_nothing(here: Project) -> None:
    def state() -> dict[Path, int]:
        files = [path for path in here.root.rglob("*") if path.is_file()]
        # Every command updates these caches.
        noted = ("digests", "project.json")
        return {path: path.lstat().st_mtime_ns for path in files if path.name not in noted}

    before = state()
    assert here.why() == HOST_FINE + SKEL_FINE

    assert state() == before


def test_as_json(here: Project) -> None:
    old = file_digest(here.root / LEVEL)
    here.edit(LEVEL, "LEVEL 1", "LEVEL 2")
    new = file_digest(here.root / LEVEL)
    reason = {"kind": "input", "name": "{project}/" + LEVEL, "old": old, "new": new}

    assert here.why_json() == {
        HOST: {
            "name": HOST,
            "outcome": "built",
            "origin": None,
            "waits_for": None,
            "reasons": [reason],
            "nearest": [reason],
            "known": 1,
        },
        SKEL: {
            "name": SKEL,
            "outcome": "up-to-date",
            "origin": None,
            "waits_for": None,
            "reasons": [],
            "nearest": [],
            "known": 0,
        },
    }


def test_before_any_build(tmp_path: Path) -> None:
    project = machine(tmp_path)

    assert project.why("alone") == f"{HOST}: rebuilt\n    it was not built here before\n"
    done = project.run("why", "alone", "--last")

    assert done.returncode == 2
    assert "no build of 'alone' is recorded" in done.stderr
    assert "→ buildtool build alone" in done.stderr


def test_a_project_from_first_build_to_another_clone(own: Project) -> None:
    first = f"{HOST}: rebuilt\n    it was not built here before\n"
    assert own.why("alone", "--last") == first
    assert own.why("alone") == HOST_FINE

    # Switch to another branch, and back.
    own.edit(LEVEL, "LEVEL 1", "LEVEL 2")
    changed = f"{HOST}: rebuilt\n    {LEVEL} changed: … → …\n"
    assert without_digests(own.why("alone")) == changed
    own.build("alone")
    assert without_digests(own.why("alone", "--last")) == changed
    assert own.why_json("alone", "--last")[HOST]["reasons"][0]["name"] == "{project}/" + LEVEL
    own.lay_out(FILES)
    back = changed.replace("rebuilt", "restored from the local cache")
    assert without_digests(own.why("alone")) == back
    assert own.build("alone") == {HOST: "restored local"}
    assert without_digests(own.why("alone", "--last")) == back
    own.build("alone")
    assert own.why("alone", "--last") == HOST_FINE

    # Of two states, the more similar one is shown.
    own.edit("host/main.c", "LEVEL", "LEVEL + 1")
    own.edit(LEVEL, "LEVEL 1", "LEVEL 2")
    assert without_digests(own.why("alone")) == (
        f"{HOST}: rebuilt\n"
        "    host/main.c changed: … → …\n"
        f"    {LEVEL} changed: … → …\n"
        "    of 2 states of it in the cache the most similar one differs:\n"
        "      host/main.c changed: … → …\n"
    )

    # A clone elsewhere that shares the cache.
    there = Project(own.root.with_name("there"), own.cache)
    there.lay_out(FILES)
    assert there.why("alone") == (
        f"{HOST}: restored from the local cache\n    it was not built here before\n"
    )
    there.edit("host/main.c", "LEVEL", "LEVEL + 1")
    assert without_digests(there.why("alone")) == (
        f"{HOST}: rebuilt\n"
        "    it was not built here before\n"
        "    of 2 states of it in the cache the most similar one differs:\n"
        "      host/main.c changed: … → …\n"
    )

    # A build that fails.
    own.lay_out(FILES)
    own.edit("host/main.c", "LEVEL", "NO_LEVEL")
    assert own.run("build", "alone").returncode == 1

    assert without_digests(own.why("alone", "--last")) == (
        f"{HOST}: failed\n    host/main.c changed: … → …\n"
    )
    assert without_digests(own.why("alone")) == (
        f"{HOST}: rebuilt\n    host/main.c changed: … → …\n"
    )
