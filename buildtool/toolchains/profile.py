"""A toolchain profile: the compiler and settings of one side of a target.

Each platform module of this package creates a `Profile`.  A profile renders to a CMake toolchain
file, which also works with plain `cmake -DCMAKE_TOOLCHAIN_FILE=…`.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool import _data
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import value_digest
from buildtool.core.safe_path import check_path
from buildtool.core.value import Value
from buildtool.toolchains.cdsprpc import Cdsprpc

if TYPE_CHECKING:
    from buildtool.toolchains.system_libraries import DeviceShell
    from buildtool.toolchains.unsupported_flags import UnsupportedRule

_TOKEN = r"@([A-Z_]+)@"
ALLOW = "ALLOW"
"""The setting with the rules about code whose findings do not stop a build.  It is not in the
digest, because what is compiled does not depend on it."""


class ProfileError(BuildtoolError):
    """A profile does not support what was requested."""

    code = "profile"
    exit_status = 2


class Compiler(Value):
    """A profile's compiler as described to other tools: Conan, editors."""

    kind: str  # `clang` or `gcc`
    version: str  # the major version
    libcxx: str  # Conan's name: libstdc++11, libc++, c++_static, c++_shared, "" for none
    c: tuple[str, ...]
    cxx: tuple[str, ...]


EMPTY: Mapping[str, Any] = {}


class _Fields(Value):
    name: str  # shown to the user: `ubuntu-aarch64-gcc`, `hexagon-v73`
    platform: str  # `ubuntu-aarch64`, `android`, `hexagon` or `build-machine`
    template: str
    settings: Mapping[str, str]  # named values that affect the compiled output
    identity: str  # the digest of the tools
    places: Mapping[str, str]  # paths on this machine, which do not affect the output
    compiler: Compiler
    variables: Mapping[str, str] = EMPTY  # CMake cache entries of each CMake run
    environment: Mapping[str, str] = EMPTY  # of each CMake run
    runtime: Mapping[str, Path] = EMPTY  # by SONAME: what ships with files that need it
    unsupported: tuple[UnsupportedRule, ...] = ()  # what it cannot compile
    dropped: tuple[str, ...] = ()  # flags that it accepts without an effect
    cdsprpc: Cdsprpc | None = None  # the system library that an ARM64 side links
    # Of the target's device; affects whether skels load, not the output
    shell: DeviceShell | None = None


class Profile(_Fields):
    """A toolchain for one platform."""

    @functools.cached_property
    def digest(self) -> str:
        """sha256 of everything in this profile that affects the output."""
        return value_digest(
            {
                "template": self._template(),
                "modules": _modules(),
                "settings": {n: value for n, value in self.settings.items() if n != ALLOW},
                "identity": self.identity,
                "cdsprpc": self.cdsprpc.digest if self.cdsprpc else "",
            }
        )

    def cmake_toolchain(self) -> str:
        """The text of the CMake toolchain file.

        Raises `UnsafePathError` for a path that a tool would misread.
        """
        values = {
            **self.settings,
            **{name: _cmake_path(place) for name, place in self.places.items()},
            "BUILDTOOL_CMAKE": _cmake_path(str(_data.path("cmake"))),
            "BUILDTOOL_PACKAGE": _cmake_path(str(Path(__file__).parents[1])),
            "PYTHON": _cmake_path(sys.executable),
            "PROFILE": self.name,
        }
        if self.cdsprpc:
            values["CDSPRPC_DIR"] = _cmake_path(str(self.cdsprpc.directory))
            values["CDSPRPC_WHOSE"] = self.cdsprpc.owner
            values["CDSPRPC_RPATH_LINK"] = "ON" if self.compiler.kind == "gcc" else "OFF"
        text = re.sub(_TOKEN, lambda match: values[match[1]], self._template())
        return text + "".join(self._cmake_variables())

    def _cmake_variables(self) -> Iterator[str]:
        """Cache entries and environment of buildtool's CMake runs; -D on the command line wins."""
        if self.variables or self.environment:
            yield "\n# Defaults for projects of this target.\n"
        for name, value in self.variables.items():
            yield f'set({name} "{_cmake_path(value)}" CACHE STRING "of the target\'s toolchain")\n'
        for name, value in self.environment.items():
            yield f'set(ENV{{{name}}} "{_cmake_path(value)}")\n'

    def _template(self) -> str:
        parts = [self.template, *(["cdsprpc.cmake.in"] if self.cdsprpc else [])]
        return "".join(
            (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
            for name in parts
        )


@functools.cache
def _modules() -> dict[str, str]:
    """The files that toolchain files include, make CMake load or link; without the modules that a
    project's CMakeLists.txt includes."""
    folder = _data.path("cmake")
    files = [
        file
        for file in folder.rglob("*")
        if file.suffix in (".cmake", ".s", ".sh", ".tsv") and not file.name.startswith("Buildtool")
    ]
    return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in files}


def _cmake_path(value: str) -> str:
    """`value`, a path or a list of paths separated by `;`, for a quoted CMake argument."""
    for path in value.split(";"):
        check_path(path, "a path in a toolchain file")
    return value
