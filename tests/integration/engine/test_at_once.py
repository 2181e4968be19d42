"""Several builds at once: of one project, and of clones that share a cache."""

from __future__ import annotations

from pathlib import Path

from tests.integration.engine.app import App, new_app
from tests.integration.engine.processes import start, wait_until_it_builds


def at_once(*apps: App) -> list[str]:
    """Start a build of each at the same time; returns what they write to standard error."""
    started = [start(app.root, BUILDTOOL_CACHE=str(app.cache)) for app in apps]
    errors = [process.communicate(timeout=120)[1] for process in started]
    assert [process.returncode for process in started] == [0] * len(started), errors
    return errors


def test_two_builds_of_one_project(tmp_path: Path) -> None:
    app = new_app(tmp_path / "a project", tmp_path / "cache")
    go, script = tmp_path / "go", tmp_path / "wait.sh"
    script.write_text(f"until test -e '{go}'; do sleep 0.02; done\n")
    app.edit(
        "app/CMakeLists.txt", "DEPENDS made.txt\n", f"DEPENDS made.txt\n COMMAND sh {script}\n"
    )
    first = start(app.root, BUILDTOOL_CACHE=str(app.cache))
    wait_until_it_builds(first)
    second = start(app.root, BUILDTOOL_CACHE=str(app.cache))
    assert second.stderr
    assert second.stderr.readline() == "waiting for another buildtool in this project\n"

    go.touch()

    (_, built), (_, waited) = first.communicate(timeout=120), second.communicate(timeout=120)
    assert (first.returncode, second.returncode) == (0, 0), built + waited
    assert "waiting" not in built
    assert "host/app up to date" in waited
    app.check_library()


def test_builds_of_two_clones_that_share_a_cache(tmp_path: Path) -> None:
    one, two, three = (new_app(tmp_path / name, tmp_path / "cache") for name in "123")

    at_once(one, two)

    assert set(three.build_here().values()) == {"restored"}
    for app in (one, two, three):
        app.check_library()
        assert app.release_files() == one.release_files()
