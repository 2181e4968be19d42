"""Lock the packages of a whole project: every lockfile serves every target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, Note
from buildtool.drivers.conan import lockfile as conan_lock
from buildtool.plan.plan import conan_home, find_target
from buildtool.project.model import Project
from buildtool.sdk.cmake import find_cmake
from buildtool.toolchains.conan_profile import ConanProfile, conan_profile
from buildtool.toolchains.select_profiles import host_profile


def lock(
    project: Project, names: Sequence[str], *, upgrade: bool, listener: Listener
) -> dict[Path, bool]:
    """Bring the lockfiles of `project` up to date: each with whether it changed.

    Without `names` for all targets; those whose toolchain is not on this machine are left out, with
    a note, and what they need stays locked as it is.  Raises `ToolError` when Conan fails.
    """
    home = conan_home(project)
    cmake = find_cmake(project.tool("cmake"), project.tool("ninja"))
    hosts: dict[str, ConanProfile] = {}
    complete = not names
    for name in names or project.targets:
        target = find_target(project, name)
        try:
            profile = host_profile(project, target)
        except BuildtoolError as error:
            if names:
                raise
            listener(Note(f"target {name} is left out: {error.message}"))
            complete = False
            continue
        hosts.setdefault(profile.digest, conan_profile(profile, home.where, cmake))
    files: dict[Path, list[Path]] = {}
    for host in project.hosts.values():
        if host.conan:
            conanfile = project.root / host.conan
            files.setdefault(conan_lock.beside(conanfile), []).append(conanfile)
    if not (hosts and files):
        return {}
    with home.alone(listener):
        home.prepare()
        return {
            file: conan_lock.update(
                home,
                list(dict.fromkeys(conanfiles)),
                list(hosts.values()),
                conan_profile(home.build_machine, home.where, cmake),
                upgrade=upgrade,
                complete=complete,
            )
            for file, conanfiles in files.items()
        }
