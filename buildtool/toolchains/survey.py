"""The platforms that this machine can build for, their tools, and remedies for missing tools.

It uses the same search and the same selection of profiles as a build, but compiles nothing: a tool
is ready if a build finds it.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

from buildtool.core.elf.read import ElfError, is_elf, read_dynamic
from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Described, computed
from buildtool.project.model import Project, Target
from buildtool.sdk.android_ndk import find_android_ndk
from buildtool.sdk.device_programs import find_adb, find_lldb, find_ssh
from buildtool.sdk.gnu_compilers import find_clang, find_gcc
from buildtool.sdk.hexagon_sdk import find_hexagon_sdk
from buildtool.sdk.packaged_tools import (
    find_cmake,
    find_cmake_program,
    find_conan,
    find_ninja,
    find_zig,
    usable_zig,
)
from buildtool.sdk.qemu import (
    INSTALL_CXX,
    debugging_problem,
    find_cross_glibc,
    find_mount_namespace,
    find_qemu,
)
from buildtool.sdk.tool_search import FoundTool, Problem, ToolMissingError
from buildtool.toolchains.conan_profile import build_machine
from buildtool.toolchains.distribute import ENGINES
from buildtool.toolchains.distribute.launcher_scripts import limits
from buildtool.toolchains.profile import Profile, ProfileError
from buildtool.toolchains.select_profiles import host_profile, skel_profiles
from buildtool.toolchains.ubuntu_aarch64_gnu import native_compiler

READY, MISSING, UNFIT, NOT_HERE = "ready", "missing", "unfit", "not here"
"""States of a tool.  `not here` is a tool that cannot be installed on this machine."""


class Fault(Described):
    """A problem, its cause or where the tool was searched for, and what to do about it."""

    what: Annotated[str, "what is wrong"]
    why: Annotated[str, "why, or where it was looked for"]
    remedy: Annotated[str, "what to do about it"]


class ToolStatus(Described):
    """A tool that builds for a platform or connects to a device."""

    platform: Annotated[str, "what for"]
    toolchain: Annotated[str, "with what"]
    state: Annotated[str, "whether it can be used", ("ready", "missing", "unfit", "not here")]
    version: Annotated[str, '"" when it was not found'] = ""
    where: Annotated[str, 'program or directory; "" when it was not found'] = ""
    faults: Annotated[tuple[Fault, ...], "what is wrong with it"] = ()


class TargetStatus(Described):
    """A target of the project: its profiles, and the faults that prevent building it."""

    name: Annotated[str, "target of buildtool.toml"]
    platform: Annotated[str, "platform of its ARM64 side"]
    profiles: Annotated[tuple[str, ...], "toolchain profiles that build it"]
    faults: Annotated[tuple[Fault, ...], "what keeps it from being built"]
    buildable: Annotated[bool, "whether it can be built here"] = computed(
        lambda self: not self.faults
    )


class Survey(Described):
    """All tools, and the project's targets in the order of the project file."""

    tools: Annotated[tuple[ToolStatus, ...], "ways to build for a platform, or to reach a device"]
    targets: Annotated[tuple[TargetStatus, ...], "targets of the project"]

    @property
    def all_buildable(self) -> bool:
        return all(target.buildable for target in self.targets)


def survey(project: Project) -> Survey:
    """Search for every tool that `project` may use, and select the profiles of its targets."""
    return Survey(
        tools=(
            *(
                _tool_status(platform, toolchain, find, project)
                for platform, toolchain, find in _TOOLS
            ),
            *_engine_status(project),
        ),
        targets=tuple(
            _target_status(project, name, target) for name, target in project.targets.items()
        ),
    )


def _emulated(project: Project) -> FoundTool:
    usable_zig()  # it builds the emulator's own parts
    missing = find_cross_glibc().missing_libraries
    qemu = find_qemu(project.tool("qemu"))
    for file, needed in _prebuilt_needs(project) if missing else ():
        if lacking := [name for name in needed if name in missing]:
            text = f"{file} needs {', '.join(lacking)}, which the emulated device does not have"
            return qemu._replace(problems=(*qemu.problems, Problem(text, INSTALL_CXX)))
    return qemu


def _debuggable(project: Project) -> FoundTool:
    qemu = find_qemu(project.tool("qemu"))
    problem = debugging_problem(qemu)
    if not problem:
        return qemu
    text = f"run --debug needs QEMU 8.1 or newer: {problem.text}"
    return qemu._replace(problems=(Problem(text, problem.remedy),))


def _prebuilt_needs(project: Project) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The prebuilt ELF files of the ARM64 side, relative to the project, and what they need."""
    patterns = [pattern for host in project.hosts.values() for pattern in host.files]
    patterns += [f"{host.tree}/**/*" for host in project.hosts.values() if host.tree]
    for pattern in patterns:
        with contextlib.suppress(OSError, ValueError):  # of a pattern that is invalid, for pathlib
            for file in sorted(project.root.glob(pattern)):
                with contextlib.suppress(OSError, ElfError):
                    if is_elf(file):
                        yield file.relative_to(project.root), read_dynamic(file).needed


_TOOLS: tuple[tuple[str, str, Callable[[Project], FoundTool]], ...] = (
    ("ubuntu-aarch64", "zig", lambda project: find_zig(project.tool("zig"))),
    ("ubuntu-aarch64", "gcc", lambda project: find_gcc(project.tool("gcc-aarch64"))),
    ("ubuntu-aarch64", "clang", lambda project: find_clang(project.tool("clang"))),
    (
        "ubuntu-aarch64",
        "native",
        lambda project: native_compiler(project.tool("gcc-aarch64"), project.tool("clang")),
    ),
    ("android", "ndk", lambda project: find_android_ndk(project.tool("android-ndk"))),
    ("hexagon", "llvm", lambda project: find_zig(project.tool("zig"))),
    ("hexagon", "sdk", lambda project: find_hexagon_sdk(project.tool("hexagon-sdk"))),
    ("device", "emulated", _emulated),
    ("device", "paths", lambda _: find_mount_namespace()),
    ("device", "adb", lambda project: find_adb(project.tool("adb"))),
    ("device", "ssh", lambda project: find_ssh(project.tool("ssh"))),
    ("debug", "lldb", lambda project: find_lldb(project.tool("hexagon-sdk"))),
    ("debug", "qemu", _debuggable),
    ("build", "cmake", lambda project: find_cmake_program(project.tool("cmake"))),
    ("build", "ninja", lambda project: find_ninja(project.tool("ninja"))),
    ("build", "conan", lambda _: find_conan()),
)


def _tool_status(
    platform: str, toolchain: str, find: Callable[[Project], FoundTool], project: Project
) -> ToolStatus:
    try:
        tool = find(project)
    except ProfileError as error:  # not possible on this machine
        return ToolStatus(platform, toolchain, NOT_HERE, faults=(_fault(error),))
    except ToolMissingError as error:
        return ToolStatus(platform, toolchain, MISSING, faults=(_fault(error),))
    except (BuildtoolError, OSError) as error:
        return ToolStatus(platform, toolchain, UNFIT, faults=(_fault(error),))
    return ToolStatus(
        platform,
        toolchain,
        READY if tool.usable else UNFIT,
        version=tool.version,
        where=str(tool.where),
        faults=tuple(Fault(problem.text, "", problem.remedy) for problem in tool.problems),
    )


def _engine_status(project: Project) -> Iterator[ToolStatus]:
    """The project's distcc or icecc, with what it cannot do for the compilers of the targets."""
    engine = project.header.launcher
    if engine not in ENGINES:
        return
    found = shutil.which(engine)
    if not found:
        fault = Fault(f"{engine} was not found", "PATH", f"Install it: apt-get install {engine}")
        yield ToolStatus("build", engine, MISSING, faults=(fault,))
        return
    faults: dict[Fault, None] = {}
    for target in project.targets.values():
        with contextlib.suppress(BuildtoolError, OSError):  # of a target that cannot be built
            for profile in (
                host_profile(project, target),
                *skel_profiles(project, target).values(),
            ):
                for limit in limits(profile, engine):
                    faults[Fault(limit.text, "", limit.remedy)] = None
    yield ToolStatus("build", engine, READY, where=found, faults=tuple(faults))


def _target_status(project: Project, name: str, target: Target) -> TargetStatus:
    profiles: list[str] = []
    faults: dict[Fault, None] = {}
    for side in _sides(project, target):
        try:
            for profile in side():
                profile.cmake_toolchain()  # raises for paths that CMake would misread
                profiles.append(profile.name)
        except (BuildtoolError, OSError) as error:
            faults[_fault(error)] = None
    return TargetStatus(name, target.platform, tuple(profiles), tuple(faults))


def _sides(project: Project, target: Target) -> Iterator[Callable[[], list[Profile]]]:
    """The parts of a target's build that can fail independently."""

    def tools() -> list[Profile]:
        if project.hosts or project.skels:
            find_cmake(project.tool("cmake"), project.tool("ninja"))
        if any(host.conan for host in project.hosts.values()):
            find_conan()
            build_machine(project.tool("zig"))  # for programs that run while packages are built
        return []

    yield lambda: [host_profile(project, target)]
    yield lambda: list(skel_profiles(project, target).values())
    yield tools


def _fault(error: BuildtoolError | OSError) -> Fault:
    if isinstance(error, BuildtoolError):
        return Fault(error.message, error.why, error.remedy)
    return Fault(f"{error.filename}: {error.strerror}", "", "Correct the path or its permissions.")
