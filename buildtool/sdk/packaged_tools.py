"""Tools that are usually in Python packages beside buildtool: CMake, Ninja, Conan and zig.

The script around the CMake of its package is slow; its binary is used.  zig is clang and LLD for
aarch64 Linux and Hexagon.
"""

from __future__ import annotations

import functools
import importlib.util
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.files import Stamp, stamp_of, value_digest
from buildtool.core.trees import shared_copy
from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.program import find_packaged_tool, probe_version, python_package
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    require_usable,
    satisfies,
    search,
    tool_identity,
)

OLDEST_CMAKE = (3, 22)
"""The version that buildtool's CMake modules require."""


class CMake(Value):
    """A CMake and its Ninja: the programs, CMake's version, and a digest of both."""

    program: Path
    ninja: Path
    version: str
    identity: str


def find_cmake(
    requirement: Tool = NO_REQUIREMENT, ninja_requirement: Tool = NO_REQUIREMENT
) -> CMake:
    """Find the CMake and the Ninja for builds.

    Raises `ToolMissingError`, and `ToolUnfitError` when one of them is unusable.
    """
    cmake = require_usable("the CMake", find_cmake_program(requirement))
    ninja = require_usable("the Ninja", find_ninja(ninja_requirement))
    both = value_digest([cmake.identity, ninja.identity])
    return CMake(cmake.where, ninja.where, cmake.version, both)


def find_cmake_program(requirement: Tool = NO_REQUIREMENT) -> FoundTool:
    """Find CMake as `find_packaged_tool` does, with the same errors.

    CMake's modules are not part of its identity: the version determines them.
    """
    pattern = r"^cmake version (\d[\w.-]{0,40})"
    return find_packaged_tool("CMake", "cmake", requirement, pattern=pattern, oldest=OLDEST_CMAKE)


OLDEST_NINJA = (1, 13)
"""The first version that supports the GNU make jobserver, by which steps share job slots."""


def find_ninja(requirement: Tool = NO_REQUIREMENT) -> FoundTool:
    """Find Ninja as `find_packaged_tool` does, with the same errors."""
    pattern, why = r"^(\d+\.\d[\w.-]{0,40})", ", which has no jobserver support"
    return find_packaged_tool(
        "Ninja", "ninja", requirement, pattern=pattern, oldest=OLDEST_NINJA, why=why
    )


OLDEST_CONAN = "2.34"
"""The oldest version that is tested; recipes and lockfiles follow its conventions."""
INSTALL_CONAN = f"Install it beside buildtool: python -m pip install 'conan>={OLDEST_CONAN},<3'"


class Conan(FoundTool, kw_only=True):
    """A found Conan; `where` is the directory of the package."""

    @property
    def command(self) -> tuple[str, ...]:
        """The command: Conan is run as a module, because its program may use another Python."""
        return (sys.executable, "-P", "-m", "conans.conan")


def find_conan() -> Conan:
    """Find the Conan that is installed beside buildtool.

    Raises `ToolMissingError` if there is none, `ToolUnfitError` if it is too old.
    """
    spec = importlib.util.find_spec("conan")
    found = search(
        "Conan",
        default_paths=[Path(place) for place in (spec.submodule_search_locations or ())]
        if spec
        else [],
        probe=_probe_conan,
        install_remedy=INSTALL_CONAN,
    )
    return require_usable("Conan", found)


def _probe_conan(package: Path) -> Conan | None:
    installed = python_package("conan")
    if not installed or not (package / "__init__.py").is_file():
        return None
    version = installed.version
    problems: tuple[Problem, ...] = ()
    if not satisfies(version, f">={OLDEST_CONAN}"):
        problems = (Problem(f"version {version} is older than {OLDEST_CONAN}", INSTALL_CONAN),)
    return Conan(
        where=package,
        version=version,
        identity=tool_identity("conan", version, {}),
        problems=problems,
    )


VERSION = "0.17"
"""The version whose clang and libc++ the profiles are written for."""
CLANG_VERSION = "22"  # the clang in ziglang 0.17, from `zig cc --version`
PACKAGE = "ziglang==0.17.1"
INSTALL = f"Install it beside buildtool: python -m pip install '{PACKAGE}'"
REPAIR = f"Install it again: python -m pip install --force-reinstall '{PACKAGE}'"


class Zig(FoundTool, kw_only=True):
    """A found zig; `where` is the program with links resolved, `library` the directory of its
    headers and libc sources.  These are not part of its identity: the version determines them."""

    library: Path


def find_zig(requirement: Tool = NO_REQUIREMENT) -> Zig:
    """Find zig: `path` in [tool.zig], else the installed `ziglang` package.

    Raises `ToolMissingError` if there is none, `ToolUnfitError` when the project requires another
    version.
    """
    return search(
        "zig",
        requirement=requirement,
        default_paths=list(_packaged_zigs()),
        probe=_probe,
        install_remedy=INSTALL,
        version_remedy="Change 'version' in [tool.zig] of buildtool.toml: the profiles are written"
        f" for {VERSION}.",
    )


def usable_zig(requirement: Tool | Zig = NO_REQUIREMENT) -> Zig:
    """`find_zig`, but raises `ToolUnfitError` for a zig with problems.  Returns a zig that was
    already found as it is.

    The zig of the `ziglang` package is replaced by its copy in the user's cache if there can be
    one: see `shared_copy`.
    """
    if isinstance(requirement, Zig):
        return requirement
    zig = require_usable("zig", find_zig(requirement))
    if not _is_packaged(zig.where):
        return zig
    name = f"zig-{zig.version}-{zig.identity[:16]}"
    copy = shared_copy(name, {"zig": zig.where, "lib": zig.library})
    if not copy:
        return zig
    return Zig(
        where=copy / "zig",
        version=zig.version,
        identity=zig.identity,
        problems=zig.problems,
        library=copy / "lib",
    )


def _packaged_zigs() -> Iterator[Path]:
    spec = importlib.util.find_spec("ziglang")
    for directory in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(directory, "zig")


def _probe(program: Path) -> Zig | None:
    try:
        status = program.stat()
    except OSError:
        return None
    # Every profile asks for zig.  By its real path, because zig searches for its library from it.
    return (
        _probe_once(program.resolve(), stamp_of(status)) if stat.S_ISREG(status.st_mode) else None
    )


@functools.cache
def _probe_once(program: Path, _stamp: Stamp) -> Zig:
    version, problems = _version(program)
    library = _library(program)
    if not library:
        text = f"its library is missing: no lib/libc above {program}"
        remedy = REPAIR if _is_packaged(program) else "Name a complete zig, with its lib directory."
        problems = (*problems, Problem(text, remedy))
    elif not problems and not satisfies(version, VERSION):
        text = f"it is zig {version}, but the profiles are written for the clang of zig {VERSION}"
        problems = (Problem(text, f"Name a zig {VERSION}, or remove 'path' from [tool.zig]."),)
    return Zig(
        where=program,
        version=version or "unknown",
        identity=tool_identity("zig", version, {"zig": program}),
        problems=problems,
        library=library or program.parent / "lib",
    )


def _version(program: Path) -> tuple[str, tuple[Problem, ...]]:
    installed = python_package("ziglang")
    if installed and _is_packaged(program):
        return installed.version, ()
    return probe_version(program, "version", pattern=r"^(\d+\.\d+\.\d+[\w.+-]{0,60})$")


def _is_packaged(program: Path) -> bool:
    return any(program == packaged.resolve() for packaged in _packaged_zigs())


def _library(program: Path) -> Path | None:
    """The library that zig finds: `lib` or `lib/zig` in a directory above the program."""
    places = (above / name for above in program.parents for name in ("lib", "lib/zig"))
    return next(
        (directory for directory in places if (directory / "libc" / "include").is_dir()), None
    )
