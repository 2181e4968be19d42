"""The profile of programs that run during a build: code generators, build systems.

The compiler is zig and not the machine's own: its output is the same on every machine, and an
upgrade of the machine does not cause rebuilds.
"""

from __future__ import annotations

import platform

from buildtool.project.model import Tool
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.sdk.zig import CLANG_VERSION, Zig, usable_zig
from buildtool.toolchains.profile import Compiler, Profile

GLIBC = "2.28"  # as in manylinux_2_28, the oldest baseline of current PyPI wheels


def build_machine(requirement: Tool | Zig = NO_REQUIREMENT) -> Profile:
    """The profile of programs for this machine; raises `ToolMissingError` without zig."""
    zig = usable_zig(requirement)
    program, arch = str(zig.where), platform.machine()
    arguments = ("-target", f"{arch}-linux-gnu.{GLIBC}", "-fno-sanitize=undefined")
    return Profile(
        name=f"build-machine-{arch}",
        platform="build-machine",
        template="build_machine.cmake.in",
        settings={"ARCH": arch, "GLIBC": GLIBC},
        identity=zig.identity,
        places={"ZIG": program, "ZIG_LIB": str(zig.library)},
        compiler=Compiler(
            kind="clang",
            version=CLANG_VERSION,
            libcxx="libc++",
            c=(program, "cc", *arguments),
            cxx=(program, "c++", *arguments),
        ),
    )
