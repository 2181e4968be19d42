"""The command line as a user runs it, in its own process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
Buildtool = Callable[..., subprocess.CompletedProcess[str]]
Edit = Callable[[Path, str, str], None]


def run_buildtool(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Run `PREFIX... buildtool ARGUMENTS...` in `cwd`, with `environment` added to the test's."""
    return subprocess.run(
        [*prefix, sys.executable, "-P", "-m", "buildtool", *arguments],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "80", **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.fixture(scope="session")
def buildtool() -> Buildtool:
    """The function that runs `buildtool ARGUMENTS...` in `cwd`."""
    return run_buildtool


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, buildtool: Buildtool) -> Path:
    """A new project from the template, which tests copy and do not change."""
    root = tmp_path_factory.mktemp("template") / "my project"
    root.mkdir()
    done = buildtool("init", "--template", "hvx", "--name", "demo", cwd=root)
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture
def project(tmp_path: Path, template: Path) -> Path:
    """A copy of a new project from the template, in a directory with a space in its name."""
    return Path(shutil.copytree(template, tmp_path / "my project"))


@pytest.fixture
def edit() -> Edit:
    """The function that replaces a text once in a file, which must contain it."""

    def edit_(file: Path, old: str, new: str) -> None:
        text = file.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {file}"
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit_


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy of this repository's own project."""
    root = tmp_path / "sample"
    root.mkdir()
    shutil.copy(REPOSITORY / "buildtool.toml", root)
    for side in ("dsp", "host"):
        shutil.copytree(REPOSITORY / side, root / side)
    return root
