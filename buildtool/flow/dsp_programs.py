"""`buildtool run --dsp-program`: programs for the DSP that others have built."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.files import replace_link, value_digest
from buildtool.core.trees import make_directory, remove_tree, replace_directory
from buildtool.project.model import BUILT_IN_TARGET, PLATFORMS, Project, Target
from buildtool.project.read import FILE_NAME, read_project

if TYPE_CHECKING:
    from buildtool.core.elf.read import Elf

FILES = "files"
"""The directory of the program and its libraries in the project that is made of them."""


def project_of_program(program: Path, own: Project | None) -> tuple[Project, str]:
    """A project in the user's cache whose only component is `program`, with the libraries beside it
    that it needs, and the name by which it runs.

    Devices, tools and the ARM64 sides of targets are those of the project `own`.  Raises
    `UsageError` for a file that is no such program, and `OSError`.
    """
    from buildtool.core.cache import cache_dir
    from buildtool.device.configuration import FILE_NAME as DEVICES

    path = program.absolute()
    elf = _read(path)
    directory = cache_dir() / "dsp-program" / value_digest([str(path), str(own and own.root)])[:16]
    fresh = directory / f"{FILES}.new"
    make_directory(directory)
    remove_tree(fresh, ignore_errors=True)
    fresh.mkdir()
    for file in (path, *_libraries(path, elf)):
        shutil.copy(file, fresh / file.name)
    replace_directory(fresh, directory / FILES)
    (directory / FILE_NAME).write_text(
        f'[project]\nname = "dsp-program"\n\n[dsp.program]\nfiles = ["{FILES}/*"]\n',
        encoding="utf-8",
    )
    project = read_project(directory / FILE_NAME)
    platforms = {name: Target(platform=name) for name in PLATFORMS}
    targets = own.targets if own else {**platforms, BUILT_IN_TARGET: Target(PLATFORMS[0])}
    project = project._replace(
        targets={
            name: target._replace(archs=(elf.hexagon_arch,), requires=(), defines={})
            for name, target in targets.items()
        },
        tools=own.tools if own else {},
    )
    if own:
        if (own.root / DEVICES).is_file():
            replace_link(directory / DEVICES, own.root / DEVICES)
        header = project.header._replace(default_target=own.header.default_target)
        project = project._replace(header=header)
    return project, f"dsp/{path.name}"


def _read(path: Path) -> Elf:
    """Raises `UsageError` unless the file is a program for a DSP."""
    from buildtool.contract.subject import is_program
    from buildtool.core.elf.file import EM_HEXAGON
    from buildtool.core.elf.read import is_elf, read_elf
    from buildtool.project.keys import HEXAGON_ARCHS

    what = ""
    if not path.is_file():
        what = "there is no such file"
    elif not is_elf(path):
        what = "it is not an ELF file"
    else:
        elf = read_elf(path)
        if elf.machine != EM_HEXAGON or elf.hexagon_arch not in HEXAGON_ARCHS:
            what = f"it is not for a Hexagon DSP of {HEXAGON_ARCHS[0]} or newer"
        elif elf.kind != "DYN" or path.suffix != ".so":
            what = "it is not a shared library, NAME.so"
        elif not is_program(elf):
            what = "it exports no main"
        else:
            return elf
    raise UsageError(
        f"--dsp-program: {path} is no program for the DSP",
        why=what,
        remedy="Link the objects for the DSP as a shared library that exports main: -shared -fPIC.",
    )


def _libraries(program: Path, elf: Elf) -> Iterator[Path]:
    """The libraries in the directory of `program` that it needs."""
    from buildtool.core.elf.read import is_elf, read_dynamic

    waiting, seen = [*elf.needed], {program.name}
    while waiting:
        name = waiting.pop()
        library = program.parent / name
        if name in seen or "/" in name or not (library.is_file() and is_elf(library)):
            continue
        seen.add(name)
        yield library
        waiting += read_dynamic(library).needed
