"""Selects the profile for each side of a target, and the toolchain and sysroot that they use.

The Hexagon side is compiled by open LLVM, or by the Hexagon SDK, whose settings both sides get.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from buildtool.core.files import value_digest
from buildtool.project.keys import arch_number
from buildtool.project.model import Project, Target
from buildtool.sdk.hexagon_sdk import VARIABLES, HexagonSdk, find_hexagon_sdk
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    NamedToolMissingError,
    ToolMissingError,
    ToolUnfitError,
    version_numbers,
)
from buildtool.toolchains.arm64 import android, ubuntu_aarch64
from buildtool.toolchains.cdsprpc import system_cdsprpc, write_stub
from buildtool.toolchains.hexagon import check_arch, hexagon, with_open_root
from buildtool.toolchains.profile import ALLOW, Compiler, Profile, ProfileError
from buildtool.toolchains.unsupported_flags import CXX_MODULES

if TYPE_CHECKING:
    from buildtool.sdk.sysroot import Sysroot

CODE_RULES = frozenset({"hvx-instructions", "qf-values"})
"""The rules whose findings do not stop the builds of a target that allows them either."""


def uses_sdk(asked: str, archs: Sequence[str], sdk: HexagonSdk | None) -> bool:
    """Whether `dsp-toolchain = asked` selects the SDK, for a target with `archs`.

    `auto` prefers an SDK that compiles for all archs without a known fault; a target is never
    built with two compilers.
    """
    if asked == "auto":
        return sdk is not None and all(a in sdk.archs and not sdk.known_fault(a) for a in archs)
    return asked == "sdk"


def dsp_sdk(project: Project, target: Target) -> HexagonSdk | None:
    """The SDK for the target's Hexagon side; None if open LLVM builds it, or there is none.

    Raises `ToolMissingError` and `ToolUnfitError`: with `sdk` when no SDK satisfies the project's
    requirement; with `auto` only when an environment variable or the project file names an SDK
    that is missing, damaged or does not satisfy the requirement.  With `auto`, an SDK in a default
    path that is too old for the project is ignored.
    """
    if target.dsp_toolchain == "llvm" or not target.archs:
        return None
    requirement = project.tool("hexagon-sdk")
    named = bool(requirement.path) or any(os.environ.get(variable) for variable in VARIABLES)
    sdk: HexagonSdk | None = None
    try:
        sdk = find_hexagon_sdk(requirement)
    except NamedToolMissingError:
        raise
    except (ToolMissingError, ToolUnfitError):
        if named or target.dsp_toolchain == "sdk":
            raise
    if sdk and named and not sdk.archs:
        raise unsupported_arch_error(target.archs[0], sdk)
    return sdk if uses_sdk(target.dsp_toolchain, target.archs, sdk) else None


def dsp_profiles(project: Project, target: Target) -> dict[str, Profile]:
    """The profile of each DSP arch of the target.

    Raises `ProfileError`, `ToolMissingError` and `ToolUnfitError`.
    """
    sdk = dsp_sdk(project, target)
    if sdk and target.sanitize:
        raise ProfileError(
            "--sanitize needs skels that open LLVM compiles",
            why=f"the Hexagon SDK in {sdk.where} compiles them; the reports of its checks are"
            " not known",
            remedy='Set dsp-toolchain = "llvm" for the target, or another target for such runs:'
            " --target",
        )
    if sdk:
        profiles = {arch: hexagon_sdk(arch, sdk) for arch in target.archs}
    else:
        zig = usable_zig(project.tool("zig")) if target.archs else NO_REQUIREMENT
        strict, sanitize = target.strict_isa, target.sanitize
        profiles = {
            arch: hexagon(arch, zig, strict_isa=strict, sanitize=sanitize) for arch in target.archs
        }
    if allowed := sorted(CODE_RULES & set(target.allow)):
        profiles = {
            arch: profile._replace(settings={**profile.settings, ALLOW: " ".join(allowed)})
            for arch, profile in profiles.items()
        }
    return {a: _with_idl_compiler(profile, project, target) for a, profile in profiles.items()}


def host_for_dsp_toolchain(host: Profile, project: Project, target: Target) -> Profile:
    """The ARM64 side's profile `host`, adapted to the toolchain of the Hexagon side."""
    if sdk := dsp_sdk(project, target):
        host = with_sdk_variables(host, sdk)
    elif target.archs or (project.skels and target.dsp_toolchain != "sdk"):
        # Also without archs: targets of one platform share the builds of their ARM64 side.
        host = with_open_root(host, usable_zig(project.tool("zig")))
    return _with_idl_compiler(host, project, target)


def _with_idl_compiler(profile: Profile, project: Project, target: Target) -> Profile:
    if target.idl_compiler != "qaic":
        return profile
    try:
        sdk = find_hexagon_sdk(project.tool("hexagon-sdk"))
    except NamedToolMissingError:
        raise
    except ToolMissingError as error:
        raise ToolMissingError(
            f'idl-compiler = "qaic" needs the Hexagon SDK: {error.message}',
            why=error.why,
            remedy='Set HEXAGON_SDK_ROOT to an SDK, or set idl-compiler = "buildtool": both'
            " generate the same interfaces.",
        ) from error
    return with_qaic(profile, sdk)


def hexagon_sdk(arch: str, sdk: HexagonSdk) -> Profile:
    """The profile that compiles skels for `arch` ("v73") with the SDK's compiler.

    Raises `ProfileError` for an unknown arch, `ToolUnfitError` if the SDK cannot compile for it on
    this machine.
    """
    check_arch(arch)
    if arch not in sdk.archs:
        raise unsupported_arch_error(arch, sdk)
    clang, clangxx = (str(sdk.program(name)) for name in ("hexagon-clang", "hexagon-clang++"))
    major = sdk.tools_version.partition(".")[0]  # as in --version, which does not have LLVM's
    return Profile(
        name=f"hexagon-{arch}-sdk{sdk.version}",
        platform="hexagon",
        template="hexagon_sdk.cmake.in",
        settings={"ARCH": arch, "INCLUDES": " ".join(sdk.include_dirs(arch))},
        identity=sdk.identity,
        places={"SDK": str(sdk.where), "TOOLS": str(sdk.tools)},
        compiler=Compiler("clang", major, "libc++", (clang,), (clangxx,)),
        variables={
            **_variables(sdk),
            "DSP_VERSION": arch,
            "PREBUILT_LIB_DIR": f"{sdk.tools_variant}_{arch}",
        },
        environment={**_environment(sdk), "DEFAULT_DSP_ARCH": arch},
        runtime=sdk.runtime(arch),
        unsupported=(CXX_MODULES,),
    )


def with_sdk_variables(host: Profile, sdk: HexagonSdk) -> Profile:
    """The ARM64 side's profile for a target whose Hexagon side is built with `sdk`.

    Third-party CMake projects use the SDK's CMake functions and headers on both sides.
    """
    variant = sdk.client_variant(host.platform)
    return host._replace(
        identity=value_digest([host.identity, sdk.identity]),
        variables={**host.variables, **_variables(sdk), "PREBUILT_LIB_DIR": variant},
        environment={**host.environment, **_environment(sdk)},
    )


def with_qaic(profile: Profile, sdk: HexagonSdk) -> Profile:
    """`profile` with FastRPC interfaces compiled by the SDK's qaic.

    Raises `ToolUnfitError` if the SDK has no qaic that runs on this machine.
    """
    if sdk.qaic is None:
        raise ToolUnfitError(
            f"the Hexagon SDK {sdk.version} in {sdk.where} has no qaic that runs on this machine",
            why="; ".join(problem.text for problem in sdk.qaic_problems),
            remedy=sdk.qaic_problems[0].remedy,
        )
    return profile._replace(
        settings={**profile.settings, "IDL_COMPILER": "qaic"},
        identity=value_digest([profile.identity, sdk.identity]),
        variables={
            **profile.variables,
            "BUILDTOOL_IDL_COMPILER": "qaic",
            "BUILDTOOL_QAIC": str(sdk.qaic),
            "BUILDTOOL_QAIC_INCLUDES": ";".join(map(str, sdk.idl_includes)),
        },
    )


def _variables(sdk: HexagonSdk) -> dict[str, str]:
    return {
        "HEXAGON_SDK_ROOT": str(sdk.where),
        "HEXAGON_TOOLS_ROOT": str(sdk.tools),
        "HEXAGON_CMAKE_ROOT": str(sdk.where / "build" / "cmake"),
    }


def _environment(sdk: HexagonSdk) -> dict[str, str]:
    """The variables that the SDK's set-up script exports; its CMake files read these."""
    return {
        **_variables(sdk),
        "DEFAULT_HEXAGON_TOOLS_ROOT": str(sdk.tools),
        "DEFAULT_TOOLS_VARIANT": sdk.tools_variant,
        "DEFAULT_HLOS_ARCH": "64",
        "DEFAULT_NO_QURT_INC": "0",
    }


def unsupported_arch_error(arch: str, sdk: HexagonSdk) -> ToolUnfitError:
    """The error for an `arch` that `sdk` cannot compile for."""
    problems = sdk.tools_problems
    return ToolUnfitError(
        f"the Hexagon SDK {sdk.version} in {sdk.where} cannot build skels for {arch}",
        why="; ".join(problem.text for problem in problems)
        or f"it has QuRT and libraries for {', '.join(sdk.archs)}",
        remedy=problems[0].remedy
        if problems
        else f"Install an SDK that supports {arch} (6.4 supports v68 to v81), or set dsp-toolchain"
        ' = "llvm".',
    )


def profiles(project: Project, target: Target) -> tuple[Profile, dict[str, Profile]]:
    """The profiles of both sides; raises as `host_profile` does."""
    sysroot = target_sysroot(target)  # once: this verifies all its files
    return _host_profile(project, target, sysroot), _skel_profiles(project, target, sysroot)


def host_profile(project: Project, target: Target) -> Profile:
    """The profile of the target's ARM64 side.

    Writes its import stub of libcdsprpc to the user's cache.  Raises `ProfileError` for an
    unsupported setting, `ToolMissingError` and `ToolUnfitError` for its tools.
    """
    return _host_profile(project, target, target_sysroot(target))


def skel_profiles(project: Project, target: Target) -> dict[str, Profile]:
    """The profile of each DSP arch of the target; raises as `host_profile` does."""
    return _skel_profiles(project, target, target_sysroot(target))


def _host_profile(project: Project, target: Target, sysroot: Sysroot | None) -> Profile:
    cdsprpc = system_cdsprpc(target.platform, sysroot)
    write_stub(cdsprpc)
    host = _platform_profile(project, target, sysroot)._replace(cdsprpc=cdsprpc)
    return host_for_dsp_toolchain(host, project, target)


def _skel_profiles(project: Project, target: Target, sysroot: Sysroot | None) -> dict[str, Profile]:
    found = dsp_profiles(project, target)
    if not sysroot:
        return found
    from buildtool.toolchains.system_libraries import device_shell  # noqa: PLC0415 - few have one

    return {
        arch: profile._replace(shell=device_shell(sysroot, arch)) for arch, profile in found.items()
    }


def _platform_profile(project: Project, target: Target, sysroot: Sysroot | None) -> Profile:
    """The profile of the platform; imports only the tools of that platform."""
    if target.platform == "android":
        return android(target.api, target.stl, project.tool("android-ndk"))
    if target.toolchain in ("auto", "zig"):  # zig is always installed, and supports every glibc
        return ubuntu_aarch64(target.glibc, project.tool("zig"), target.stl)
    from buildtool.toolchains import ubuntu_aarch64_gnu as gnu  # noqa: PLC0415

    gcc, clang = project.tool("gcc-aarch64"), project.tool("clang")
    match target.toolchain:
        case "gcc":
            return gnu.ubuntu_aarch64_gcc(target.glibc, gcc, sysroot)
        case "clang":
            return gnu.ubuntu_aarch64_clang(target.glibc, clang, sysroot)
        case _:
            return gnu.ubuntu_aarch64_native(target.glibc, gcc, clang, sysroot)


def target_sysroot(target: Target) -> Sysroot | None:
    """The pulled sysroot that the target names, or None.

    Raises `ProfileError` if the target's output cannot run on that device, and the errors of
    `find_sysroot`.
    """
    if not target.sysroot:
        return None
    from buildtool.sdk.sysroot import find_sysroot  # noqa: PLC0415 - few have one

    sysroot = find_sysroot(target.sysroot)
    if sysroot.platform != target.platform:
        raise ProfileError(
            f"the sysroot {sysroot.name!r} is for {sysroot.platform}, but the target is for"
            f" {target.platform}",
            why=f"it was pulled from {sysroot.source}",
            remedy="Use another sysroot (buildtool sysroot list), or set platform ="
            f' "{sysroot.platform}".',
        )
    glibc = sysroot.glibc if target.platform == "ubuntu-aarch64" else ""
    if glibc and version_numbers(target.glibc) > version_numbers(glibc):
        raise ProfileError(
            f"the target is for glibc {target.glibc} and newer, but the device {sysroot.name!r} has"
            f" {glibc}",
            why="programs that need a newer C library than the device's do not start on it",
            remedy=f'Set glibc = "{glibc}" in the target.',
        )
    known = sysroot.arch and target.archs
    if known and min(map(arch_number, target.archs)) > arch_number(sysroot.arch):
        raise ProfileError(
            f"the target has no skel that the DSP of the device {sysroot.name!r} can load",
            why=f"the DSP is {sysroot.arch}, but the skels are for {', '.join(target.archs)}",
            remedy=f'Add "{sysroot.arch}" to the archs of the target.',
        )
    return sysroot
