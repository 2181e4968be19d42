"""Trees of third parties, which know nothing of this tool: a copy of each for a test."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from buildtool.core.elf import Elf, read_elf
from tests.command_line import Buildtool
from tests.standins.fixtures import MakeSdk

TREES = Path(__file__).parents[2] / "third_parties"
Tree = Callable[..., "ThirdParty"]


@dataclass(frozen=True)
class ThirdParty:
    """A third party's tree with a project file of ours, and what building it made."""

    root: Path
    buildtool: Buildtool

    def build(self) -> dict[str, str]:
        """Build the target `sim`; step → outcome."""
        done = self.buildtool("build", "--json", cwd=self.root)
        assert done.returncode == 0, done.stderr
        assert "CMake Warning" not in done.stderr
        return {step["name"]: step["outcome"] for step in json.loads(done.stdout)["steps"]}

    @property
    def shipped(self) -> set[str]:
        """The files of the staged target, without the script that every target has."""
        files = {str(p.relative_to(self.stage)) for p in self.stage.rglob("*") if p.is_file()}
        return files - {"run.sh"}

    @property
    def stage(self) -> Path:
        return self.root / ".buildtool" / "stage" / "sim"

    def elf(self, name: str) -> Elf:
        return read_elf(self.stage / name)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text()
        assert old in text
        (self.root / name).write_text(text.replace(old, new, 1))


@pytest.fixture
def third_party(tmp_path: Path, buildtool: Buildtool) -> Tree:
    """`third_party(NAME, TEXT)`: a copy of the tree NAME with TEXT as its buildtool.toml."""

    def copy(name: str, project_file: str = "") -> ThirdParty:
        root = tmp_path / f"of a third party/{name}"
        shutil.copytree(TREES / name, root)
        if project_file:
            (root / "buildtool.toml").write_text(project_file)
        return ThirdParty(root, buildtool)

    return copy


@pytest.fixture
def sdk(stand_in_sdk: MakeSdk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in Hexagon SDK, which HEXAGON_SDK_ROOT names."""
    root = stand_in_sdk("6.4.0.2")
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(root))
    return root
