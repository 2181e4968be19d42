"""Copies of third-party trees, which do not use this tool."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from buildtool.core.elf.read import Elf, read_elf
from buildtool.core.events import Event
from buildtool.project.read import read_project
from buildtool.propose.cmake_tree import read_tree
from buildtool.propose.proposal import toml_text
from buildtool.propose.propose import propose
from tests.integration.projects.large_tree import write
from tests.project import Outcomes, Project
from tests.standins.fixtures import MakeSdk

TREES = Path(__file__).parents[2] / "third_parties"
Tree = Callable[..., "ThirdParty"]
Propose = Callable[..., dict[str, Any]]


class ThirdParty(Project):
    """A third party's tree with a project file."""

    def builds(self) -> Outcomes:
        """Build successfully and without warnings of CMake; returns the outcomes."""
        outcomes = self.build_here()
        assert "CMake Warning" not in "".join(self.warnings)
        return outcomes

    @property
    def shipped(self) -> set[str]:
        """The files of the release of a target, without the script that every target has."""
        return set(self.release_files()) - {"run.sh"}

    def elf(self, name: str) -> Elf:
        """An ELF file of the release."""
        return read_elf(self.release() / name)


@pytest.fixture
def third_party(tmp_path: Path) -> Tree:
    """`third_party(NAME, TEXT)`: a copy of the tree NAME with TEXT as its buildtool.toml."""

    def copy(name: str, project_file: str = "") -> ThirdParty:
        root = tmp_path / f"of a third party/{name}"
        shutil.copytree(TREES / name, root)
        if project_file:
            (root / "buildtool.toml").write_text(project_file)
        return ThirdParty(root)

    return copy


@pytest.fixture
def sdk(stand_in_sdk: MakeSdk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in Hexagon SDK, which HEXAGON_SDK_ROOT names."""
    root = stand_in_sdk("6.4.0.2")
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(root))
    return root


@pytest.fixture
def proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Propose:
    """A function that returns the proposed tables for files (path → text).

    `text` is the project file that is written, `?` are the open questions, `events` what is shown
    meanwhile.  It checks that nothing
    else is written, and that the scratch directory is deleted.
    """
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    root = tmp_path / "the tree"
    root.mkdir()
    write(root, "m.c", "int main(void) { return 0; }\n")

    def make(files: dict[str, str]) -> dict[str, Any]:
        for name, content in files.items():
            write(root, name, content)
        before = sorted(root.rglob("*"))
        events: list[Event] = []
        proposal = propose(read_tree(root), "demo", events.append)
        assert sorted(root.rglob("*")) == before
        assert list(scratch.iterdir()) == []
        written = toml_text(proposal)
        write(root, "buildtool.toml", written)
        read_project(root / "buildtool.toml")
        rows = [*(table.off for table in proposal.tables if table.off), *proposal.unknown]
        text = " ".join(written.replace("\n# ", " ").split())
        told = {"text": text, "?": [row.what for row in rows], "events": events}
        return {**tomllib.loads(written), **told}

    return make
