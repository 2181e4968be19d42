"""The open Hexagon profile: zig's clang and LLD make a skel for one DSP arch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.files import value_digest
from buildtool.project.keys import HEXAGON_ARCHS, has_ieee
from buildtool.project.model import Tool
from buildtool.sdk.packaged_tools import CLANG_VERSION, Zig, usable_zig
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.toolchains.profile import Compiler, Profile, ProfileError
from buildtool.toolchains.sdk_root import INCLUDES, ONLY_QF, sdk_root
from buildtool.toolchains.unsupported_flags import CXX_MODULES, UnsupportedFeature, ZigLinkerRule

if TYPE_CHECKING:
    from buildtool.toolchains.unsupported_flags import UnsupportedRule

_USE_SDK = 'Set dsp-toolchain = "sdk" for the target, with a Hexagon SDK installed'
UNSUPPORTED: tuple[UnsupportedRule, ...] = (
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
        in_skels=True,
    ),
    UnsupportedFeature(
        "-frtti",
        "-fno-rtti",
        messages=("use of dynamic_cast requires -frtti", "use of typeid requires -frtti"),
        reason="C++ RTTI needs a runtime that no DSP shell has; only the Hexagon SDK has a runtime"
        " for DSPs, which ships beside the skel",
        remedy=f"{_USE_SDK}, or avoid dynamic_cast and typeid.",
        in_skels=True,
    ),
    UnsupportedFeature(
        "",
        "",
        messages=("error: unrecognized instruction",),
        reason="open LLVM's assembler does not know every instruction of the DSP; the Hexagon SDK's"
        " assembler does",
        remedy=f"{_USE_SDK}, or remove the instructions.",
    ),
    CXX_MODULES,
    ZigLinkerRule(f"s{_USE_SDK[1:]}"),
    UnsupportedFeature(
        "",
        "",
        messages=(".o <inline asm>:",),
        reason="with -flto the linker assembles instructions, and those that open LLVM does not"
        " know are encoded only where a source is compiled",
        remedy="Compile sources with such instructions without -flto:"
        " set_source_files_properties(FILE PROPERTIES COMPILE_OPTIONS -fno-lto).",
    ),
)
"""Features that open LLVM cannot compile for skels, but the SDK's compiler can."""
HMX = UnsupportedFeature(
    "-mhmx",
    "-mno-hmx",
    messages=(),
    reason="open LLVM's assembler does not know the instructions of HMX (matrices), and strict-isa"
    " refuses what it does not know",
    remedy=f"{_USE_SDK}, or leave out strict-isa: then HMX instructions are encoded.",
)
"""Refused with `strict-isa` only."""
DROPPED = ("-fvectorize", "-Wl,--no-threads")
"""Flags of the SDK's compiler that have no effect here, which a build names.  `-mhmx` is none of
them: what it asks for is encoded without it."""

SANITIZE = (
    # A null pointer stops a skel without a check.  Those of functions need data before each one,
    # which assembly lacks; those of vptr need a runtime.
    *("-fsanitize=undefined", "-fno-sanitize=null,function,vptr", "-fsanitize-trap=undefined"),
    # One trap for each check, and the kind of the check in the debug information.  A conditional
    # trap would lose its kind in a packet with other instructions.
    *("-fno-sanitize-merge", "-fsanitize-annotate-debug-info=undefined"),
    *("-mllvm", "-enable-tail-merge=0", "-mllvm", "-disable-ifcvt-simple"),
    *("-mllvm", "-disable-ifcvt-simple-false", "-mllvm", "-disable-ifcvt-triangle"),
    *("-mllvm", "-disable-ifcvt-triangle-false", "-mllvm", "-disable-ifcvt-triangle-rev"),
)
"""Flags for skels that stop at undefined behaviour."""


def check_arch(arch: str) -> None:
    """Raise `ProfileError` for an unknown arch."""
    if arch not in HEXAGON_ARCHS:
        raise ProfileError(
            f"unknown Hexagon arch {arch!r}",
            why=f"known: {', '.join(HEXAGON_ARCHS)}",
            remedy="Use a known arch.",
        )


def hexagon(
    arch: str,
    requirement: Tool | Zig = NO_REQUIREMENT,
    *,
    strict_isa: bool = False,
    sanitize: bool = False,
) -> Profile:
    """The profile that compiles skels for `arch` ("v68" … "v81") with 128-byte HVX.

    `requirement` is the project's requirement of zig, or a zig that was already found.
    `strict_isa` refuses instructions that LLVM's assembler does not know; otherwise those of HMX
    are encoded.  With `sanitize` skels stop at undefined behaviour.  Raises `ProfileError` for an
    unknown arch, `ToolMissingError` without zig, `ToolUnfitError` if it is unusable.
    """
    check_arch(arch)
    zig = usable_zig(requirement)
    root = sdk_root(zig)
    program = str(root.compiler)
    strict = {"BUILDTOOL_STRICT_ISA": "1"} if strict_isa else {}
    return Profile(
        name=f"hexagon-{arch}",
        platform="hexagon",
        template="hexagon.cmake.in",
        settings={
            "ARCH": arch,
            "QF": "" if has_ieee(arch) else " ".join(ONLY_QF),
            "INCLUDES": " ".join(INCLUDES),
            "SANITIZE": " ".join(SANITIZE) if sanitize else "",
            **({"STRICT_ISA": "ON"} if strict_isa else {}),
        },
        identity=value_digest([zig.identity, root.identity]),
        places={
            "ZIG": str(zig.where),
            "ZIG_LIB": str(zig.library),
            "SDK_ROOT": str(root.where),
            "COMPILER": program,
        },
        compiler=Compiler("clang", CLANG_VERSION, "", (program, "cc"), (program, "c++")),
        variables={**root.variables(f"toolv{CLANG_VERSION}_{arch}"), "DSP_VERSION": arch},
        environment={**root.environment, "DEFAULT_DSP_ARCH": arch, **strict},
        unsupported=(*UNSUPPORTED, HMX) if strict_isa else UNSUPPORTED,
        dropped=DROPPED,
    )


def with_open_root(host: Profile, zig: Zig) -> Profile:
    """The ARM64 side's profile for a target whose Hexagon side open LLVM builds.

    Third-party CMake projects use the SDK's CMake functions and headers on both sides.
    """
    root = sdk_root(zig)
    prebuilt = "android_aarch64" if host.platform == "android" else "UbuntuARM_aarch64"
    return host._replace(
        identity=value_digest([host.identity, root.identity]),
        places={**host.places, "SDK_ROOT": str(root.where)},
        variables={**host.variables, **root.variables(prebuilt)},
        environment={**host.environment, **root.environment},
    )


def hexagon_musl(requirement: Tool | Zig = NO_REQUIREMENT) -> Profile:
    """The profile of the emulated shell, a static Hexagon Linux program for qemu-hexagon.

    No C library is linked: zig would take minutes to compile its own, of which the shell compiles
    what it needs.  `requirement` is as for `hexagon`.
    """
    zig = usable_zig(requirement)
    program = str(zig.where)
    return Profile(
        name="hexagon-linux-musl",
        platform="hexagon",
        template="hexagon_musl.cmake.in",
        settings={},
        identity=zig.identity,
        places={"ZIG": program, "ZIG_LIB": str(zig.library)},
        compiler=Compiler("clang", CLANG_VERSION, "", (program, "cc"), (program, "c++")),
    )
