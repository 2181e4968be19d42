"""Whether a target's Hexagon side is built with a Hexagon SDK, and what follows for both sides."""

from __future__ import annotations

import os
from collections.abc import Sequence

from buildtool.project.model import Project, Target
from buildtool.sdk.hexagon_sdk import VARIABLES, HexagonSdk, find_hexagon_sdk
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    NamedToolMissingError,
    ToolMissingError,
    ToolUnfitError,
)
from buildtool.sdk.zig import usable_zig
from buildtool.toolchains.hexagon import hexagon
from buildtool.toolchains.profile import Profile


def uses_sdk(asked: str, archs: Sequence[str], sdk: HexagonSdk | None) -> bool:
    """Whether `dsp-toolchain = asked` means the SDK, for a target with `archs`.

    `auto` prefers an SDK that compiles for all of them, and rightly as far as is known; a target
    is never built with two compilers.
    """
    if asked == "auto":
        return sdk is not None and all(a in sdk.archs and not sdk.known_fault(a) for a in archs)
    return asked == "sdk"


def dsp_sdk(project: Project, target: Target) -> HexagonSdk | None:
    """The SDK that builds the target's Hexagon side; None when open LLVM does, or it has none.

    Raises `ToolMissingError` and `ToolUnfitError`: with `sdk` when there is none that the project
    accepts, with `auto` only when a variable or the project file names one that is not there, not
    accepted or damaged.  An SDK that merely lies about and is too old for the project is as good
    as none: the project builds as it does where there is no SDK.
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
        from buildtool.toolchains.hexagon_sdk import unsupported_arch_error  # noqa: PLC0415 - most have none

        raise unsupported_arch_error(target.archs[0], sdk)
    return sdk if uses_sdk(target.dsp_toolchain, target.archs, sdk) else None


def dsp_profiles(project: Project, target: Target) -> dict[str, Profile]:
    """The profile of each DSP arch of the target.

    Raises `ProfileError`, `ToolMissingError` and `ToolUnfitError`.
    """
    sdk = dsp_sdk(project, target)
    if sdk:
        profiles = {arch: _with_sdk(arch, sdk) for arch in target.archs}
    else:
        zig = usable_zig(project.tool("zig")) if target.archs else NO_REQUIREMENT
        profiles = {arch: hexagon(arch, zig) for arch in target.archs}
    return {a: _with_idl_compiler(profile, project, target) for a, profile in profiles.items()}


def _with_sdk(arch: str, sdk: HexagonSdk) -> Profile:
    from buildtool.toolchains.hexagon_sdk import hexagon_sdk  # noqa: PLC0415 - most have none

    return hexagon_sdk(arch, sdk)


def host_for_dsp_toolchain(host: Profile, project: Project, target: Target) -> Profile:
    """The ARM64 side's profile `host`, with what it must know of the Hexagon side's."""
    if sdk := dsp_sdk(project, target):
        from buildtool.toolchains.hexagon_sdk import with_sdk_variables  # noqa: PLC0415 - most have none

        host = with_sdk_variables(host, sdk)
    return _with_idl_compiler(host, project, target)


def _with_idl_compiler(profile: Profile, project: Project, target: Target) -> Profile:
    if target.idl_compiler != "qaic":
        return profile
    from buildtool.toolchains.hexagon_sdk import with_qaic  # noqa: PLC0415 - most need none

    try:
        sdk = find_hexagon_sdk(project.tool("hexagon-sdk"))
    except NamedToolMissingError:
        raise
    except ToolMissingError as error:
        raise ToolMissingError(
            f'idl-compiler = "qaic" needs the Hexagon SDK: {error.message}',
            why=error.why,
            remedy='Set HEXAGON_SDK_ROOT to an SDK, or take idl-compiler = "buildtool": the two'
            " make the same interfaces.",
        ) from error
    return with_qaic(profile, sdk)
