"""RUNPATHs: a device has neither the build tree nor any other directory of the build machine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.elf import is_elf, read_dynamic
from buildtool.plan.plan import CMakeStep

ORIGINS = ("$ORIGIN", "${ORIGIN}")
"""What a loader replaces by the directory of the file itself (ld.so(8))."""


def directory_in_release(entry: str, folder: str) -> str | None:
    """The directory that `entry` of the RUNPATH of a file in `folder` names, both relative to the
    release ("." is its top); None when it is not in the release."""
    origin, _, rest = entry.partition("/")
    if origin not in ORIGINS:
        return None
    path = posixpath.normpath(posixpath.join(folder, rest.lstrip("/")))
    return None if path.split("/")[0] == ".." else path


def runpath_script(step: CMakeStep, installed: Path, copied: Path) -> str:
    """A CMake script that takes directories of the build machine out of RUNPATHs, "" when there
    are none.

    From the files below `copied`, which come from the build tree as they are, it takes all that
    are not in the release; from those below `installed`, whose RUNPATHs CMake has set for the
    device, those in the project and in the step's own directories.  Raises `ElfError`.
    """
    own = (step.root, step.tree, step.output)
    lines = []
    for folder in (installed, copied):
        for file in elf_files(step, folder):
            entries = read_dynamic(file).runpath
            place = posixpath.dirname(file.relative_to(folder).as_posix()) or "lib"
            kept = [
                entry
                for entry in entries
                if directory_in_release(entry, place)
                or (folder == installed and not any(Path(entry).is_relative_to(p) for p in own))
            ]
            if kept != list(entries):
                lines.append(_command(file, ":".join(entries), ":".join(kept)))
    return "".join(lines)


def elf_files(step: CMakeStep, folder: Path) -> Iterator[Path]:
    """The files below `folder` that loaders read, without links; of a skel's only its libraries."""
    for file in sorted(folder.rglob("*.so*" if step.arch else "*")):
        if not file.is_symlink() and file.is_file() and is_elf(file):
            yield file


def _command(file: Path, old: str, new: str) -> str:
    """What CMake's own install scripts do."""
    if not new:
        return f"file(RPATH_REMOVE FILE {_quoted(str(file))})\n"
    values = f"OLD_RPATH {_quoted(old)} NEW_RPATH {_quoted(new)}"
    return f"file(RPATH_CHANGE FILE {_quoted(str(file))} {values})\n"


def _quoted(text: str) -> str:
    """`text` as a bracket argument of CMake, in which nothing has a meaning but its end."""
    level = "="
    while f"]{level}]" in text + "]":
        level += "="
    return f"[{level}[{text}]{level}]"
