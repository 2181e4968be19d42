"""The open Hexagon profile: zig's clang and LLD make a skel for one DSP arch."""

from __future__ import annotations

from buildtool.project.archs import HEXAGON_ARCHS
from buildtool.project.model import Tool
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.sdk.zig import CLANG_VERSION, Zig, usable_zig
from buildtool.toolchains.profile import Compiler, Profile, ProfileError
from buildtool.toolchains.unsupported import UnsupportedFeature

_USE_SDK = 'Set dsp-toolchain = "sdk" for the target, with a Hexagon SDK installed'
UNSUPPORTED = (
    UnsupportedFeature(
        "-fexceptions",
        "-fno-exceptions",
        messages=(
            "cannot use 'throw' with exceptions disabled",
            "cannot use 'try' with exceptions",
        ),
        reason="C++ exceptions need a runtime that no DSP shell has; only the Hexagon SDK has a"
        " runtime for DSPs, which ships beside the skel",
        remedy=f"{_USE_SDK}, or avoid exceptions.",
    ),
    UnsupportedFeature(
        "-frtti",
        "-fno-rtti",
        messages=("use of dynamic_cast requires -frtti", "use of typeid requires -frtti"),
        reason="C++ RTTI needs a runtime that no DSP shell has; only the Hexagon SDK has a runtime"
        " for DSPs, which ships beside the skel",
        remedy=f"{_USE_SDK}, or avoid dynamic_cast and typeid.",
    ),
    UnsupportedFeature(
        "-mhmx",
        "-mno-hmx",
        messages=("unknown argument: '-mhmx",),
        reason="open LLVM does not support HMX (matrix) instructions; the Hexagon SDK's compiler"
        " does",
        remedy=f"{_USE_SDK}, or compile the skel without HMX.",
    ),
)
"""What open LLVM cannot compile for skels, but the SDK's compiler can."""


def check_arch(arch: str) -> None:
    """Raise `ProfileError` for an unknown arch."""
    if arch not in HEXAGON_ARCHS:
        raise ProfileError(
            f"unknown Hexagon arch {arch!r}",
            why=f"known: {', '.join(HEXAGON_ARCHS)}",
            remedy="Use a known arch.",
        )


def hexagon(arch: str, requirement: Tool | Zig = NO_REQUIREMENT) -> Profile:
    """The profile that compiles skels for `arch` ("v68" … "v81") with 128-byte HVX.

    `requirement` is the project's requirement of zig, or a zig that was already found.  Raises
    `ProfileError` for an unknown arch, `ToolMissingError` without zig, `ToolUnfitError` if it is
    unusable.
    """
    check_arch(arch)
    zig = usable_zig(requirement)
    program = str(zig.where)
    return Profile(
        name=f"hexagon-{arch}",
        platform="hexagon",
        template="hexagon.cmake.in",
        settings={"ARCH": arch},
        identity=zig.identity,
        places={"ZIG": program, "ZIG_LIB": str(zig.library)},
        compiler=Compiler("clang", CLANG_VERSION, "", (program, "cc"), (program, "c++")),
        unsupported=UNSUPPORTED,
    )


def hexagon_musl(requirement: Tool | Zig = NO_REQUIREMENT) -> Profile:
    """The profile of static Hexagon Linux programs for qemu-hexagon, such as the emulated shell.

    It has one CPU and one optimisation level, because zig builds its libc for each pair of them,
    which takes a minute or more.  `requirement` is as for `hexagon`.
    """
    zig = usable_zig(requirement)
    program = str(zig.where)
    return Profile(
        name="hexagon-linux-musl",
        platform="hexagon",
        template="hexagon_musl.cmake.in",
        settings={},
        identity=zig.identity,
        places={"ZIG": program},
        compiler=Compiler("clang", CLANG_VERSION, "", (program, "cc"), (program, "c++")),
    )
