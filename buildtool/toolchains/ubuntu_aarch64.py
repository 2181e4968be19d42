"""The open Ubuntu profile: zig's clang and LLD against a pinned glibc."""

from __future__ import annotations

import re

from buildtool.project.model import Tool
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.sdk.zig import CLANG_VERSION, Zig, usable_zig
from buildtool.toolchains.profile import Compiler, Profile, ProfileError
from buildtool.toolchains.unsupported_flags import CXX_MODULES, ZigCpuRule, ZigLinkerRule

DEFAULT_GLIBC = "2.35"  # Ubuntu 22.04, the oldest release on Snapdragon boards


def ubuntu_aarch64(
    glibc: str = DEFAULT_GLIBC, requirement: Tool | Zig = NO_REQUIREMENT, stl: str = "auto"
) -> Profile:
    """The profile of ARM64 Linux programs that run with `glibc` ("2.35") or newer.

    `requirement` is as for `hexagon`, `stl` is BUILDTOOL_STL of cmake/shared_stl.cmake.
    Raises `ProfileError` for an invalid glibc version, `ToolMissingError` without zig,
    `ToolUnfitError` if it is unusable.
    """
    check_glibc(glibc)
    zig = usable_zig(requirement)
    program = str(zig.where)
    arguments = ("-target", f"aarch64-linux-gnu.{glibc}", "-fno-sanitize=undefined")
    return Profile(
        name=f"ubuntu-aarch64-glibc{glibc}",
        platform="ubuntu-aarch64",
        template="ubuntu_aarch64.cmake.in",
        settings={"GLIBC": glibc, "STL": stl},
        identity=zig.identity,
        places={"ZIG": program, "ZIG_LIB": str(zig.library)},
        compiler=Compiler(
            kind="clang",
            version=CLANG_VERSION,
            libcxx="libc++",
            c=(program, "cc", *arguments),
            cxx=(program, "c++", *arguments),
        ),
        unsupported=(CXX_MODULES, ZigCpuRule(), ZigLinkerRule()),
    )


def check_glibc(glibc: str) -> None:
    """Check that `glibc` is a valid glibc version; raises `ProfileError`."""
    if not re.fullmatch(r"2\.\d{1,2}", glibc):
        raise ProfileError(
            f"{glibc!r} is not a glibc version",
            why="Ubuntu 22.04 has 2.35, 24.04 has 2.39",
            remedy='Write it like this: glibc = "2.35"',
        )
