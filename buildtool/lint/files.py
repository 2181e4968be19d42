"""Which files of a project `buildtool lint` reads."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.files import read_regular
from buildtool.core.processes.process import ToolError, git
from buildtool.lint.subject import SCRIPT_SUFFIXES, SUFFIXES
from buildtool.project.model import Project

MAX_FILES = 20_000
_BUILD_TREE = "CMakeCache.txt"
_FIRST_LINE = re.compile(rb"#![ \t]*\S*/(?:env[ \t]+(?:-S[ \t]+)?)?(?:ba|da|k|mk|z|a)?sh\b")
"""The first line of scripts without a suffix."""


def project_files(project: Project) -> dict[str, Path]:
    """The sources below the components, their IDL files, and all scripts, by their paths in the
    project; without what git ignores, build trees and other repositories."""
    sources = [project.root / each.source for each in project.hosts.values() if each.source]
    sources += [project.root / each.source for each in project.skels.values() if each.source]
    interfaces = [project.root / each.idl for each in project.skels.values() if each.idl]
    sources, interfaces = (
        [path for path in paths if path.is_relative_to(project.root)]  # the loader's are elsewhere
        for paths in (sources, interfaces)
    )
    found = [each for folder in dict.fromkeys(sources) for each in _files_in(folder, SUFFIXES)]
    found += [each for each in interfaces if each.is_file()]
    found += _files_in(project.root, SCRIPT_SUFFIXES)
    return _by_path(found, project.root)


def named_files(paths: Iterable[Path], root: Path) -> dict[str, Path]:
    """The files that `paths` name, and those below directories; raises `UsageError`."""
    found = list[Path]()
    for path in paths:
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - without resolving links
        if absolute.is_dir():
            found += _files_in(absolute, SUFFIXES)
        elif not absolute.exists():
            raise UsageError(f"{path} does not exist", remedy="Name a file or a directory.")
        elif absolute.suffix not in SUFFIXES and not _begins_as_script(absolute):
            raise UsageError(
                f"{path} is no kind of file that is checked",
                why=f"these are: {' '.join(sorted(SUFFIXES))}, and scripts with #!/bin/sh",
                remedy="Name a source, an interface or a script.",
            )
        else:
            found.append(absolute)
    return _by_path(found, root)


def _by_path(files: Iterable[Path], root: Path) -> dict[str, Path]:
    """Files by their paths relative to `root`, absolute if they are elsewhere, in order."""
    found = {
        (str(file.relative_to(root)) if file.is_relative_to(root) else str(file)): file
        for file in files
    }
    if len(found) > MAX_FILES:
        raise UsageError(
            f"{len(found):,} files are too many",
            why=f"at most {MAX_FILES:,} are checked at once",
            remedy="Name the directories with your own sources: buildtool lint PATH...",
        )
    return dict(sorted(found.items()))


def _files_in(folder: Path, suffixes: frozenset[str]) -> list[Path]:
    """The files below `folder` with these suffixes, and scripts without one, that git does not
    ignore; all without git."""
    names = _listed_by_git(folder)
    files = _walk(folder) if names is None else (folder / name for name in names if name)
    return [
        file
        for file in files
        if (file.suffix in suffixes and file.is_file())
        or (not file.suffix and _begins_as_script(file))
    ]


def _begins_as_script(file: Path) -> bool:
    """Whether the first line says that a shell executes the file."""
    try:
        return file.is_file() and _FIRST_LINE.match(read_regular(file, 64)) is not None
    except OSError:
        return False


def _listed_by_git(folder: Path) -> list[str] | None:
    """What git has or would add below a directory; None outside of a repository."""
    try:
        return git(folder, "ls-files", "-z", "-co", "--exclude-standard").split("\0")
    except ToolError:
        return None


def _walk(folder: Path) -> Iterator[Path]:
    """All files, without hidden directories, build trees and links to directories."""
    for place, folders, names in os.walk(folder):
        if _BUILD_TREE in names and Path(place) != folder:
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place, name) for name in names)
