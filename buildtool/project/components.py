"""Components of the project file: `[host.NAME]`, `[skel.NAME]` and `[dsp.NAME]`.

A component is a CMake project, or prebuilt files, for which the checks are here.
"""

# No `from __future__ import annotations`: the reader evaluates all annotations in every run.
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from buildtool.core.value import Value
from buildtool.project.keys import (
    HEXAGON_ARCHS,
    NO_DEFINES,
    Define,
    Key,
    Strings,
    Violation,
    file_violations,
    inside_violations,
    path_violations,
)

# Keys of both kinds of component.
Source = Annotated[str, Key("directory of its CMakeLists.txt")]
Files = Annotated[
    Strings,
    Key(
        "prebuilt files that are the component, in place of a CMake project (globs, relative to"
        " the project file); {arch} is replaced by the DSP arch"
    ),
]
Install = Annotated[
    bool, Key("ship the files that its install() rules install, or its prebuilt files")
]
CMakeTargets = Annotated[Strings, Key("CMake targets to build; default: all")]
Preset = Annotated[str, Key("CMake configure preset to start from")]
ToolchainFile = Annotated[
    str, Key("CMake toolchain file of the component, in place of the profile's")
]
Artifacts = Annotated[
    Strings, Key("files of the build tree to ship (globs), in addition to installed files")
]
Inputs = Annotated[
    Strings, Key("files that it reads but no tool reports (globs, relative to the project file)")
]
IdlStandardTypes = Annotated[
    bool, Key("C types of FastRPC interfaces: int64_t and bool instead of int64 and boolean")
]
Defines = Annotated[
    Mapping[str, Define], Key("CMake cache entries; {arch} is replaced by the DSP arch")
]

TestFiles = Annotated[
    Strings,
    Key("files that tests open and no argument names (globs in source and the build tree)"),
]
PACKAGE_NAME = r"[a-z0-9][a-z0-9+.-]+"
"""Of a Debian package.  Source: Debian Policy Manual, 5.6.1."""
WITHOUT_CMAKE = ("source", "files", "tree", "debian", "idl", "archs", "install")
"""The keys that have a meaning without CMake, and `source`, which is reported by itself."""
LOADER, RUNNER = "dsp-program", "run-dsp-program"
"""Components of each project with programs for the DSP: the skel that loads these, and the program
of the ARM64 side that lets it do so."""


class Host(Value):
    """`[host.NAME]`: a CMake project, or prebuilt files or packages, for the ARM64 side."""

    source: Source = ""
    files: Files = ()
    tree: Annotated[
        str, Key("directory of prebuilt files that ship where they are in it: bin/, lib/, share/")
    ] = ""
    debian: Annotated[
        Strings,
        Key(
            "Debian packages for arm64, such as zlib1g-dev, in place of a CMake project: for the"
            " components that need this one"
        ),
    ] = ()
    install: Install = True
    targets: CMakeTargets = ()
    preset: Preset = ""
    toolchain_file: ToolchainFile = ""
    artifacts: Artifacts = ()
    conan: Annotated[str, Key("conanfile.txt or conanfile.py with the packages it needs")] = ""
    inputs: Inputs = ()
    needs: Annotated[
        Strings, Key("other host components, whose installed packages find_package() finds")
    ] = ()
    idl_standard_types: IdlStandardTypes = False
    defines: Defines = NO_DEFINES
    test_files: TestFiles = ()
    dsp_may_crash: Annotated[
        Strings, Key("CTest tests (globs) that may crash the DSP process, such as tests of errors")
    ] = ()


class Skel(Value):
    """`[skel.NAME]`: a CMake project for the Hexagon side, built once for each arch, or prebuilt
    files."""

    source: Source = ""
    files: Files = ()
    idl: Annotated[str, Key("FastRPC interface (.idl) of stub and skel")] = ""
    archs: Annotated[Strings, Key("DSP archs that it is built for", choices=HEXAGON_ARCHS)] = (
        HEXAGON_ARCHS
    )
    install: Install = True
    targets: CMakeTargets = ()
    preset: Preset = ""
    toolchain_file: ToolchainFile = ""
    artifacts: Artifacts = ()
    inputs: Inputs = ()
    needs: Annotated[
        Strings, Key("other skel components, whose installed packages find_package() finds")
    ] = ()
    idl_standard_types: IdlStandardTypes = False
    defines: Defines = NO_DEFINES


class Dsp(Skel):
    """`[dsp.NAME]`: a CMake project for the Hexagon side whose programs and tests run on the DSP,
    or prebuilt programs: shared libraries that export main."""

    install: Install = False
    artifacts: Annotated[
        Strings,
        Key("files of the build tree to ship (globs); default: all programs and shared libraries"),
    ] = ()
    test_files: TestFiles = ()


COMPONENT_KEYS: Mapping[type, tuple[str, ...]] = {
    Host: ("source", "files", "tree", "debian"),
    Skel: ("source", "files"),
    Dsp: ("source", "files"),
}
"""Keys of which a component has at least one."""


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
