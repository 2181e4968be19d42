"""What a step gives to CMake: cache entries, environment, and the names for its paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.plan.environment import build_environment
from buildtool.plan.plan import CMakeStep
from buildtool.sdk.cmake import CMake

if TYPE_CHECKING:
    from buildtool.drivers.cmake.launcher import Launcher
    from buildtool.drivers.conan.install import Dependencies

PREFIX_PATH = "CMAKE_PREFIX_PATH"


def cache_entries(
    step: CMakeStep,
    cmake: CMake,
    dependencies: Dependencies | None = None,
    launcher: Launcher | None = None,
) -> dict[str, str]:
    """The cache entries of the step's build tree; `defines` come last."""
    toolchain = step.toolchain_file or step.tree / "toolchain.cmake"
    if dependencies:
        toolchain = dependencies.toolchain
    entries = {
        "CMAKE_MAKE_PROGRAM": str(cmake.ninja),
        "CMAKE_TOOLCHAIN_FILE": str(toolchain),
        "CMAKE_BUILD_TYPE": step.build_type,
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "CMAKE_INSTALL_PREFIX": str(step.output),
        **_prefix_map(step),
        **(launcher.cache_entries(step.profile, step.tree / "launcher") if launcher else {}),
        **dict(sorted(step.profile.variables.items())),
        **dict(step.defines),
    }
    found = [str(output) for _, output in step.needs]
    if found:
        own = [entries[PREFIX_PATH]] if entries.get(PREFIX_PATH) else []
        entries[PREFIX_PATH] = ";".join([*own, *found])
    return entries


def _prefix_map(step: CMakeStep) -> dict[str, str]:
    """Where the clone lies must not be in what is built; see cmake/prefix_map.cmake, which a
    toolchain file of the component's own does not read."""
    told = {"BUILDTOOL_PREFIX_MAP": f"{step.root}=.;{step.tree}=build"}
    return {} if step.toolchain_file else told


def tool_environment(step: CMakeStep, launcher: Launcher | None = None) -> dict[str, str]:
    """The environment of everything that the step starts.

    Where `defines` has an entry that the profile also sets in the environment, both agree.
    """
    said = dict(step.defines)
    told = {name: said.get(name, value) for name, value in step.profile.environment.items()}
    own = launcher.environment if launcher else {}
    return {**own, **build_environment(step.environment), **told}
