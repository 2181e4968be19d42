"""Copies of third-party trees, which do not use this tool."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.elf.read import Elf, read_elf
from tests.project import Outcomes, Project
from tests.standins.fixtures import MakeSdk

TREES = Path(__file__).parents[2] / "third_parties"
Tree = Callable[..., "ThirdParty"]


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
