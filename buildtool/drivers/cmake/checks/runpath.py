"""Remove directories of the build machine from RUNPATHs: a device does not have them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from buildtool.contract.libraries import directory_in_release
from buildtool.core.elf.read import is_elf, read_dynamic
from buildtool.plan.plan import CMakeStep


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
