"""Selects the profile for each side of a target, and the pulled sysroot that they use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.project.archs import arch_number
from buildtool.project.model import Project, Target
from buildtool.sdk.tool_search import version_numbers
from buildtool.toolchains.arm64 import android, ubuntu_aarch64
from buildtool.toolchains.cdsprpc import system_cdsprpc, write_stub
from buildtool.toolchains.dsp_toolchain import dsp_profiles, host_for_dsp_toolchain
from buildtool.toolchains.profile import Profile, ProfileError

if TYPE_CHECKING:
    from buildtool.sdk.sysroot import Sysroot


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
