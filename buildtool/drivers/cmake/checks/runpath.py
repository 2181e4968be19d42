"""Remove directories of the build machine from RUNPATHs: a device does not have them.

Add the shared libraries of a build tree that the shipped files of the step need.
"""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.contract.subject import directory_in_release
from buildtool.core.elf.read import is_elf, read_dynamic
from buildtool.drivers.cmake.file_api import CMakeTarget, read_build_tree
from buildtool.drivers.cmake.tree_files import STL_FOLDER
from buildtool.plan.plan import CMakeStep
from buildtool.toolchains.system_libraries import SHARED_STL, system_libraries


def runpath_script(step: CMakeStep, installed: Path, copied: Path) -> str:
    """A CMake script that removes directories of the build machine from RUNPATHs; "" if there are
    none.

    From the files below `copied`, which are as in the build tree, it removes all directories that
    are not in the release; from those below `installed`, whose RUNPATHs CMake has set for the
    device, those in the project and in the step's directories.  Raises `ElfError`.
    """
    own = (step.root, step.tree, step.output)
    lines = []
    for folder in (installed, copied):
        for file in elf_files(step, folder):
            entries = read_dynamic(file).runpath
            directory = posixpath.dirname(file.relative_to(folder).as_posix()) or "lib"
            kept = [
                entry
                for entry in entries
                if directory_in_release(entry, directory)
                or (folder == installed and not any(Path(entry).is_relative_to(p) for p in own))
            ]
            if kept != list(entries):
                lines.append(_command(file, ":".join(entries), ":".join(kept)))
    return "".join(lines)


def elf_files(step: CMakeStep, folder: Path) -> Iterator[Path]:
    """The ELF files below `folder`, without symlinks; for a skel step only shared libraries."""
    for file in sorted(folder.rglob("*.so*" if step.arch else "*")):
        if not file.is_symlink() and file.is_file() and is_elf(file):
            yield file


def _command(file: Path, old: str, new: str) -> str:
    """The command that CMake's install scripts use."""
    if not new:
        return f"file(RPATH_REMOVE FILE {_quoted(str(file))})\n"
    values = f"OLD_RPATH {_quoted(old)} NEW_RPATH {_quoted(new)}"
    return f"file(RPATH_CHANGE FILE {_quoted(str(file))} {values})\n"


def _quoted(text: str) -> str:
    """`text` as a bracket argument of CMake, in which no character is special."""
    level = "="
    while f"]{level}]" in text + "]":
        level += "="
    return f"[{level}[{text}]{level}]"


_SHARED_STL = "buildtool_cxx_library"
"""The CMake target of the C++ library: see cmake/compile_stl.cmake."""


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
            artifacts = (target.build / STL_FOLDER / SHARED_STL,)
        for artifact in artifacts:
            path = artifact.with_name(name)
            if path.is_file() and path.resolve() == artifact.resolve():
                yield path
