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
    """A profile's compiler as described to other tools: Conan, editors.

    `kind` is `clang` or `gcc`, `version` its major version, `libcxx` Conan's name of its C++
    library (`libstdc++11`, `libc++`, `c++_static`, `c++_shared`, or "" for none).
    """

    kind: str
    version: str
    libcxx: str
    c: tuple[str, ...]
    cxx: tuple[str, ...]


EMPTY: Mapping[str, Any] = {}


class _Fields(Value):
    name: str
    platform: str
    template: str
    settings: Mapping[str, str]
    identity: str
    places: Mapping[str, str]
    compiler: Compiler
    variables: Mapping[str, str] = EMPTY
    environment: Mapping[str, str] = EMPTY
    runtime: Mapping[str, Path] = EMPTY
    unsupported: tuple[UnsupportedRule, ...] = ()
    dropped: tuple[str, ...] = ()
    cdsprpc: Cdsprpc | None = None
    shell: DeviceShell | None = None


class Profile(_Fields):
    """A toolchain for one platform.

    `name` is shown to the user (`ubuntu-aarch64-gcc`, `hexagon-v73`); `platform` is
    `ubuntu-aarch64`, `android`, `hexagon` or `build-machine`; `settings` are the named values that
    affect the compiled output, `identity` is the digest of the tools; `places` are paths on this
    machine, which do not affect the output.  `variables` (CMake cache entries) and `environment`
    are passed to every CMake run in addition to the toolchain file.  `runtime` has the toolchain's
    libraries, by SONAME, that ship with files that need them; `unsupported` lists what the profile
    cannot compile, `dropped` the flags that it accepts without an effect; `cdsprpc` is the system
    library that an ARM64 side links; `shell` is the DSP shell of the target's device, which does
    not affect the output but whether skels load.
    """

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
