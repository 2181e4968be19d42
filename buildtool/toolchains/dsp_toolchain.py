"""Selects the toolchain of a target's Hexagon side, and adapts the profiles of both sides."""

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
from buildtool.toolchains.hexagon import hexagon, with_open_root
from buildtool.toolchains.profile import ALLOW, Profile, ProfileError

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
        from buildtool.toolchains.hexagon_sdk import unsupported_arch_error  # noqa: PLC0415 - most have none

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
        profiles = {arch: _with_sdk(arch, sdk) for arch in target.archs}
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


def _with_sdk(arch: str, sdk: HexagonSdk) -> Profile:
    from buildtool.toolchains.hexagon_sdk import hexagon_sdk  # noqa: PLC0415 - most have none

    return hexagon_sdk(arch, sdk)


def host_for_dsp_toolchain(host: Profile, project: Project, target: Target) -> Profile:
    """The ARM64 side's profile `host`, adapted to the toolchain of the Hexagon side."""
    if sdk := dsp_sdk(project, target):
        from buildtool.toolchains.hexagon_sdk import with_sdk_variables  # noqa: PLC0415 - most have none

        host = with_sdk_variables(host, sdk)
    elif target.archs or (project.skels and target.dsp_toolchain != "sdk"):
        # Also without archs: targets of one platform share the builds of their ARM64 side.
        host = with_open_root(host, usable_zig(project.tool("zig")))
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
            remedy='Set HEXAGON_SDK_ROOT to an SDK, or set idl-compiler = "buildtool": both'
            " generate the same interfaces.",
        ) from error
    return with_qaic(profile, sdk)
