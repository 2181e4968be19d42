"""The arguments, cache entries and environment that a step passes to CMake."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.drivers.cmake.tree_files import TOOLCHAIN
from buildtool.plan.environment import build_environment
from buildtool.plan.plan import CMakeStep

if TYPE_CHECKING:
    from buildtool.drivers.cmake.compiler_launcher import CompilerLauncher
    from buildtool.drivers.conan.install import Dependencies

PREFIX_PATH = "CMAKE_PREFIX_PATH"
_FLAGS = re.compile(r"CMAKE_((?:C|CXX|ASM)_FLAGS)")


def cmake_arguments(step: CMakeStep, cache: Mapping[str, str]) -> list[str]:
    """The arguments that configure the step's build tree with the entries `cache`."""
    return [
        *(("--preset", step.preset) if step.preset else ()),
        # A toolchain file of the component may ignore the profile's entries, and a component those
        # of the target.
        *(("--no-warn-unused-cli",) if step.toolchain_file or step.target_defines else ()),
        *("-G", "Ninja", "-S", str(step.source), "-B", str(step.tree)),
        *(f"-D{name}={value}" for name, value in cache.items()),
    ]


def trace_arguments(file: Path) -> tuple[str, ...]:
    """The arguments that make CMake write a trace to `file`, see `scan.trace`."""
    return ("--trace-expand", "--trace-format=json-v1", f"--trace-redirect={file}")


def cache_entries(
    step: CMakeStep,
    dependencies: Dependencies | None = None,
    launcher: CompilerLauncher | None = None,
) -> dict[str, str]:
    """The cache entries of the step's build tree; those of the step's `defines` take precedence."""
    toolchain = step.toolchain_file or step.tree / TOOLCHAIN
    if dependencies:
        toolchain = dependencies.toolchain
    entries = {
        "CMAKE_MAKE_PROGRAM": str(step.cmake.ninja),
        "CMAKE_TOOLCHAIN_FILE": str(toolchain),
        "CMAKE_BUILD_TYPE": step.build_type,
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "CMAKE_INSTALL_PREFIX": str(step.output),
        **_prefix_map(step),
        **(launcher.cache_entries(step.profile, step.tree / "launcher") if launcher else {}),
        **dict(sorted(step.profile.variables.items())),
        **_defines(step),
    }
    if step.needs:
        prefixes = [entries.get(PREFIX_PATH, ""), *(str(output) for _, output in step.needs)]
        entries[PREFIX_PATH] = ";".join(filter(None, prefixes))
        if step.multiarch:
            entries.setdefault("CMAKE_LIBRARY_ARCHITECTURE", step.multiarch)
    return entries


def _defines(step: CMakeStep) -> dict[str, str]:
    """The entries of `defines`.  Flags are added to those of the profile: see
    cmake/project_flags.cmake."""
    if step.toolchain_file:
        return dict(step.defines)
    return {
        f"BUILDTOOL_{match[1]}" if (match := _FLAGS.fullmatch(name)) else name: value
        for name, value in step.defines
    }


def _prefix_map(step: CMakeStep) -> dict[str, str]:
    """The entry that keeps paths of this machine out of what is built: see cmake/prefix_map.cmake.
    A toolchain file of the component does not read it."""
    if step.toolchain_file:
        return {}
    tools: dict[Path, str] = {}
    for name, place in step.roots.directories.items():
        # Another installation of this program must not change the command lines.
        if name not in ("project", "tree", "python") and not name.startswith("buildtool"):
            tools |= {place: name, place.resolve(): name}
    parents = enumerate(step.roots.parents.values(), 1)
    names = {
        **{Path(place): "/".join([".."] * level) for level, place in parents},
        **{place: name for place, name in tools.items() if tools.keys().isdisjoint(place.parents)},
        step.root: ".",
        step.tree: "build",
    }
    # The last one that matches counts, so the more specific come later.
    places = sorted(names, key=lambda place: len(str(place)))
    return {"BUILDTOOL_PREFIX_MAP": ";".join(f"{place}={names[place]}" for place in places)}


def tool_environment(step: CMakeStep, launcher: CompilerLauncher | None = None) -> dict[str, str]:
    """The environment of all tools of the step.

    A variable of the profile that `defines` also has as a cache entry gets the value from there.
    """
    defines = dict(step.defines)
    profile = {name: defines.get(name, value) for name, value in step.profile.environment.items()}
    launchers = launcher.environment if launcher else {}
    return {**launchers, **build_environment(step.environment), **profile}
