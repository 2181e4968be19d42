"""Update the lockfiles of a whole project: each one serves every target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, Note
from buildtool.drivers.conan import lockfile
from buildtool.drivers.conan.home import ConanHome
from buildtool.plan.plan import conan_settings, find_target
from buildtool.project.model import Project
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.conan_profile import ConanProfile, conan_profile
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.select_profiles import host_profile


def update_lockfiles(
    project: Project, targets: Sequence[str], *, upgrade: bool, listener: Listener
) -> dict[Path, bool]:
    """Bring the lockfiles of `project` up to date; returns for each whether it changed.

    Without `targets`, for all targets whose toolchain is found on this machine.  `listener` gets a
    note about each of the others; what they need stays pinned as it is.  Raises `ToolError` when
    Conan fails.
    """
    conanfiles = _conanfiles_by_lockfile(project)
    profiles = _host_profiles(project, targets, listener)
    found = [profile for profile in profiles if profile]
    if not (conanfiles and found):
        return {}
    home = ConanHome(*conan_settings(project))
    cmake = find_cmake(project.tool("cmake"), project.tool("ninja"))
    hosts: dict[str, ConanProfile] = {
        profile.digest: conan_profile(profile, home.path, cmake) for profile in found
    }
    with home.locked(listener):
        home.prepare()
        return {
            lock: lockfile.update(
                home,
                list(dict.fromkeys(files)),
                list(hosts.values()),
                conan_profile(home.build_machine, home.path, cmake),
                upgrade=upgrade,
                complete=not targets and all(profiles),
            )
            for lock, files in conanfiles.items()
        }


def _conanfiles_by_lockfile(project: Project) -> dict[Path, list[Path]]:
    found: dict[Path, list[Path]] = {}
    for host in project.hosts.values():
        if host.conan:
            conanfile = project.root / host.conan
            found.setdefault(lockfile.lockfile_of(conanfile), []).append(conanfile)
    return found


def _host_profiles(
    project: Project, targets: Sequence[str], listener: Listener
) -> list[Profile | None]:
    """The profile of each of `targets`.  Without any, of all targets: None for one whose toolchain
    is not found."""
    profiles: list[Profile | None] = []
    for name in targets or project.targets:
        target = find_target(project, name)
        try:
            profiles.append(host_profile(project, target))
        except BuildtoolError as error:
            if targets:
                raise
            listener(Note(f"target {name} is left out: {error.message}"))
            profiles.append(None)
    return profiles
