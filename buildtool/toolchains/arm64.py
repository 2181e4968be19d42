"""The ARM64 profiles that most targets have: of zig for Ubuntu, of the NDK for Android."""

from __future__ import annotations

import re

from buildtool.project.model import Tool
from buildtool.sdk.packaged_tools import CLANG_VERSION, Zig, usable_zig
from buildtool.sdk.tool_search import NO_REQUIREMENT, require_usable
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
    return Profile(
        name=f"ubuntu-aarch64-glibc{glibc}",
        platform="ubuntu-aarch64",
        template="ubuntu_aarch64.cmake.in",
        settings={"GLIBC": glibc, "STL": stl},
        identity=zig.identity,
        places={"ZIG": str(zig.where), "ZIG_LIB": str(zig.library)},
        compiler=zig_compiler(zig, f"aarch64-linux-gnu.{glibc}"),
        unsupported=(CXX_MODULES, ZigCpuRule(), ZigLinkerRule()),
    )


def zig_compiler(zig: Zig, target: str) -> Compiler:
    """zig's clang for programs of a Linux `target`."""
    program = str(zig.where)
    arguments = ("-target", target, "-fno-sanitize=undefined")
    c, cxx = (program, "cc", *arguments), (program, "c++", *arguments)
    return Compiler("clang", CLANG_VERSION, "libc++", c, cxx)


def check_glibc(glibc: str) -> None:
    """Check that `glibc` is a valid glibc version; raises `ProfileError`."""
    if not re.fullmatch(r"2\.\d{1,2}", glibc):
        raise ProfileError(
            f"{glibc!r} is not a glibc version",
            why="Ubuntu 22.04 has 2.35, 24.04 has 2.39",
            remedy='Write it like this: glibc = "2.35"',
        )


PAGE = 16384  # bytes; Android 15 and newer run on devices with pages of this size
ALIGNED_CXX = 27  # the first NDK whose libc++_shared.so is aligned to 16 KiB


def android(api: int, stl: str = "auto", ndk_requirement: Tool = NO_REQUIREMENT) -> Profile:
    """The profile of ARM64 programs for Android API level `api` (31 is Android 12) and newer.

    `stl` is the NDK's name of the C++ library, or "auto": see cmake/shared_stl.cmake.
    Raises `ToolMissingError` without an NDK, `ToolUnfitError` if it is broken or too old,
    `ApiError` for a level outside its range.
    """
    from buildtool.sdk.android_ndk import TRIPLE, find_android_ndk  # noqa: PLC0415 - most need none
    from buildtool.toolchains.system_libraries import SHARED_STL  # noqa: PLC0415

    ndk = require_usable("the Android NDK", find_android_ndk(ndk_requirement))
    level = ndk.api(api)
    if stl == "auto" and ndk.major < ALIGNED_CXX:
        stl = "c++_static"
    target = f"--target={TRIPLE}{level}"
    return Profile(
        name=f"android-{level}" if stl == "auto" else f"android-{level}-{stl}",
        platform="android",
        template="android.cmake.in",
        settings={"API": str(level), "STL": stl, "NDK_MAJOR": str(ndk.major)},
        identity=ndk.identity,
        places={"NDK": str(ndk.where)},
        compiler=Compiler(
            kind="clang",
            version=ndk.clang.split(".", maxsplit=1)[0],
            libcxx="c++_static" if stl == "auto" else stl if stl.startswith("c++") else "",
            c=(str(ndk.programs / "clang"), target),
            cxx=(str(ndk.programs / "clang++"), target),
        ),
        environment={"ANDROID_NDK_ROOT": str(ndk.where)},
        unsupported=(CXX_MODULES,),
        runtime={SHARED_STL: ndk.libraries / SHARED_STL} if stl == "c++_shared" else {},
    )
