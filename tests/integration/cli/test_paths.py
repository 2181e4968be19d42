"""Paths that a tool would misread are refused before any tool is started."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit
from tests.path_names import CONTROL, REFUSED

HARMFUL = "back`touch started`tick"


@pytest.fixture
def watched(project: Path, tmp_path: Path) -> Path:
    """The template project; its CMake, Ninja and zig create the file `started` when they run."""
    for name in ("cmake", "ninja", "zig"):
        program = tmp_path / "tools" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\nexit 1\n")
        program.chmod(0o755)
        with (project / "buildtool.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[tool.{name}]\npath = "{program}"\n')
    return project


def started(tmp_path: Path) -> bool:
    """Whether a tool was run, or a command that is part of a name."""
    return any("started" in names for _, _, names in os.walk(tmp_path))


@pytest.mark.parametrize("character", [*REFUSED, *CONTROL, "\udcff"], ids=ascii)
def test_a_project_s_path(
    character: str, watched: Path, buildtool: Buildtool, tmp_path: Path
) -> None:
    root = watched.rename(tmp_path / f"a{character}touch started{character}b")

    done = buildtool("build", cwd=root)

    assert done.returncode == 2, done.stderr
    assert "error: the path of the project has " in done.stderr
    assert "→ Move the project to a path without" in done.stderr
    assert all(sign == "\n" or sign.isprintable() for sign in done.stderr)
    assert not started(tmp_path)
    assert not (root / ".buildtool").exists()


def test_paths_that_are_accepted_start_the_tools(
    watched: Path, buildtool: Buildtool, tmp_path: Path
) -> None:
    assert buildtool("build", cwd=watched).returncode != 0
    assert started(tmp_path)


def test_a_new_project_s_path(buildtool: Buildtool, tmp_path: Path) -> None:
    (tmp_path / HARMFUL).mkdir()

    done = buildtool("init", "--template", "hvx", "--name", "demo", cwd=tmp_path / HARMFUL)

    assert done.returncode == 2
    assert "the path of the project has '`' in it" in done.stderr
    assert not list((tmp_path / HARMFUL).iterdir())


def test_a_component_s_path(
    watched: Path, buildtool: Buildtool, edit: Edit, tmp_path: Path
) -> None:
    (watched / "host").rename(watched / HARMFUL)
    edit(watched / "buildtool.toml", '"host"', f'"{HARMFUL}"')

    done = buildtool("build", cwd=watched)

    assert done.returncode == 2
    assert "host.demo.source: the path contains '`': shells run what stands" in done.stderr
    assert not started(tmp_path)


def test_a_build_directory_s_path(watched: Path, buildtool: Buildtool, tmp_path: Path) -> None:
    (tmp_path / HARMFUL).mkdir()
    (watched / ".buildtool").symlink_to(tmp_path / HARMFUL)

    done = buildtool("build", cwd=watched)

    assert done.returncode == 2
    assert f"the path leads to {tmp_path}/{HARMFUL}" in done.stderr
    assert not started(tmp_path)


@pytest.mark.parametrize(
    ("variable", "what"),
    [("BUILDTOOL_CACHE", "the cache"), ("TMPDIR", "temporary files")],
)
def test_a_variable_s_path(
    *,
    variable: str,
    what: str,
    project: Path,
    buildtool: Buildtool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / HARMFUL).mkdir()
    monkeypatch.setenv(variable, str(tmp_path / HARMFUL))

    done = buildtool("run", "sim", cwd=project)

    assert done.returncode == 125
    assert f"error: the path of {what} has '`' in it" in done.stderr
    assert f"→ Set {variable} to a directory without it" in done.stderr
    assert not started(tmp_path)
    assert not list(project.glob(".buildtool/build/*/*/build.ninja"))


@pytest.mark.parametrize(
    "tool",
    [
        "cmake",
        pytest.param("ninja", marks=pytest.mark.long),
        "zig",
        pytest.param("qemu", marks=pytest.mark.long),
    ],
)
def test_a_tool_s_path(
    tool: str, watched: Path, buildtool: Buildtool, edit: Edit, tmp_path: Path
) -> None:
    tools = (tmp_path / "tools").rename(tmp_path / HARMFUL)
    text = (watched / "buildtool.toml").read_text().split("\n[tool.")[0]
    (watched / "buildtool.toml").write_text(f'{text}\n[tool.{tool}]\npath = "{tools / tool}"\n')

    done = buildtool("run", "sim", cwd=watched)

    assert done.returncode == 125
    assert "'`' in it: " in done.stderr
    assert "→ Set 'path' in buildtool.toml to a path without it." in done.stderr
    assert not started(tmp_path)


def test_path_of_a_compiler_launcher(watched: Path, buildtool: Buildtool, tmp_path: Path) -> None:
    launcher = (tmp_path / "tools").rename(tmp_path / HARMFUL) / "ninja"
    text = (watched / "buildtool.toml").read_text().split("\n[tool.")[0]
    (watched / "buildtool.toml").write_text(text)

    done = buildtool("build", "--launcher", str(launcher), cwd=watched)

    assert done.returncode == 2
    assert "the path of the compiler launcher ninja has '`' in it" in done.stderr
    assert not started(tmp_path)


def test_as_json_the_path_is_exact(project: Path, buildtool: Buildtool, tmp_path: Path) -> None:
    root = project.rename(tmp_path / "a\x1b[2J\u202eb")

    done = buildtool("build", "--json", cwd=root)

    assert str(root) in json.loads(done.stdout)["error"]["message"]
    assert "a\\x1b[2J\\u202eb" in done.stderr
