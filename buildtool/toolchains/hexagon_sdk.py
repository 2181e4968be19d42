"""The Hexagon SDK's profile, and the settings of both sides of a target that uses the SDK."""

from __future__ import annotations

from buildtool.core.files import value_digest
from buildtool.sdk.hexagon_sdk import HexagonSdk
from buildtool.sdk.tool_search import ToolUnfitError
from buildtool.toolchains.hexagon import check_arch
from buildtool.toolchains.profile import Compiler, Profile
from buildtool.toolchains.unsupported_flags import CXX_MODULES


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
