"""Fill the output directory of a step: what its install() rules install, and its `artifacts`.

The rules are those of the configured build tree, which names its source directories too.  Source:
cmake-file-api(7), codemodel v2, "directory" object: `installers`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from buildtool.core.files import write_if_changed
from buildtool.core.trees import make_directory, replace_directory
from buildtool.core.value import Value
from buildtool.drivers.cmake.arguments import trace_arguments
from buildtool.drivers.cmake.file_api import Reply, read_reply
from buildtool.drivers.cmake.products import (
    ArtifactError,
    add_artifacts,
    check_installed,
    copy_artifacts,
    normalize_modes,
    preserve_mtimes,
)
from buildtool.drivers.cmake.shipped_files import add_needed, runpath_script
from buildtool.drivers.cmake.step_tools import StepTools
from buildtool.drivers.cmake.tree_files import INSTALL_TRACE, delete

_RUNPATH_SCRIPT = "runpaths.cmake"


def fill_output(tools: StepTools) -> None:
    """Replace the output directory of the step by what its build tree ships.

    Raises `ToolError` when an install script fails, and `ArtifactError`.
    """
    step = tools.step
    # Two directories: CMake must not overwrite artifacts, and RUNPATHs differ in them.
    installed, copied = step.tree / "install.new", step.tree / "artifacts.new"
    for folder in (installed, copied):
        delete(folder)
        folder.mkdir()
    copy_artifacts(step, copied)  # before other files of the tree have names that match
    if step.install:
        _install(tools, installed)
    add_needed(step, (installed, copied), copied)
    for folder in (installed, copied):  # CMake must be able to write to read-only files
        normalize_modes(step, folder)
    if script := runpath_script(step, installed, copied):
        path = step.tree / _RUNPATH_SCRIPT
        write_if_changed(path, script)
        cmake = step.cmake.program
        tools.run_checked([cmake, "-P", path], "removing the build tree from RUNPATHs of")
    add_artifacts(step, copied, installed)
    delete(copied)
    check_installed(step, installed)
    normalize_modes(step, installed)
    preserve_mtimes(installed, step.output)
    make_directory(step.output.parent)
    replace_directory(installed, step.output)


def _install(tools: StepTools, installed: Path) -> None:
    """Run the install script, which fills the empty directory `installed`.

    Not `cmake --install`: only the script can reject absolute destinations before it writes to
    them.  A rule may name the prefix itself, with CMAKE_INSTALL_FULL_LIBDIR for example: then the
    script runs again with a DESTDIR.
    """
    step, cmake = tools.step, tools.step.cmake.program
    command: list[str | Path] = [cmake, *trace_arguments(step.tree / INSTALL_TRACE)]
    script = ("-P", step.tree / "cmake_install.cmake")
    strict = "-DCMAKE_ERROR_ON_ABSOLUTE_INSTALL_DESTINATION=ON"
    tools.on_output("installing")
    done = tools.run([*command, f"-DCMAKE_INSTALL_PREFIX={installed}", strict, *script])
    if done.status == 0:
        return
    from buildtool.drivers.cmake.failure_hints import ABSOLUTE, RELATIVE  # noqa: PLC0415

    # CMake breaks lines at spaces.
    said, prefix = ("".join(text.split()) for text in (done.output, f"{step.output}/"))
    if ABSOLUTE not in done.output or prefix not in said:
        tools.check(done, "installing")
        return
    root = step.tree / "destdir.new"
    delete(root)
    environment = (cmake, "-E", "env", f"DESTDIR={root}")
    tools.run_checked(
        [*environment, *command, f"-DCMAKE_INSTALL_PREFIX={step.output}", *script], "installing"
    )
    made = root / step.output.relative_to("/")
    if made.is_dir():  # not if every rule is OPTIONAL
        delete(installed)
        made.rename(installed)
    for path in root.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            raise ArtifactError(
                f"{step.name} installs /{path.relative_to(root)}",
                why="that is outside the release",
                remedy=RELATIVE,
            )
    delete(root)


class InstallRule(Value):
    """An install() rule that runs by default, that is without EXCLUDE_FROM_ALL.

    `kind` is the type in the File API: `target`, `file`, `directory`, `export`, `script`, `code`
    and others.  `destination` is relative to the prefix, unless the rule names an absolute path.
    `files` are absolute source paths, each with its path below the destination.  `target` is ""
    unless the rule installs a target.
    """

    kind: str
    destination: str
    files: tuple[tuple[Path, str], ...]
    target: str
    optional: bool


class Installation(Value):
    """The rules of a tree in their order, and the directories of its CMakeLists.txt files."""

    rules: tuple[InstallRule, ...]
    directories: tuple[Path, ...]


def read_installation(tree: Path) -> Installation:
    """The install() rules of the configured `tree`; raises `FileApiError`."""
    return read_reply(tree, _installation)


def _installation(reply: Reply) -> Installation:
    model = reply.codemodel()
    source, build = Path(model["paths"]["source"]), Path(model["paths"]["build"])
    configuration = model["configurations"][0]
    targets = [str(target["name"]) for target in configuration["targets"]]
    rules = []
    for entry in configuration["directories"]:
        folder = reply.read(entry["jsonFile"])
        for row in folder.get("installers", ()):
            if not row.get("isExcludeFromAll"):
                base = build if row["type"] in ("target", "export") else source
                rules.append(_rule(row, base, targets))
    directories = tuple(source / entry["source"] for entry in configuration["directories"])
    return Installation(tuple(rules), directories)


def _rule(row: Any, base: Path, targets: list[str]) -> InstallRule:
    return InstallRule(
        kind=str(row["type"]),
        destination=str(row.get("destination", "")),
        files=tuple(_file(path, base) for path in row.get("paths", ())),
        target=targets[row["targetIndex"]] if "targetIndex" in row else "",
        optional=bool(row.get("isOptional")),
    )


def _file(path: Any, base: Path) -> tuple[Path, str]:
    """A file and the path that it is installed as, below the destination."""
    if isinstance(path, str):
        return base / path, Path(path).name
    return base / str(path["from"]), str(path["to"])
