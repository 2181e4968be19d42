"""The profile of programs that run while others are built: code generators, build systems.

It is zig, as on every other machine, and not the compiler that this machine happens to have: what
it makes is the same everywhere, and an upgrade of the machine makes nothing anew.
"""

from __future__ import annotations

import platform

from buildtool.project.model import Tool
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.sdk.zig import CLANG_VERSION, usable_zig
from buildtool.toolchains.profile import Compiler, Profile

GLIBC = "2.28"  # that of the oldest distributions that PyPI's manylinux wheels are built for


def build_machine(zig_requirement: Tool = NO_REQUIREMENT) -> Profile:
    """The profile of this machine's own programs; raises `ToolMissingError` without zig."""
    zig = usable_zig(zig_requirement)
    program, arch = str(zig.where), platform.machine()
    arguments = ("-target", f"{arch}-linux-gnu.{GLIBC}", "-fno-sanitize=undefined")
    return Profile(
        name=f"build-machine-{arch}",
        platform="build-machine",
        template="build_machine.cmake.in",
        settings={"ARCH": arch, "GLIBC": GLIBC},
        identity=zig.identity,
        places={"ZIG": program},
        compiler=Compiler(
            kind="clang",
            version=CLANG_VERSION,
            libcxx="libc++",
            c=(program, "cc", *arguments),
            cxx=(program, "c++", *arguments),
        ),
    )
