"""Configured trees as values, without running CMake."""

from __future__ import annotations

from pathlib import Path

from buildtool.drivers.cmake.file_api import BuildTree, CMakeTarget, CompileGroup, LinkFragment
from buildtool.drivers.cmake.install import Installation, InstallRule
from buildtool.plan.plan import CMakeStep
from buildtool.propose.configure import Configured
from buildtool.toolchains.profile import Compiler, Profile
from tests.made_up import CMAKE

ROOT, TREE = Path("/tree"), Path("/scratch/tree")
KINDS = {"program": "EXECUTABLE", "library": "SHARED_LIBRARY", "static": "STATIC_LIBRARY"}
PROFILE = Profile("p", "p", "", {}, "", {}, Compiler("clang", "1", "", (), ()))


def target(
    name: str,
    kind: str = "program",
    *,
    sources: str = "a.c",
    flags: str = "",
    links: str = "",
    file: str = "",
) -> CMakeTarget:
    """A target; `sources` are paths in the tree, `file` is the path of its output in the build."""
    group = CompileGroup("C", (), tuple(flags.split()), (), (), ())
    made = file or (name if kind == "program" else f"lib{name}.so")
    paths = tuple(ROOT / path for path in sources.split())
    link = tuple(LinkFragment(word, "libraries") for word in links.split())
    places = (ROOT, TREE, (TREE / made,), paths)
    where = (ROOT / "CMakeLists.txt", 7)
    return CMakeTarget(name, KINDS[kind], *places, (group,), "C", link, where)


def rule(
    kind: str, destination: str, *files: str, of: str = "", optional: bool = False
) -> InstallRule:
    """A rule of the target `of`; relative `files` are in the build tree."""
    paths = tuple((TREE / file, Path(file).name) for file in files)
    return InstallRule(kind, destination, paths, of, optional)


def configured(
    *targets: CMakeTarget,
    rules: tuple[InstallRule, ...] = (),
    arch: str | None = None,
    without: str = "",
    more: str = "",
) -> Configured:
    """A tree that builds `targets` by default, except those named in `without`; `more` are other
    files that it builds."""
    built = {str(a) for t in targets if t.name not in without.split() for a in t.artifacts}
    built |= {str(TREE / name) for name in more.split()}
    step = CMakeStep(
        name="s",
        component="s",
        arch=arch,
        profile=PROFILE,
        root=ROOT,
        output=TREE / "output",
        source=ROOT,
        tree=TREE,
        cmake=CMAKE,
    )
    model = BuildTree(ROOT, TREE, targets, {})
    return Configured(step, model, Installation(rules, (ROOT,)), frozenset(built), (), frozenset())
