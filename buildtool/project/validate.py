"""Validation of a project file beyond single tables: paths, and names of other tables."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.project.budgets import budget_violations
from buildtool.project.components import (
    LOADER,
    RUNNER,
    Dsp,
    Host,
    Skel,
    prebuilt_keys,
    prebuilt_violations,
)
from buildtool.project.keys import (
    Violation,
    file_violations,
    inside_violations,
    path_violations,
    unsafe_path_violations,
)
from buildtool.project.model import FORMAT_PLATFORMS, TOOLS, Project, Target
from buildtool.project.runs import (
    VARIABLE,
    expected_failure_violations,
    parse_count,
    requirement_violations,
    run_violations,
    violations_of_tests,
)
from buildtool.project.tables import suggest

_REMOTE_NAME = r"[a-z0-9][\w.-]*"
_PROJECT_VERSION = r"[A-Za-z0-9][A-Za-z0-9._+~!:-]{0,99}"
_VERSION = r"(>=\s*)?r?\d{1,9}(\.\d{1,9})*"
_MAINTAINER = r"[^\s<>,][^<>,]* <[^\s<>@]+@[^\s<>@]+>"
_DEPENDENCY = r"[a-z0-9][a-z0-9+.-]+( \((<<|<=|=|>=|>>) [0-9][A-Za-z0-9.+~:-]*\))?"


def violations(project: Project) -> Iterator[Violation]:
    """All problems of `project` beyond the types of its values."""
    for components in (project.hosts, project.skels):
        for name, component in components.items():
            yield from _component(project.root, (_kind(component), name), component)
            if name in (LOADER, RUNNER) and any(map(_is_dsp, project.skels.values())):
                yield (
                    (_kind(component), name),
                    "is the name of a component that each project with [dsp.NAME] has",
                    "Give it another name.",
                )
        yield from _needs(components)
    for name in sorted(project.hosts.keys() & project.skels.keys()):
        yield (
            (_kind(project.skels[name]), name),
            f"{name!r} is the name of a host and of a skel",
            "Rename one of them: component names must be unique.",
        )
    default = project.header.default_target
    if default not in project.targets:
        yield (
            ("project", "default-target"),
            f"there is no target {default!r}",
            suggest(default, project.targets),
        )
    for name in project.header.environment:
        if not re.fullmatch(VARIABLE, name):
            yield (
                ("project", "environment"),
                f"{name!r} is not the name of a variable",
                "Use letters, digits and '_'; do not start with a digit.",
            )
    for name, count in project.header.expect_dsp.items():
        try:
            parse_count(name, count)
        except ValueError as error:
            example = 'expect-dsp = { messages = ">= 1", demo_add = ">= 4" }'
            yield ("project", "expect-dsp"), str(error), f"Write it as in {example}."
    yield from _texts(project)
    yield from _conan(project)
    yield from _tools(project)
    yield from _targets(project)
    yield from run_violations(project.runs)
    yield from violations_of_tests(project.root, project.tests)
    yield from expected_failure_violations(project.expected_failures)
    yield from budget_violations(project.budgets)
    if project.benches or project.metrics or project.checks:
        from buildtool.project.bench_violations import bench_violations  # noqa: PLC0415 - few have

        yield from bench_violations(project)


def _kind(component: Host | Skel) -> str:
    """The first part of the names of tables of such components."""
    return type(component).__name__.lower()


def _is_dsp(component: Skel) -> bool:
    return isinstance(component, Dsp)


def _component(root: Path, at: tuple[str, str], component: Host | Skel) -> Iterator[Violation]:
    if prebuilt_keys(component) or not component.source:
        yield from prebuilt_violations(root, at, component)
        return
    yield from path_violations(root, component.source, (*at, "source"))
    if not (root / component.source / "CMakeLists.txt").is_file():
        yield (
            (*at, "source"),
            f"no CMakeLists.txt in {component.source!r}",
            "Set it to the directory of a CMake project, relative to this file.",
        )
    for pattern in component.artifacts:
        yield from inside_violations(pattern, (*at, "artifacts"))
    for pattern in component.inputs:
        below = re.sub(r"^(\.\./)+", "", pattern)  # files above the project are inputs too
        yield from inside_violations(below, (*at, "inputs"))
    for pattern in component.test_files if isinstance(component, Host | Dsp) else ():
        yield from inside_violations(pattern, (*at, "test-files"))
    yield from file_violations(
        root, component.toolchain_file, (*at, "toolchain-file"), "a CMake toolchain"
    )
    if isinstance(component, Skel):
        yield from file_violations(root, component.idl, (*at, "idl"), "the interface's .idl")
    else:
        yield from file_violations(root, component.conan, (*at, "conan"), "a conanfile.txt or .py")
        if component.conan and Path(component.conan).suffix not in (".py", ".txt"):
            yield (
                (*at, "conan"),
                f"{component.conan!r} is not a conanfile",
                "Set it to a conanfile.txt or a conanfile.py.",
            )


def _needs(components: Mapping[str, Host] | Mapping[str, Skel]) -> Iterator[Violation]:
    known: dict[str, tuple[str, ...]] = {}
    for name, component in components.items():
        known[name] = tuple(need for need in component.needs if need in components)
        for need in component.needs:
            if need not in components:
                kind = _kind(component)
                missing = f"there is no {kind} {need!r}"
                yield (kind, name, "needs"), missing, suggest(need, components)
    if any(known.values()):
        yield from _cycle(components, known)


def _cycle(
    components: Mapping[str, Host] | Mapping[str, Skel], known: Mapping[str, tuple[str, ...]]
) -> Iterator[Violation]:
    import graphlib  # noqa: PLC0415 - most projects have no 'needs'

    try:
        tuple(graphlib.TopologicalSorter(known).static_order())
    except graphlib.CycleError as error:
        cycle = error.args[1]
        yield (
            (_kind(components[cycle[0]]), cycle[0], "needs"),
            f"dependency cycle: {' ← '.join(cycle)}",
            "Remove one of these from 'needs'.",
        )


def _texts(project: Project) -> Iterator[Violation]:
    header = project.header
    if not re.fullmatch(_PROJECT_VERSION, header.version):
        yield (  # archives have it in their names
            ("project", "version"),
            f"{header.version!r} is not a version",
            'Write "1.2", "1.2-rc1" or "1.2+3.gabc": letters, digits, and . _ + ~ ! : -',
        )
    for name, text in (("description", header.description), ("maintainer", header.maintainer)):
        if not text.isprintable():
            yield (
                ("project", name),
                "it contains a line break or another control character",
                "Write one line of text.",
            )
    if header.maintainer and not re.fullmatch(_MAINTAINER, header.maintainer):
        yield (
            ("project", "maintainer"),
            f"{header.maintainer!r} is not a name with an address",
            'Write "Name <name@example.org>".',
        )


def _conan(project: Project) -> Iterator[Violation]:
    at = ("project", "conan-recipes")
    for folder in project.header.conan_recipes:
        yield from path_violations(project.root, folder, at)
        if not any((project.root / folder).glob("*/conanfile.py")):
            yield (
                at,
                f"no */conanfile.py in {folder!r}",
                "Set it to a directory with one subdirectory for each recipe.",
            )
    at = ("project", "conan-remotes")
    for remote in project.header.conan_remotes:
        name, _, place = remote.partition("=")
        if remote != "conancenter" and not (re.fullmatch(_REMOTE_NAME, name) and place):
            yield (
                at,
                f"{remote!r} is not a remote",
                'Write "NAME=https://…", "NAME=DIRECTORY" or "conancenter".',
            )
        elif (
            place
            and "://" not in place
            and not os.path.isdir(  # noqa: PTH112 - not an error if it is long
                project.root / place / "recipes"
            )
        ):
            yield (
                at,
                f"there is no directory {place}/recipes",
                "Set it to the directory of a recipe index, with recipes/NAME/config.yml.",
            )
        elif place and "://" not in place:
            yield from unsafe_path_violations(project.root / place, at)
    yield from _repeated_remotes(project, at)


def _repeated_remotes(project: Project, at: tuple[str, str]) -> Iterator[Violation]:
    """Conan accepts each name and each URL only once."""
    seen: dict[tuple[str, str], str] = {}
    for remote in project.header.conan_remotes:
        name, _, place = remote.partition("=")
        where = place if "://" in place else os.path.normpath(place) if place else ""
        for kind, value in (("name", name), ("place", where)):
            if value and (kind, value) in seen:
                yield (
                    at,
                    f"{value!r} is the {kind} of two remotes: {seen[kind, value]!r} and {remote!r}",
                    "Remove or correct one of them.",
                )
            seen.setdefault((kind, value), remote)


def _tools(project: Project) -> Iterator[Violation]:
    for name, tool in project.tools.items():
        if name not in TOOLS:
            yield ("tool", name), f"unknown tool {name!r}", suggest(name, TOOLS)
        if tool.version and not re.fullmatch(_VERSION, tool.version):
            yield (
                ("tool", name, "version"),
                f"{tool.version!r} is not a version",
                'Write "6.4" for any 6.4.x, or ">=6.4" for that or newer.',
            )


def _targets(project: Project) -> Iterator[Violation]:
    for name, target in project.targets.items():
        for library in target.system_libraries:
            if "/" in library or library in ("", ".", ".."):
                yield (
                    ("target", name, "system-libraries"),
                    f"{library!r} is not the file name of a library",
                    'Use the SONAME, such as "libfoo.so.1"; `readelf -d` shows NEEDED names.',
                )
        yield from requirement_violations(("target", name), target.requires)
        if target.platform == "ubuntu-aarch64" and target.stl not in _stls(target.toolchain):
            yield (
                ("target", name, "stl"),
                f"{target.stl!r} is not a C++ library of toolchain {target.toolchain!r}",
                f"Set it to {' or '.join(_stls(target.toolchain))}, or remove it.",
            )
        yield from _packages(name, target)
        for skel_name, skel in project.skels.items():
            missing = [arch for arch in target.archs if arch not in skel.archs]
            if missing:
                yield (
                    ("target", name, "archs"),
                    f"skel {skel_name!r} is not built for {', '.join(missing)}",
                    f"It is built for {', '.join(skel.archs)}.",
                )


def _stls(toolchain: str) -> tuple[str, ...]:
    """The values of `stl` on Ubuntu; gcc, clang and native use the device's C++ library."""
    return ("auto", "c++_static", "c++_shared") if toolchain in ("auto", "zig") else ("auto",)


def _packages(name: str, target: Target) -> Iterator[Violation]:
    for each in target.formats:
        platform = FORMAT_PLATFORMS.get(each, target.platform)
        if platform != target.platform:
            yield (
                ("target", name, "formats"),
                f"{each!r} is a format for {platform}",
                f"Remove it: the target is for {target.platform}.",
            )
    for program in target.programs:
        if "/" in program or program in ("", ".", ".."):
            yield (
                ("target", name, "programs"),
                f"{program!r} is not the name of a program",
                'Write the name that it has in bin/ of the release, such as "tool".',
            )
    if target.deb_skels and not re.fullmatch(
        r"(/[A-Za-z0-9+._-]*[A-Za-z0-9+_-])+", target.deb_skels
    ):
        yield (
            ("target", name, "deb-skels"),
            f"{target.deb_skels!r} is not an absolute path of a directory",
            'Write the configuration directory of libcdsprpc: "/usr/share/qcom".',
        )
    for dependency in target.deb_depends:
        if not all(re.fullmatch(_DEPENDENCY, each) for each in dependency.split(" | ")):
            yield (
                ("target", name, "deb-depends"),
                f"{dependency!r} is not a dependency of a Debian package",
                'Write "libfoo1", "libfoo1 (>= 1.2)" or "libfoo1 | libbar2".',
            )
