"""The plan: the steps that make a target.  Making one changes no file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.files import value_digest
from buildtool.core.value import Value
from buildtool.plan.component_step import ComponentStep, FilesStep
from buildtool.project.components import Dsp, Host, Skel
from buildtool.project.keys import Define
from buildtool.project.model import STATE, Project, Target, Tool, find_target
from buildtool.sdk.packaged_tools import CMake
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.toolchains.profile import Profile

if TYPE_CHECKING:
    from buildtool.documents.builds import PlanDocument
    from buildtool.project.debian_lock import LockedPackages


CONAN = "conan"
"""The Conan home in the project's state directory."""
CONAN_CENTER = "conancenter"
DEBIAN = "debian"
"""The directory of unpacked Debian packages in the project's state directory."""
MULTIARCH = "aarch64-linux-gnu"
DEBIAN_LAYOUT = 1
"""Changes when the same packages are unpacked in another way."""


class ConanSettings(Value):
    """A Conan home at `path`.

    `recipes` are directories whose subdirectories contain recipes.  `remotes` are `NAME=URL`,
    `NAME=DIRECTORY` or `conancenter`.  `zig` compiles programs for the build machine.
    """

    path: Path
    recipes: tuple[Path, ...] = ()
    remotes: tuple[str, ...] = (CONAN_CENTER,)
    zig: Tool = NO_REQUIREMENT


class ConanNeeds(Value):
    """The packages of a component, and the Conan home that they are installed in."""

    conanfile: Path
    home: ConanSettings


def former_tree(tree: Path) -> Path:
    """Where a build tree is while CMake configures a new one in its place."""
    return tree.with_name(f".{tree.name}.old")


class CMakeStep(ComponentStep):
    """Configure, build and install one component with one profile.

    `tree` is the build tree, named by what is built, so that two targets with the same skel share
    it; `cmake` are the CMake and the Ninja that it uses.

    `inputs` are globs of files that the component reads and no tool reports; `needs` are the steps
    that it builds on, each with the directory of its outputs; `multiarch` is the name of the
    subdirectories in which some of them have libraries; `target_defines` are the names of
    those `defines` that every component of the target gets; `install` says whether the install()
    rules run, `ships` whether the files that they install ship or are there for other components
    only; files that match `artifacts` ship in any case; `toolchain_file` is a toolchain file of the
    component's own, in place of the profile's; `programs` says that its programs run on the DSP.
    """

    source: Path
    tree: Path
    cmake: CMake
    build_type: str = "Release"
    compiler_launcher: str = ""
    inputs: tuple[str, ...] = ()
    needs: tuple[tuple[str, Path], ...] = ()
    multiarch: str = ""
    environment: tuple[str, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    target_defines: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    preset: str = ""
    install: bool = True
    ships: bool = True
    artifacts: tuple[str, ...] = ()
    toolchain_file: Path | None = None
    conan: ConanNeeds | None = None
    programs: bool = False

    @property
    def has_tests(self) -> bool:
        """Whether its CTest tests run on a device."""
        return self.programs or not self.arch

    def ships_output(self, name: str) -> bool:
        """Whether the output `name`, a path in the output directory, is part of the release."""
        if self.ships:
            return True
        from fnmatch import fnmatchcase  # noqa: PLC0415 - most components ship all

        patterns = (pattern.rpartition("/")[2] for pattern in self.artifacts)
        return "/" not in name and any(fnmatchcase(name, pattern) for pattern in patterns)

    @property
    def packages(self) -> Path:
        """The directory of the files that Conan generates, which outlives the build tree."""
        return self.tree.with_suffix(".conan")

    @property
    def directories(self) -> tuple[Path, ...]:
        """The directories that building it writes to."""
        return (self.tree, former_tree(self.tree), self.packages, self.output)

    @property
    def tools_version(self) -> str:
        """The version of CMake, which a release names."""
        return self.cmake.version

    @property
    def summary(self) -> str:
        return f"{self.component} with {self.profile.name}"


Step = CMakeStep | FilesStep


class Plan(Value):
    """The steps of a target, each after those that it needs, and where its release is made.

    `system_libraries` are libraries that the devices have in addition to those of the platform;
    `archs` are the DSP archs of the target.
    """

    target: str
    steps: tuple[Step, ...]
    release: Path
    state: Path
    system_libraries: tuple[str, ...] = ()
    archs: tuple[str, ...] = ()

    @property
    def cmake_steps(self) -> tuple[CMakeStep, ...]:
        """Those of the steps that CMake builds."""
        return tuple(step for step in self.steps if isinstance(step, CMakeStep))

    @property
    def releases(self) -> Path:
        """The directory of the releases; `release` is a link into one of them."""
        return self.release.with_name(f".{self.release.name}")

    @property
    def debug(self) -> Path:
        """A link to the debug information of the release."""
        return self.release.parent.parent / "debug" / self.release.name

    def as_json(self, compilations: Mapping[str, int]) -> PlanDocument:
        """The plan, with the numbers of `compilations` by step where they are known."""
        return {
            "target": self.target,
            "steps": [
                {**step.as_json(), "compilations": compilations.get(step.name)}
                for step in self.steps
            ],
            "directory": str(self.release),
        }


def plan_target(
    project: Project, target_name: str, cmake: CMake, host: Profile, skels: Mapping[str, Profile]
) -> Plan:
    """The steps that make `target_name`: the ARM64 side, then each skel for each arch.

    `host` compiles the ARM64 side, `skels[arch]` the Hexagon side for each arch of the target.
    Raises `UsageError`.
    """
    target = find_target(project, target_name)
    components: list[Host | Skel] = [*project.hosts.values(), *project.skels.values()]
    needed = {need for component in components for need in component.needs}
    step = partial(_step, project, target, cmake, needed)
    steps = [
        step(name=name, component=project.hosts[name], profile=host)
        for name in in_order(project.hosts)
    ]
    steps += [
        step(name=name, component=project.skels[name], profile=skels[arch], arch=arch)
        for name in in_order(project.skels)
        for arch in target.archs
    ]
    return Plan(
        target_name,
        tuple(steps),
        project.release(target_name),
        project.state / "state",
        target.system_libraries,
        target.archs,
    )


def in_order(components: Mapping[str, Host] | Mapping[str, Skel]) -> tuple[str, ...]:
    """The names of `components`, each after those that it needs, otherwise in the file's order."""
    names: dict[str, None] = {}
    waiting = [*components][::-1]
    while waiting:
        missing = [need for need in components[waiting[-1]].needs if need not in names]
        if missing:
            waiting += reversed(missing)
        else:
            names[waiting.pop()] = None
    return tuple(names)


def _step(
    project: Project,
    target: Target,
    cmake: CMake,
    needed: Collection[str],
    *,
    name: str,
    component: Host | Skel,
    profile: Profile,
    arch: str | None = None,
) -> Step:
    defines = {**component.defines, **target.defines}
    if component.idl_standard_types:
        defines["BUILDTOOL_IDL_STANDARD_TYPES"] = True
    if isinstance(component, Dsp):
        defines["BUILDTOOL_DSP_PROGRAMS"] = True

    def filled(text: str) -> str:
        return text.replace("{arch}", arch) if arch else text

    def place(kind: str, component_name: str) -> Path:
        build_type = target.build_type.lower()
        digest = profile.digest[:16] + ("" if build_type == "release" else f"-{build_type}")
        return project.state / kind / component_name / (digest + _of_target(target))

    if not component.source:
        packages = _debian(project, target, name, component)
        return FilesStep(
            name=step_name(name, arch),
            component=name,
            arch=arch,
            profile=profile,
            root=project.root,
            output=place("out", name),
            patterns=component.files,
            folder=debian_folder(name, packages)
            if packages
            else component.tree
            if isinstance(component, Host)
            else "",
            ships=(component.install or isinstance(component, Dsp)) and not packages,
            debian=packages.packages if packages else (),
        )
    return CMakeStep(
        name=step_name(name, arch),
        component=name,
        arch=arch,
        profile=profile,
        root=project.root,
        source=project.root / component.source,
        tree=place("build", name),
        output=place("out", name),
        cmake=cmake,
        build_type=target.build_type,
        compiler_launcher=project.header.launcher,
        inputs=component.inputs,
        needs=tuple((step_name(need, arch), place("out", need)) for need in component.needs),
        multiarch=MULTIARCH
        if any(project.hosts[need].debian for need in component.needs if need in project.hosts)
        else "",
        environment=project.header.environment,
        defines=tuple((key, filled(_cache_value(value))) for key, value in sorted(defines.items())),
        target_defines=tuple(sorted(target.defines)),
        targets=tuple(filled(name) for name in component.targets),
        preset=filled(component.preset),
        install=component.install or name in needed,
        ships=component.install or name not in needed,
        artifacts=tuple(filled(pattern) for pattern in component.artifacts),
        toolchain_file=project.root / component.toolchain_file
        if component.toolchain_file
        else None,
        conan=ConanNeeds(project.root / component.conan, conan_settings(project))
        if isinstance(component, Host) and component.conan
        else None,
        programs=isinstance(component, Dsp),
    )


def _debian(
    project: Project, target: Target, name: str, component: Host | Skel
) -> LockedPackages | None:
    """The Debian packages that a component is, if it is any."""
    if isinstance(component, Skel) or not component.debian:
        return None
    if target.platform != "ubuntu-aarch64":
        raise UsageError(
            f"{name} is Debian packages, which {target.platform} cannot use",
            why=f"'debian' is for targets with platform = \"ubuntu-aarch64\" ({project.root})",
            remedy="Build the library for both: with 'conan', or as a component of its sources.",
        )
    from buildtool.project.debian_lock import locked_packages  # noqa: PLC0415 - most have none

    return locked_packages(project.root, name, component.debian)


def debian_folder(component: str, packages: LockedPackages) -> str:
    """Where the unpacked packages of a component are in the project."""
    return f"{STATE}/{DEBIAN}/{component}-{packages.digest[:16]}-{DEBIAN_LAYOUT}"


def _of_target(target: Target) -> str:
    """Part of the name of a tree: targets with different defines have different trees."""
    return f"-{value_digest(dict(target.defines))[:8]}" if target.defines else ""


def step_name(component: str, arch: str | None) -> str:
    """The name of the step of `component` for `arch`."""
    return f"skel/{component}/{arch}" if arch else f"host/{component}"


def conan_settings(project: Project) -> ConanSettings:
    """The Conan home of the project."""
    header = project.header
    recipes = tuple(project.root / folder for folder in header.conan_recipes)
    remotes = tuple(_remote(project.root, remote) for remote in header.conan_remotes)
    return ConanSettings(project.state / CONAN, recipes, remotes, project.tool("zig"))


def _remote(root: Path, remote: str) -> str:
    name, equals, place = remote.partition("=")
    return remote if not equals or "://" in place else f"{name}={root / place}"


def _cache_value(value: Define) -> str:
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    return str(value)
