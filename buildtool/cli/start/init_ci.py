"""Writes the workflow of a CI service: `buildtool init --ci SERVICE`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from buildtool import __version__
from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed
from buildtool.project.model import Project
from buildtool.project.read import find_project
from buildtool.testing.ctest.tests import may_have_tests

WORKFLOWS = {"github": ".github/workflows/buildtool.yml", "gitlab": ".gitlab-ci.yml"}
"""The file of each service, relative to the project."""
_EMULATOR = "qemu-user libc6-arm64-cross"
_CXX = "libstdc++6-arm64-cross"
_COMPILERS = {"gcc": "g++-aarch64-linux-gnu", "clang": "clang lld g++-aarch64-linux-gnu"}


def write_workflow(service: str, folder: Path) -> Path:
    """Write the workflow of `service` for the project in `folder`, and its default target.

    Raises `UsageError` for an unknown service and for a file that exists.
    """
    if service not in WORKFLOWS:
        raise UsageError(
            f"there is no workflow for {service!r}",
            remedy=f"Take one of: {', '.join(WORKFLOWS)}.",
        )
    project = find_project(folder)
    path = project.root / WORKFLOWS[service]
    if path.exists():
        raise UsageError(
            f"{path} already exists",
            why="init never overwrites",
            remedy="Rename it, and merge what it does into the new one.",
        )
    name = project.header.default_target
    line, root = ("      - run: ", "sudo ") if service == "github" else ("    - ", "")
    values = {
        "@NAME@": project.name,
        "@TARGET@": name,
        "@VERSION@": __version__,
        "@STEPS@": "\n".join(line + command for command in _commands(project, name, root)),
    }
    text = Path(__file__).with_name("ci").joinpath(f"{service}.yml").read_text(encoding="utf-8")
    for token, value in values.items():
        text = text.replace(token, value)
    write_if_changed(path, text)
    return path


def _commands(project: Project, name: str, root: str) -> Iterator[str]:
    """The commands that build, test or run, and package the target; `root` goes before some."""
    target = project.targets[name]
    runs = target.platform == "ubuntu-aarch64"
    packages = [_EMULATOR if runs else "", _COMPILERS.get(target.toolchain, "")]
    if runs and any(host.files or host.tree for host in project.hosts.values()):
        packages.append(_CXX)  # for prebuilt C++ libraries
    if wanted := " ".join(filter(None, packages)):
        yield f"{root}apt-get update"
        yield f"{root}apt-get install -y --no-install-recommends {wanted}"
    yield 'pip install "$BUILDTOOL"'
    yield f"buildtool build {name}"
    if runs and (project.tests or may_have_tests(project)):
        yield f"buildtool test sim --target {name} --junit results.xml"
    elif runs:
        yield f"buildtool run sim --target {name}"
    yield f"buildtool package {name}"
    yield f"cp -RL .buildtool/debug/{name} debug"  # which are links, also inside
