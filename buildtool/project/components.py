"""Components of the project file: `[host.NAME]`, `[skel.NAME]` and `[dsp.NAME]`."""

# No `from __future__ import annotations`: the reader evaluates all annotations in every run.
from collections.abc import Mapping
from typing import Annotated

from buildtool.core.value import Value
from buildtool.project.archs import HEXAGON_ARCHS
from buildtool.project.keys import NO_DEFINES, Define, Key, Strings

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


LOADER, RUNNER = "dsp-program", "run-dsp-program"
"""Components of each project with programs for the DSP: the skel that loads these, and the program
of the ARM64 side that lets it do so."""

COMPONENT_KEYS: Mapping[type, tuple[str, ...]] = {
    Host: ("source", "files", "tree", "debian"),
    Skel: ("source", "files"),
    Dsp: ("source", "files"),
}
"""Keys of which a component has at least one."""
