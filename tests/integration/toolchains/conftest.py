"""Plain CMake with a toolchain file and an empty PATH, as any project may run it."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.profile import Profile

NO_PROGRAMS = "/nonexistent"


@dataclass(frozen=True)
class PlainCMake:
    """A scratch CMake project and its build trees."""

    root: Path

    def write(self, **files: str) -> None:
        """Write files; `_` in a name stands for the dot before its extension."""
        for name, text in files.items():
            stem, _, ending = name.rpartition("_")
            (self.root / f"{stem}.{ending}").write_text(text)

    def build(self, profile: Profile, *arguments: str, path: str = NO_PROGRAMS) -> tuple[Path, str]:
        """Configure and build with that PATH; returns the tree and the whole output."""
        cmake = find_cmake()
        tree = self.root / f"build-{profile.name}"
        toolchain = self.root / f"{profile.name}.cmake"
        toolchain.write_text(profile.cmake_toolchain())
        configure: list[str | Path] = [cmake.program, "-G", "Ninja", "-S", self.root, "-B", tree]
        configure += [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DCMAKE_MAKE_PROGRAM={cmake.ninja}"]
        output = self.tool([*configure, "-DCMAKE_BUILD_TYPE=Release", *arguments], path)
        return tree, output + self.tool([cmake.ninja, "-C", tree, "-v"], path)

    def tool(self, command: list[str | Path], path: str) -> str:
        kept = ("HOME", "ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        done = subprocess.run(
            command,
            env={**environment, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture
def plain_cmake(tmp_path: Path) -> PlainCMake:
    root = tmp_path / "a project"
    root.mkdir()
    return PlainCMake(root)
