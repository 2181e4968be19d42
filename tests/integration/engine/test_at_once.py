"""Several builds at once: of one project, and of clones that share a cache."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from buildtool.core.events import Event, Note, StepFinished
from buildtool.flow.targets import open_release
from buildtool.project.read import find_project
from tests.integration.engine.app import App, new_app
from tests.integration.engine.processes import start, wait_until_it_builds


def at_once(*apps: App) -> list[str]:
    """Start a build of each at the same time; returns what they write to standard error."""
    started = [start(app.root, BUILDTOOL_CACHE=str(app.cache)) for app in apps]
    errors = [process.communicate(timeout=120)[1] for process in started]
    assert [process.returncode for process in started] == [0] * len(started), errors
    return errors


SLOW = """
[target.slow]
platform = "ubuntu-aarch64"
toolchain = "gcc"

[target.slow.defines]
WAIT = "{script}"
"""


@pytest.fixture
def go(tmp_path: Path) -> Path:
    """A file without which builds of the target `slow` do not end."""
    return tmp_path / "go"


@pytest.fixture
def app(tmp_path: Path, go: Path) -> App:
    app = new_app(tmp_path / "a project", tmp_path / "cache")
    script = tmp_path / "wait.sh"
    script.write_text(f"until test -e '{go}'; do sleep 0.02; done\n")
    app.edit(
        "app/CMakeLists.txt",
        "DEPENDS made.txt\n",
        "DEPENDS made.txt COMMAND sh ${WAIT} /dev/null\n",
    )
    with (app.root / "buildtool.toml").open("a") as file:
        file.write(SLOW.format(script=script))
    return app


def test_two_builds_of_one_project(app: App, go: Path) -> None:
    first = start(app.root, "slow", BUILDTOOL_CACHE=str(app.cache))
    wait_until_it_builds(first)
    second = start(app.root, "slow", BUILDTOOL_CACHE=str(app.cache))
    assert second.stderr
    line = second.stderr.readline()
    assert line.startswith(f"waiting for another buildtool in this project: process {first.pid}, ")
    assert line.endswith(" -m buildtool build slow\n")

    go.touch()

    (_, built), (_, waited) = first.communicate(timeout=120), second.communicate(timeout=120)
    assert (first.returncode, second.returncode) == (0, 0), built + waited
    assert "waiting" not in built
    assert "host/app up to date" in waited
    app.check_library("slow")


def test_a_finished_release_does_not_wait_for_a_build(
    app: App, go: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in app.environment.items():
        monkeypatch.setenv(name, value)
    project, notes, outcomes = find_project(app.root), list[str](), list[str]()

    def listen(event: Event) -> None:
        if isinstance(event, Note):
            notes.append(event.text)
            go.touch()
        elif isinstance(event, StepFinished):
            outcomes.append(event.outcome)

    def files() -> set[str]:
        """The files of the release, which stays while it is in use."""
        with contextlib.ExitStack() as stack:
            with open_release(project, "sim", listen, None, stack) as (_, release, _):
                pass
            return {path.name for path in release.directory.rglob("*")}

    app.build()
    slow = start(app.root, "slow", BUILDTOOL_CACHE=str(app.cache))
    wait_until_it_builds(slow)
    assert "libapp.so" in files()
    assert (outcomes, notes, go.exists()) == (["up-to-date"], [], False)

    app.edit_source()
    assert "libapp.so" in files()
    assert outcomes == ["up-to-date", "built"]
    assert len(notes) == 1
    app.check_library()
    slow.communicate(timeout=120)
    assert slow.returncode == 0


def test_builds_of_two_clones_that_share_a_cache(tmp_path: Path) -> None:
    one, two, three = (new_app(tmp_path / name, tmp_path / "cache") for name in "123")

    at_once(one, two)

    assert set(three.build_here().values()) == {"restored"}
    for app in (one, two, three):
        app.check_library()
        assert app.release_files() == one.release_files()
