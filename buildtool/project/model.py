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

PLATFORMS = ("ubuntu-aarch64",)

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


@dataclass(frozen=True, slots=True)
class Host:
    """`[host.NAME]`: a CMake project for the ARM64 side."""

    source: str = key("directory of its CMakeLists.txt")
    install: bool = key("ship what its install() rules put down", default=True)
    targets: tuple[str, ...] = key("CMake targets to build; default: all", default=())
    preset: str = key("CMake configure preset to start from", default="")
    artifacts: tuple[str, ...] = key(
        "files of the build tree to ship (globs), where there are no install() rules", default=()
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
    artifacts: tuple[str, ...] = key(
        "files of the build tree to ship (globs), where there are no install() rules", default=()
    )
    defines: Mapping[str, Define] = no_defines()


@dataclass(frozen=True, slots=True)
class Target:
    """`[target.NAME]`: what is built together and shipped together."""

    platform: str = key("toolchain profile of the ARM64 side", choices=PLATFORMS)
    archs: tuple[str, ...] = key(
        "DSP archs whose skels it carries", default=(), choices=HEXAGON_ARCHS
    )
    glibc: str = key("oldest glibc its programs run with", default="2.35")
    toolchain: str = key("compiler of the ARM64 side", default="auto", choices=("auto", "zig"))
    dsp_toolchain: str = key(
        "compiler of the Hexagon side", default="auto", choices=("auto", "llvm")
    )


@dataclass(frozen=True, slots=True)
class Project:
    """A whole `buildtool.toml`; `root` is the directory it lies in."""

    root: Path
    header: Header
    hosts: Mapping[str, Host]
    skels: Mapping[str, Skel]
    targets: Mapping[str, Target]

    @property
    def name(self) -> str:
        return self.header.name

    @property
    def state(self) -> Path:
        """The directory of everything that this tool makes inside the project."""
        return self.root / ".buildtool"


SECTIONS: Mapping[str, type] = {"host": Host, "skel": Skel, "target": Target}
"""The tables of named records."""
BUILT_IN_TARGET = "sim"
