"""Steps that were never built, with the packages that Conan's graph lists for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.engine.result import StepResult
from buildtool.plan.plan import CMakeStep, ConanNeeds, ConanSettings
from buildtool.project.model import Header, Project
from buildtool.toolchains.profile import Profile
from tests.made_up import CMAKE, built
from tests.unit.release.conftest import DSP, HOST


def project(root: Path, **header: Any) -> Project:
    return Project(root, Header("demo", **header), {}, {}, {})


def node(name: str, folder: Path | None, **fields: Any) -> dict[str, Any]:
    """A package in Conan's graph."""
    return {
        "ref": f"{name}/1.0#65c9",
        "name": name,
        "version": "1.0",
        "user": None,
        "channel": None,
        "rrev": "65c9",
        "package_id": "0354",
        "license": "MIT",
        "context": "host",
        "test": False,
        "package_folder": str(folder) if folder else None,
        **fields,
    }


def step(
    root: Path,
    component: str = "app",
    *,
    arch: str | None = None,
    profile: Profile | None = None,
    runtime: Mapping[str, Path] | None = None,
    packages: tuple[dict[str, Any], ...] = (),
) -> StepResult:
    """A finished step; `runtime` are libraries that ship with it, by their paths there."""
    made = CMakeStep(
        name=f"{'skel' if arch else 'host'}/{component}",
        component=component,
        arch=arch,
        profile=profile or (DSP if arch else HOST),
        root=root,
        source=root / component,
        tree=root / "tree" / component,
        output=root / "out" / component,
        cmake=CMAKE,
        conan=ConanNeeds(root / "conanfile.txt", ConanSettings(root)) if packages else None,
    )
    made.output.mkdir(parents=True, exist_ok=True)
    if packages:
        made.packages.mkdir(parents=True, exist_ok=True)
        nodes = {str(number + 1): each for number, each in enumerate(packages)}
        graph = {"graph": {"nodes": {"0": {"ref": "conanfile"}, **nodes}}}
        (made.packages / "graph.json").write_text(json.dumps(graph))
    result = built(made)
    assert result.record
    named = {name: str(path) for name, path in (runtime or {}).items()}
    return result._replace(record=result.record._replace(runtime=named))


def file(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
