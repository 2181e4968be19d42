"""Shared libraries that what a step ships needs, and that its own build tree makes."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.core.elf import read_dynamic
from buildtool.drivers.cmake.file_api import CMakeTarget, read_build_tree
from buildtool.drivers.cmake.runpath import elf_files
from buildtool.plan.plan import CMakeStep
from buildtool.toolchains.system_libraries import system_libraries


def add_needed(step: CMakeStep, shipped: Sequence[Path], into: Path) -> None:
    """Copy the libraries that files below the directories `shipped` need, and no one puts there,
    into `into`, each by the name that is needed; also those that these need.

    Only libraries that a CMake target of the step's build tree makes: install() rules and
    `artifacts` that name a program alone are common.  Raises `ElfError` and `FileApiError`.
    """
    there = (path.name for folder in shipped for path in folder.rglob("*"))
    known = {*system_libraries(step.profile), *step.profile.runtime, *there}
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
            # Of several libraries of one name the one that the file was linked with.
            made = sorted(_made(name, targets), key=lambda p: str(p.parent) not in file.runpath)
            for library in made[:1]:
                copy = into / (name if step.arch else f"lib/{name}")
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(library, copy)
                waiting.append(copy)


def _made(name: str, targets: Iterable[CMakeTarget]) -> Iterator[Path]:
    """The library that one of `targets` makes, by `name`.

    CMake tells of `libx.so`; `libx.so.1`, its SONAME, is a link beside it to the same file.
    """
    for target in targets:
        for artifact in target.artifacts if target.kind == "SHARED_LIBRARY" else ():
            path = artifact.with_name(name)
            if path.is_file() and path.resolve() == artifact.resolve():
                yield path
