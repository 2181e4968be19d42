"""Components that are prebuilt files, in place of a CMake project."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from buildtool.project.components import COMPONENT_KEYS, Host, Skel
from buildtool.project.paths import (
    Violation,
    file_violations,
    inside_violations,
    path_violations,
)

PACKAGE_NAME = r"[a-z0-9][a-z0-9+.-]+"
"""Of a Debian package.  Source: Debian Policy Manual, 5.6.1."""
WITHOUT_CMAKE = ("source", "files", "tree", "debian", "idl", "archs", "install")
"""The keys that have a meaning without CMake, and `source`, which is reported by itself."""


def prebuilt_keys(component: Host | Skel) -> tuple[str, ...]:
    """The keys that name the component's prebuilt files; none for a CMake project."""
    names = COMPONENT_KEYS[type(component)]
    return tuple(name for name in names if name != "source" and getattr(component, name))


def prebuilt_violations(
    root: Path, at: tuple[str, str], component: Host | Skel
) -> Iterator[Violation]:
    """The problems of a component without a CMake project: keys, what is wrong, what to do."""
    prebuilt = prebuilt_keys(component)
    if not prebuilt:
        yield (
            at,
            "lacks the key 'source'",
            "Add: source = … (directory of its CMakeLists.txt), or files = … (prebuilt files)",
        )
        return
    if component.source:
        yield (
            (*at, prebuilt[0]),
            "a component is a CMake project ('source') or prebuilt files, not both",
            "Move the prebuilt files to a component of their own.",
        )
    for name, value in component._asdict().items():
        if value and name not in WITHOUT_CMAKE:
            yield (
                (*at, name.replace("_", "-")),
                "is for a CMake project, and this component is prebuilt files",
                "Remove it: prebuilt files ship as they are.",
            )
    for pattern in component.files:
        yield from inside_violations(pattern, (*at, "files"))
    if isinstance(component, Skel):
        yield from file_violations(root, component.idl, (*at, "idl"), "the interface's .idl")
    else:
        yield from _host_violations(root, at, component)


def _host_violations(root: Path, at: tuple[str, str], component: Host) -> Iterator[Violation]:
    if component.debian and (component.files or component.tree):
        yield (
            (*at, "debian"),
            "a component is Debian packages or prebuilt files, not both",
            "Move the prebuilt files to a component of their own.",
        )
    for package in component.debian:
        if not re.fullmatch(PACKAGE_NAME, package):
            yield (
                (*at, "debian"),
                f"{package!r} is not the name of a Debian package",
                'Write a name such as "zlib1g-dev"; debian.lock has the version.',
            )
    if component.tree:
        yield from path_violations(root, component.tree, (*at, "tree"))
        if not (root / component.tree).is_dir():
            yield (
                (*at, "tree"),
                f"there is no directory {component.tree!r}",
                "Set it to a directory with bin/, lib/ and so on, relative to this file.",
            )
