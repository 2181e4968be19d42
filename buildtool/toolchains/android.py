"""The Android profile: the NDK's toolchain file with ABI, API level, C++ library and page size."""

from __future__ import annotations

from buildtool.project.model import Tool
from buildtool.sdk.android_ndk import TRIPLE, AndroidNdk, find_android_ndk
from buildtool.sdk.tool_search import NO_REQUIREMENT, require_usable
from buildtool.toolchains.profile import Compiler, Profile
from buildtool.toolchains.system_libraries import SHARED_STL
from buildtool.toolchains.unsupported_flags import CXX_MODULES

PAGE = 16384  # bytes; Android 15 and newer run on devices with pages of this size
ALIGNED_CXX = 27  # the first NDK whose libc++_shared.so is aligned to 16 KiB


def android(api: int, stl: str = "auto", ndk_requirement: Tool = NO_REQUIREMENT) -> Profile:
    """The profile of ARM64 programs for Android API level `api` (31 is Android 12) and newer.

    `stl` is the NDK's name of the C++ library, or "auto": see cmake/shared_stl.cmake.
    Raises `ToolMissingError` without an NDK, `ToolUnfitError` if it is broken or too old,
    `ApiError` for a level outside its range.
    """
    ndk = require_usable("the Android NDK", find_android_ndk(ndk_requirement))
    level = ndk.api(api)
    if stl == "auto" and ndk.major < ALIGNED_CXX:
        stl = "c++_static"
    return Profile(
        name=f"android-{level}" if stl == "auto" else f"android-{level}-{stl}",
        platform="android",
        template="android.cmake.in",
        settings={"API": str(level), "STL": stl, "NDK_MAJOR": str(ndk.major)},
        identity=ndk.identity,
        places={"NDK": str(ndk.where)},
        compiler=_compiler(ndk, level, stl),
        environment={"ANDROID_NDK_ROOT": str(ndk.where)},
        unsupported=(CXX_MODULES,),
        runtime={SHARED_STL: ndk.libraries / SHARED_STL} if stl == "c++_shared" else {},
    )


def _compiler(ndk: AndroidNdk, level: int, stl: str) -> Compiler:
    target = f"--target={TRIPLE}{level}"
    return Compiler(
        kind="clang",
        version=ndk.clang.split(".", maxsplit=1)[0],
        libcxx="c++_static" if stl == "auto" else stl if stl.startswith("c++") else "",
        c=(str(ndk.programs / "clang"), target),
        cxx=(str(ndk.programs / "clang++"), target),
    )
