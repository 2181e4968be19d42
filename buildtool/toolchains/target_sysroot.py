"""The pulled sysroot of a target, and whether the target's output runs on that device."""

from __future__ import annotations

from buildtool.project.archs import arch_number
from buildtool.project.model import Target
from buildtool.sdk.sysroot import Sysroot, find_sysroot
from buildtool.sdk.tool_search import version_numbers
from buildtool.toolchains.profile import ProfileError


def target_sysroot(target: Target) -> Sysroot | None:
    """The pulled sysroot that the target names, or None.

    Raises `ProfileError` if the target's output cannot run on that device, and the errors of
    `find_sysroot`.
    """
    if not target.sysroot:
        return None
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
    _check_archs(target, sysroot)
    return sysroot


def _check_archs(target: Target, sysroot: Sysroot) -> None:
    known = sysroot.arch and target.archs
    if known and min(map(arch_number, target.archs)) > arch_number(sysroot.arch):
        raise ProfileError(
            f"the target has no skel that the DSP of the device {sysroot.name!r} can load",
            why=f"the DSP is {sysroot.arch}, but the skels are for {', '.join(target.archs)}",
            remedy=f'Add "{sysroot.arch}" to the archs of the target.',
        )
