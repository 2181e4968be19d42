"""The plan: which steps make a target, decided without touching anything."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buildtool.build.conan_home import HOME, ConanHome
from buildtool.core.errors import UsageError
from buildtool.project.model import Define, Host, Project, Skel, Target, Tool
from buildtool.sdk.found import ANY
from buildtool.toolchains.profile import Profile


@dataclass(frozen=True, slots=True)
class ConanNeeds:
    """The packages that a component needs, and the Conan home that they are made ready in."""

    conanfile: Path
    home: ConanHome


@dataclass(frozen=True, slots=True)
class CMakeStep:
    """Configure, build and install one component with one profile.

    `tree` is keyed by what is built, so two targets with the same skel share it; `prefix` is
    where its install() rules go; `arch` is None for the ARM64 side; `toolchain_file` is one of
    the component's own, in place of the profile's; `cmake` and `ninja` are what the project asks
    of these.
    """

    name: str
    component: str
    arch: str | None
    profile: Profile
    source: Path
    tree: Path
    defines: tuple[tuple[str, str], ...] = ()
    targets: tuple[str, ...] = ()
    preset: str = ""
    install: bool = True
    artifacts: tuple[str, ...] = ()
    toolchain_file: Path | None = None
    conan: ConanNeeds | None = None
    cmake: Tool = ANY
    ninja: Tool = ANY

    @property
    def prefix(self) -> Path:
        return self.tree / "install"

    @property
    def summary(self) -> str:
        return f"{self.component} with {self.profile.name}"

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "component": self.component,
            "arch": self.arch,
            "profile": self.profile.name,
            "source": str(self.source),
            "tree": str(self.tree),
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that `build TARGET` will do, in order, and where the result is staged."""

    target: str
    steps: tuple[CMakeStep, ...]
    stage: Path

    def as_json(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "steps": [step.as_json() for step in self.steps],
            "stage": str(self.stage),
        }


def find_target(project: Project, name: str) -> Target:
    """The target called `name`; raises `UsageError` with a suggestion."""
    if name in project.targets:
        return project.targets[name]
    close = difflib.get_close_matches(name, project.targets, n=1, cutoff=0.5)
    raise UsageError(
        f"there is no target {name!r}",
        why=f"{project.root / 'buildtool.toml'} has: {', '.join(project.targets)}",
        remedy=f"Did you mean {close[0]!r}?" if close else f"Add a table [target.{name}].",
    )


def make_plan(
    project: Project, target_name: str, host: Profile, skels: Mapping[str, Profile]
) -> Plan:
    """The steps that make `target_name`: the ARM64 side, then each skel for each arch.

    `host` compiles the ARM64 side, `skels[arch]` the Hexagon side for each arch of the target.
    """
    target = find_target(project, target_name)
    steps = [
        _step(project, f"host/{name}", name, component, host)
        for name, component in project.hosts.items()
    ]
    steps += [
        _step(project, f"skel/{name}/{arch}", name, component, skels[arch], arch=arch)
        for name, component in project.skels.items()
        for arch in target.archs
    ]
    return Plan(target_name, tuple(steps), project.state / "stage" / target_name)


def _step(
    project: Project,
    name: str,
    component_name: str,
    component: Host | Skel,
    profile: Profile,
    *,
    arch: str | None = None,
) -> CMakeStep:
    def filled(text: str) -> str:
        return text.replace("{arch}", arch) if arch else text

    return CMakeStep(
        name=name,
        component=component_name,
        arch=arch,
        profile=profile,
        source=project.root / component.source,
        tree=project.state / "build" / component_name / profile.digest[:16],
        defines=tuple(
            (key, filled(_cache_value(value))) for key, value in sorted(component.defines.items())
        ),
        targets=tuple(filled(target) for target in component.targets),
        preset=component.preset,
        install=component.install and not component.artifacts,
        artifacts=tuple(filled(pattern) for pattern in component.artifacts),
        toolchain_file=project.root / component.toolchain_file
        if component.toolchain_file
        else None,
        conan=ConanNeeds(project.root / component.conan, conan_home(project))
        if isinstance(component, Host) and component.conan
        else None,
        cmake=project.tool("cmake"),
        ninja=project.tool("ninja"),
    )


def conan_home(project: Project) -> ConanHome:
    """The Conan home of the project."""
    header = project.header
    recipes = tuple(project.root / folder for folder in header.conan_recipes)
    remotes = tuple(_remote(project.root, remote) for remote in header.conan_remotes)
    return ConanHome(project.state / HOME, recipes, remotes)


def _remote(root: Path, remote: str) -> str:
    name, equals, place = remote.partition("=")
    return remote if not equals or "://" in place else f"{name}={root / place}"


def _cache_value(value: Define) -> str:
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    return str(value)
