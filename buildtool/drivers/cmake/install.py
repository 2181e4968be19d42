"""Fill the output directory of a step: what its install() rules install, and its `artifacts`."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.files import write_if_changed
from buildtool.core.own_directory import make_directory
from buildtool.core.trees import replace_directory
from buildtool.drivers.cmake.arguments import trace_arguments
from buildtool.drivers.cmake.products import (
    add_artifacts,
    check_installed,
    copy_artifacts,
    normalize_modes,
    preserve_mtimes,
)
from buildtool.drivers.cmake.runpath import runpath_script
from buildtool.drivers.cmake.step_tools import StepTools
from buildtool.drivers.cmake.tree_files import INSTALL_TRACE, delete
from buildtool.drivers.cmake.tree_libraries import add_needed

_RUNPATH_SCRIPT = "runpaths.cmake"


def fill_output(tools: StepTools) -> None:
    """Replace the output directory of the step by what its build tree ships.

    Raises `ToolError` when an install script fails, and `ArtifactError`.
    """
    step, cmake = tools.step, tools.step.cmake.program
    # Two directories: CMake must not overwrite artifacts, and RUNPATHs differ in them.
    installed, copied = step.tree / "install.new", step.tree / "artifacts.new"
    for folder in (installed, copied):
        delete(folder)
        folder.mkdir()
    copy_artifacts(step, copied)  # before other files of the tree have names that match
    if step.install:
        tools.run_checked(_install_command(step.tree, cmake, installed), "installing")
    add_needed(step, (installed, copied), copied)
    for folder in (installed, copied):  # CMake must be able to write to read-only files
        normalize_modes(step, folder)
    if script := runpath_script(step, installed, copied):
        path = step.tree / _RUNPATH_SCRIPT
        write_if_changed(path, script)
        tools.run_checked([cmake, "-P", path], "removing the build tree from RUNPATHs of")
    add_artifacts(step, copied, installed)
    delete(copied)
    check_installed(step, installed)
    normalize_modes(step, installed)
    preserve_mtimes(installed, step.output)
    make_directory(step.output.parent)
    replace_directory(installed, step.output)


def _install_command(tree: Path, cmake: Path, prefix: Path) -> list[str | Path]:
    """The command that runs the install script.

    Not `cmake --install`: only the script can reject absolute destinations before it writes to
    them.
    """
    return [
        cmake,
        *trace_arguments(tree / INSTALL_TRACE),
        f"-DCMAKE_INSTALL_PREFIX={prefix}",
        "-DCMAKE_ERROR_ON_ABSOLUTE_INSTALL_DESTINATION=ON",
        *("-P", tree / "cmake_install.cmake"),
    ]
