"""The device that a target is built for, by the sysroot pulled from it."""

from __future__ import annotations

from buildtool.project.archs import arch_number
from buildtool.project.model import Target
from buildtool.sdk.sysroot import Sysroot, find_sysroot
from buildtool.sdk.tool_search import version_numbers
from buildtool.toolchains.profile import ProfileError


def target_sysroot(target: Target) -> Sysroot | None:
    """The pulled sysroot that the target names, None when it names none.

    Raises `ProfileError` when what the target builds cannot run on that device, and what
    `find_sysroot` raises.
    """
    if not target.sysroot:
        return None
    sysroot = find_sysroot(target.sysroot)
    if sysroot.platform != target.platform:
        raise ProfileError(
            f"the sysroot {sysroot.name!r} is of {sysroot.platform}, the target of"
            f" {target.platform}",
            why=f"it was pulled from {sysroot.source}",
            remedy=f'Name another: buildtool sysroot list; or set platform = "{sysroot.platform}".',
        )
    glibc = sysroot.glibc if target.platform == "ubuntu-aarch64" else ""
    if glibc and version_numbers(target.glibc) > version_numbers(glibc):
        raise ProfileError(
            f"the target is for glibc {target.glibc} and newer, the device {sysroot.name!r} has"
            f" {glibc}",
            why="programs that need a newer C library than the device's do not start there",
            remedy=f'Lower it for this target: glibc = "{glibc}".',
        )
    _check_archs(target, sysroot)
    return sysroot


def _check_archs(target: Target, sysroot: Sysroot) -> None:
    known = sysroot.arch and target.archs
    if known and min(map(arch_number, target.archs)) > arch_number(sysroot.arch):
        raise ProfileError(
            f"the target has no skel that the DSP of the device {sysroot.name!r} can load",
            why=f"the DSP is {sysroot.arch}, the skels are for {', '.join(target.archs)}",
            remedy=f'Add "{sysroot.arch}" to its archs.',
        )
