"""Add the shared libraries of a build tree that the shipped files of the step need."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.core.elf.read import read_dynamic
from buildtool.drivers.cmake.checks.runpath import elf_files
from buildtool.drivers.cmake.file_api import CMakeTarget, read_build_tree
from buildtool.plan.plan import CMakeStep
from buildtool.toolchains.system_libraries import SHARED_STL, system_libraries

_SHARED_STL = "buildtool_shared_stl"
"""The CMake target of the shared C++ library: see cmake/shared_stl.cmake."""


def add_needed(step: CMakeStep, shipped: Sequence[Path], into: Path) -> None:
    """Copy the libraries that files below the directories `shipped` need, and that are missing
    there, into `into`, under the needed names; and the libraries that these need.

    Only libraries that a CMake target of the step's build tree makes: often install() rules or
    `artifacts` name only the program, and none names the shared C++ library.  Raises `ElfError` and
    `FileApiError`.
    """
    present = (path.name for folder in shipped for path in folder.rglob("*"))
    known = {*system_libraries(step.profile), *step.profile.runtime, *present}
    waiting = [path for folder in shipped for path in elf_files(step, folder)]
    targets: tuple[CMakeTarget, ...] | None = None
    while waiting:
        file = read_dynamic(waiting.pop())
        for name in file.needed:
            if name in known or "/" in name:
                continue
            known.add(name)
            if targets is None:
                targets = read_build_tree(step.tree).targets
            # Of several libraries with the name, prefer the one that the file was linked with.
            found = built(name, targets)
            for library in sorted(found, key=lambda p: str(p.parent) not in file.runpath)[:1]:
                copy = into / (name if step.arch else f"lib/{name}")
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.parent.chmod(0o755)  # whatever the umask is
                shutil.copy(library, copy)
                waiting.append(copy)


def built(name: str, targets: Iterable[CMakeTarget]) -> Iterator[Path]:
    """The paths with this `name` of libraries that `targets` make.

    The File API reports `libx.so`; its SONAME `libx.so.1` is a symlink to the same file.
    """
    for target in targets:
        artifacts = target.artifacts if target.kind == "SHARED_LIBRARY" else ()
        if target.name == _SHARED_STL:
            artifacts = (target.build / "buildtool_stl" / SHARED_STL,)
        for artifact in artifacts:
            path = artifact.with_name(name)
            if path.is_file() and path.resolve() == artifact.resolve():
                yield path
