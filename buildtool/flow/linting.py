"""`buildtool lint`: the mistakes in the sources of a project."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.idl.model import Unit
    from buildtool.lint.check import LintResult


def lint_project(project: Project, paths: Sequence[Path], against: str) -> LintResult:
    """Check a project; with `paths`, report only what is in these files and directories.

    `against` is the last release, for its interfaces: an IDL file, a directory or a revision of
    git; "" is the newest tag, for interfaces with an IDL_VERSION.
    """
    from buildtool.lint.check import lint
    from buildtool.lint.subject import named_files, project_files, read_subject

    named = named_files(paths, project.root)
    files = {**project_files(project), **named}
    idl = {path: file for path, file in files.items() if file.suffix == ".idl"}
    result = lint(read_subject(files, _released(project, idl, against)))
    if not paths:
        return result
    return result._replace(
        findings=tuple(each for each in result.findings if each.place.path in named),
        files=len(named),
        skipped={path: why for path, why in result.skipped.items() if path in named},
    )


def lint_files(paths: Sequence[Path]) -> LintResult:
    """Check files that belong to no project."""
    from buildtool.lint.check import lint
    from buildtool.lint.subject import named_files, read_subject

    return lint(read_subject(named_files(paths, Path.cwd())))


def _released(project: Project, idl: dict[str, Path], against: str) -> dict[str, Unit]:
    """The interfaces of the last release, by the paths of those of today."""
    from buildtool.core.processes.process import ToolError, git
    from buildtool.measure.revisions import commit_of

    if against and Path(against).is_dir():
        return _loaded({path: Path(against, path) for path in idl}, required=True)
    if against and Path(against).is_file():
        same = {
            path: Path(against) for path, file in idl.items() if file.name == Path(against).name
        }
        if not same:
            raise UsageError(
                f"--against {against}: the project has no interface of this name",
                why=f"it has: {', '.join(idl) or 'none'}",
                remedy="Name a file with the same name, a directory, or a revision of git.",
            )
        return _loaded(same, required=True)
    if not idl:
        return {}
    try:
        revision = against or git(project.root, "describe", "--tags", "--abbrev=0")
    except ToolError:
        return {}  # there is no tag, or no git
    commit = commit_of(project.root, revision)
    with tempfile.TemporaryDirectory(prefix="buildtool-") as folder:
        _extract_interfaces(project.root, commit, Path(folder))
        units = _loaded({path: Path(folder, path) for path in idl}, required=False)
    return {path: unit for path, unit in units.items() if against or unit.idl_version}


def _extract_interfaces(root: Path, commit: str, folder: Path) -> None:
    """Write the IDL files of a commit below `folder`, with their paths in the project."""
    from buildtool.core.processes.process import git

    names = git(root, "ls-tree", "-r", "-z", "--name-only", commit, ".").split("\0")
    for name in names:
        target = Path(folder, name)
        if name.endswith(".idl") and target.resolve().is_relative_to(folder.resolve()):
            text = git(root, "show", f"{commit}:./{name}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", errors="surrogateescape")


def _loaded(files: dict[str, Path], *, required: bool) -> dict[str, Unit]:
    """The interfaces in `files`; those that do not exist, or unless `required` are not valid, are
    left out.  Raises `IdlError`."""
    from buildtool.idl.errors import IdlError
    from buildtool.idl.parse import load

    found: dict[str, Unit] = {}
    for path, file in files.items():
        if file.is_file():
            try:
                found[path] = load(file)
            except IdlError:
                if required:
                    raise
    return found
