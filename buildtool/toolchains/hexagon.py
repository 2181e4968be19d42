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
        reason="C++ exceptions need a runtime that no DSP shell has; the open toolchain has none"
        " for DSPs, the Hexagon SDK's ships beside the skel",
        remedy=f"{_USE_SDK}, or do without exceptions.",
    ),
    UnsupportedFeature(
        "-frtti",
        "-fno-rtti",
        messages=("use of dynamic_cast requires -frtti", "use of typeid requires -frtti"),
        reason="C++ RTTI needs a runtime that no DSP shell has; the open toolchain has none for"
        " DSPs, the Hexagon SDK's ships beside the skel",
        remedy=f"{_USE_SDK}, or do without dynamic_cast and typeid.",
    ),
    UnsupportedFeature(
        "-mhmx",
        "-mno-hmx",
        messages=("unknown argument: '-mhmx",),
        reason="open LLVM has no HMX (matrix) instructions, only the Hexagon SDK's compiler has",
        remedy=f"{_USE_SDK}, or compile the skel without HMX.",
    ),
)
"""What open LLVM cannot make of a skel; the SDK's compiler can."""


def check_arch(arch: str) -> None:
    """Raise `ProfileError` for an arch that there is not."""
    if arch not in HEXAGON_ARCHS:
        raise ProfileError(
            f"there is no Hexagon arch {arch!r}",
            why=f"known: {', '.join(HEXAGON_ARCHS)}",
            remedy="Name one of these.",
        )


def hexagon(arch: str, requirement: Tool | Zig = NO_REQUIREMENT) -> Profile:
    """The profile that compiles skels for `arch` ("v68" … "v81") with 128-byte HVX.

    `requirement` is what the project asks of zig, or a zig that was found already.  Raises
    `ProfileError` for an unknown arch, `ToolMissingError` without zig, `ToolUnfitError` for one
    that cannot be used.
    """
    check_arch(arch)
    zig = requirement if isinstance(requirement, Zig) else usable_zig(requirement)
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


def hexagon_musl() -> Profile:
    """The profile of static Hexagon Linux programs, which qemu-hexagon runs: the emulated shell.

    One CPU and one optimisation level only, because zig builds its libc anew for each pair,
    which takes a minute or more.
    """
    zig = usable_zig()
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
