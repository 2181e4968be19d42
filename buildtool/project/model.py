"""The project file as frozen values.

The fields of these dataclasses are the keys of `buildtool.toml` (with `-` for
`_`): the reader, the JSON schema for editors and the reference in the docs are
all made from them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buildtool.project.archs import HEXAGON_ARCHS

STATE = ".buildtool"
"""The directory, in a project's, of everything that this tool makes there."""
BUILD_TYPES = ("Release", "Debug", "RelWithDebInfo", "MinSizeRel")
PLATFORMS = ("ubuntu-aarch64", "android")
TOOLS = (
    "zig",
    "clang",
    "gcc-aarch64",
    "android-ndk",
    "hexagon-sdk",
    "cmake",
    "ninja",
    "qemu",
    "adb",
    "ssh",
)
"""The names of `[tool.NAME]`."""

Define = str | bool | int


def key(doc: str, *, default: Any = dataclasses.MISSING, choices: tuple[str, ...] = ()) -> Any:
    """A key of the project file: its meaning, its default, the values it may take."""
    return dataclasses.field(default=default, metadata={"doc": doc, "choices": choices})


def no_defines() -> Any:
    """The key `defines`, which two kinds of component share."""
    return dataclasses.field(
        default_factory=dict,
        metadata={"doc": "CMake cache entries; {arch} stands for the DSP arch", "choices": ()},
    )


@dataclass(frozen=True, slots=True)
class Header:
    """`[project]`: what the project is called."""

    name: str = key("name of the project: letters, digits, . _ -")
    version: str = key("version of the project", default="0.0.0")
    default_target: str = key("target of `build` when none is named", default="sim")
    launcher: str = key(
        "compiler launcher of both sides: ccache, sccache, distcc, icecc", default=""
    )
    environment: tuple[str, ...] = key(
        "environment variables that reach the build, and so are inputs of every step", default=()
    )
    conan_recipes: tuple[str, ...] = key(
        "directories of Conan recipes of the project's own: DIRECTORY/*/conanfile.py", default=()
    )
    conan_remotes: tuple[str, ...] = key(
        "Conan remotes in order: NAME=URL, NAME=DIRECTORY, conancenter", default=("conancenter",)
    )


@dataclass(frozen=True, slots=True)
class Host:
    """`[host.NAME]`: a CMake project for the ARM64 side."""

    source: str = key("directory of its CMakeLists.txt")
    install: bool = key("ship what its install() rules put down", default=True)
    targets: tuple[str, ...] = key("CMake targets to build; default: all", default=())
    preset: str = key("CMake configure preset to start from", default="")
    toolchain_file: str = key(
        "CMake toolchain file of the component's own, in place of the profile's", default=""
    )
    artifacts: tuple[str, ...] = key(
        "files of the build tree to ship (globs), where there are no install() rules", default=()
    )
    conan: str = key("conanfile.txt or conanfile.py of the packages that it needs", default="")
    inputs: tuple[str, ...] = key(
        "files (globs from the project file) that it reads and no tool tells of", default=()
    )
    needs: tuple[str, ...] = key(
        "other host components, whose install() rules put down what it finds", default=()
    )
    defines: Mapping[str, Define] = no_defines()


@dataclass(frozen=True, slots=True)
class Skel:
    """`[skel.NAME]`: a CMake project for the Hexagon side, built once an arch."""

    source: str = key("directory of its CMakeLists.txt")
    idl: str = key("the FastRPC interface that stub and skel share", default="")
    archs: tuple[str, ...] = key(
        "DSP archs it can be built for", default=HEXAGON_ARCHS, choices=HEXAGON_ARCHS
    )
    install: bool = key("ship what its install() rules put down", default=True)
    targets: tuple[str, ...] = key("CMake targets to build; default: all", default=())
    preset: str = key("CMake configure preset to start from", default="")
    toolchain_file: str = key(
        "CMake toolchain file of the component's own, in place of the profile's", default=""
    )
    artifacts: tuple[str, ...] = key(
        "files of the build tree to ship (globs), where there are no install() rules", default=()
    )
    inputs: tuple[str, ...] = key(
        "files (globs from the project file) that it reads and no tool tells of", default=()
    )
    needs: tuple[str, ...] = key(
        "other skel components, whose install() rules put down what it finds", default=()
    )
    defines: Mapping[str, Define] = no_defines()


@dataclass(frozen=True, slots=True)
class Target:
    """`[target.NAME]`: what is built together and shipped together."""

    platform: str = key("toolchain profile of the ARM64 side", choices=PLATFORMS)
    archs: tuple[str, ...] = key(
        "DSP archs whose skels it carries", default=(), choices=HEXAGON_ARCHS
    )
    toolchain: str = key(
        "compiler of the ARM64 side on ubuntu-aarch64",
        default="auto",
        choices=("auto", "zig", "gcc", "clang", "native"),
    )
    dsp_toolchain: str = key(
        "compiler of the Hexagon side", default="auto", choices=("auto", "llvm", "sdk")
    )
    idl_compiler: str = key(
        "compiler of FastRPC interfaces", default="buildtool", choices=("buildtool", "qaic")
    )
    sysroot: str = key("pulled sysroot of the device that it is built for", default="")
    build_type: str = key(
        "CMake's build type, of both sides",
        default="Release",
        choices=BUILD_TYPES,
    )
    glibc: str = key("oldest glibc its programs run with, on ubuntu-aarch64", default="2.35")
    api: int = key("oldest Android API level its programs run on", default=31)
    stl: str = key(
        "C++ library on android",
        default="c++_static",
        choices=("c++_static", "c++_shared", "none", "system"),
    )


@dataclass(frozen=True, slots=True)
class Tool:
    """`[tool.NAME]`: what the project asks of a tool on this machine."""

    version: str = key('"6.4" for any 6.4.x, ">=6.4" for that or newer', default="")
    path: str = key("where it is, if not where it usually is", default="")


@dataclass(frozen=True, slots=True)
class Project:
    """A whole `buildtool.toml`; `root` is the directory it lies in."""

    root: Path
    header: Header
    hosts: Mapping[str, Host]
    skels: Mapping[str, Skel]
    targets: Mapping[str, Target]
    tools: Mapping[str, Tool] = dataclasses.field(default_factory=dict)

    def tool(self, name: str) -> Tool:
        """What the project asks of the tool `name`; its path, if any, is absolute."""
        asked = self.tools.get(name, Tool())
        if not asked.path:
            return asked
        return dataclasses.replace(asked, path=str(self.root / Path(asked.path).expanduser()))

    @property
    def name(self) -> str:
        return self.header.name

    @property
    def state(self) -> Path:
        return self.root / STATE


SECTIONS: Mapping[str, type] = {"host": Host, "skel": Skel, "target": Target, "tool": Tool}
"""The tables of named records."""
BUILT_IN_TARGET = "sim"
