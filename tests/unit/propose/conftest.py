"""Trees of CMake files, written as texts."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from buildtool.project.propose.propose import propose
from buildtool.project.propose.text import text
from buildtool.project.propose.tree import read_tree
from buildtool.project.read import read_project

Propose = Callable[..., dict[str, Any]]


@pytest.fixture
def proposed(tmp_path: Path) -> Propose:
    """The tables proposed for files given as `PATH=TEXT`; `?` is what could not be told.

    What is proposed is read as a project file: it has to be one.
    """

    def make(files: dict[str, str]) -> dict[str, Any]:
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        proposal = propose(read_tree(tmp_path), "demo")
        written = text(proposal)
        if written:
            (tmp_path / "buildtool.toml").write_text(written)
            read_project(tmp_path / "buildtool.toml")
        return {**tomllib.loads(written), "?": [row.what for row in proposal.unknown]}

    return make
