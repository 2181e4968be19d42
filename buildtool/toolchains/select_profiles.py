"""Selects the profile for each side of a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.project.model import Project, Target
from buildtool.toolchains.cdsprpc import system_cdsprpc, write_stub
from buildtool.toolchains.dsp_toolchain import dsp_profiles, host_for_dsp_toolchain
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.ubuntu_aarch64 import ubuntu_aarch64

if TYPE_CHECKING:
    from buildtool.sdk.sysroot import Sysroot


def profiles(project: Project, target: Target) -> tuple[Profile, dict[str, Profile]]:
    """The profiles of both sides; raises as `host_profile` does."""
    sysroot = _sysroot(target)  # once: this verifies all its files
    return _host_profile(project, target, sysroot), _skel_profiles(project, target, sysroot)


def host_profile(project: Project, target: Target) -> Profile:
    """The profile of the target's ARM64 side.

    Writes its import stub of libcdsprpc to the user's cache.  Raises `ProfileError` for an
    unsupported setting, `ToolMissingError` and `ToolUnfitError` for its tools.
    """
    return _host_profile(project, target, _sysroot(target))


def skel_profiles(project: Project, target: Target) -> dict[str, Profile]:
    """The profile of each DSP arch of the target; raises as `host_profile` does."""
    return _skel_profiles(project, target, _sysroot(target))


def _host_profile(project: Project, target: Target, sysroot: Sysroot | None) -> Profile:
    cdsprpc = system_cdsprpc(target.platform, sysroot)
    write_stub(cdsprpc)
    host = _platform_profile(project, target, sysroot)._replace(cdsprpc=cdsprpc)
    return host_for_dsp_toolchain(host, project, target)


def _skel_profiles(project: Project, target: Target, sysroot: Sysroot | None) -> dict[str, Profile]:
    found = dsp_profiles(project, target)
    if not sysroot:
        return found
    from buildtool.toolchains.dsp_shells import device_shell  # noqa: PLC0415 - few have one

    return {
        arch: profile._replace(shell=device_shell(sysroot, arch)) for arch, profile in found.items()
    }


def _sysroot(target: Target) -> Sysroot | None:
    if not target.sysroot:
        return None
    from buildtool.toolchains.target_sysroot import target_sysroot  # noqa: PLC0415 - few have one

    return target_sysroot(target)


def _platform_profile(project: Project, target: Target, sysroot: Sysroot | None) -> Profile:
    """The profile of the platform; imports only the module of that platform."""
    if target.platform == "android":
        from buildtool.toolchains.android import android  # noqa: PLC0415

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
