"""The project file as frozen values; its components are in `components.py`.

The fields are the keys of `buildtool.toml` (with `-` for `_`): the reader, the JSON schema for
editors and the reference in the docs are generated from them.
"""

# No `from __future__ import annotations`: the reader evaluates all annotations in every run.
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from buildtool.core.errors import UsageError
from buildtool.core.value import Value
from buildtool.project.benches import Bench, Check, Compare, Metric
from buildtool.project.budgets import Budget
from buildtool.project.components import Dsp, Host, Skel
from buildtool.project.keys import HEXAGON_ARCHS, NO_DEFINES, Args, Cwd, Define, Env, Key, Strings

STATE = ".buildtool"
"""The directory in a project that contains everything that buildtool writes there."""
BUILD_TYPES = ("Release", "Debug", "RelWithDebInfo", "MinSizeRel")
PLATFORMS = ("ubuntu-aarch64", "android")
TOOLS = (
    "zig",
    "clang",
    "gcc-aarch64",
    "android-ndk",
    "hexagon-sdk",
    "cmake",
    "ninja",
    "qemu",
    "adb",
    "ssh",
)
"""The names of `[tool.NAME]`."""


class Header(Value):
    """`[project]`: the name of the project, and settings for all of it."""

    name: Annotated[str, Key("name of the project: letters, digits, . _ -")]
    version: Annotated[str, Key("version of the project: letters, digits, . _ + ~ ! : -")] = "0.0.0"
    required_version: Annotated[
        str, Key('versions of buildtool that can build it, such as ">=0.2, <1"')
    ] = ""
    description: Annotated[str, Key("what it is, in one line; packages show it")] = ""
    maintainer: Annotated[
        str, Key('who is responsible for its packages: "Name <address>", as in Debian')
    ] = ""
    default_target: Annotated[str, Key("target of `build` when none is named")] = "sim"
    launcher: Annotated[
        str, Key("compiler launcher of both sides: ccache, sccache, distcc, icecc")
    ] = ""
    environment: Annotated[
        Strings,
        Key("environment variables that are passed to the build; they are inputs of every step"),
    ] = ()
    conan_recipes: Annotated[
        Strings,
        Key("directories of the project's Conan recipes: DIRECTORY/*/conanfile.py"),
    ] = ()
    conan_remotes: Annotated[
        Strings, Key("Conan remotes in order: NAME=URL, NAME=DIRECTORY, conancenter")
    ] = ("conancenter",)
    redistributable: Annotated[
        Strings,
        Key(
            "proprietary files of the Hexagon SDK and proprietary Conan packages, by name, that"
            " you may distribute: `package` refuses all others"
        ),
    ] = ()
    secrets: Annotated[
        Strings,
        Key("environment variables with secrets, besides those whose names say so"),
    ] = ()
    expect_dsp: Annotated[
        Mapping[str, Define],
        Key(
            "what --expect-dsp expects of programs: numbers of messages in queues, or of successful"
            ' calls of a method by its C name: messages = ">= 1", demo_add = ">= 4"'
        ),
    ] = NO_DEFINES


FORMATS = ("tar.zst", "zip", "deb", "wheel", "jnilibs", "conan")
"""The formats of archives."""
FORMAT_PLATFORMS = {"deb": "ubuntu-aarch64", "jnilibs": "android"}
"""The formats that are for one platform only."""


class Target(Value):
    """`[target.NAME]`: components that are built and shipped together."""

    platform: Annotated[str, Key("toolchain profile of the ARM64 side", choices=PLATFORMS)]
    archs: Annotated[Strings, Key("DSP archs whose skels it ships", choices=HEXAGON_ARCHS)] = ()
    toolchain: Annotated[
        str,
        Key(
            "compiler of the ARM64 side on ubuntu-aarch64",
            choices=("auto", "zig", "gcc", "clang", "native"),
        ),
    ] = "auto"
    dsp_toolchain: Annotated[
        str, Key("compiler of the Hexagon side", choices=("auto", "llvm", "sdk"))
    ] = "auto"
    strict_isa: Annotated[
        bool, Key("refuse instructions of skels that open LLVM's assembler does not know")
    ] = False
    sanitize: Annotated[bool, Key("stop skels at undefined behaviour; open LLVM compiles them")] = (
        False
    )
    idl_compiler: Annotated[
        str, Key("compiler of FastRPC interfaces", choices=("buildtool", "qaic"))
    ] = "buildtool"
    sysroot: Annotated[str, Key("pulled sysroot of the device that it is built for")] = ""
    build_type: Annotated[str, Key("CMake build type of both sides", choices=BUILD_TYPES)] = (
        "Release"
    )
    glibc: Annotated[str, Key("oldest supported glibc, on ubuntu-aarch64")] = "2.35"
    api: Annotated[int, Key("oldest supported Android API level, on android")] = 31
    stl: Annotated[
        str,
        Key(
            "C++ library of zig and on android: shared, or linked into each program and library",
            choices=("auto", "c++_static", "c++_shared", "none", "system"),
        ),
    ] = "auto"
    defines: Annotated[
        Mapping[str, Define],
        Key("CMake cache entries of every component; they override the component's"),
    ] = NO_DEFINES
    requires: Annotated[
        Strings,
        Key("what its devices have to be able to do, as `probe` found: hvx-float, vtcm >= 2 MiB"),
    ] = ()
    allow: Annotated[
        Strings, Key("rules of the contract whose findings do not prevent `package`")
    ] = ()
    formats: Annotated[
        Strings, Key("archives that `package` makes of its release", choices=FORMATS)
    ] = ("tar.zst",)
    system_libraries: Annotated[
        Strings, Key("additional system libraries of its devices, such as libfoo.so.1")
    ] = ()
    programs: Annotated[
        Strings, Key("programs of bin/ that packages make available as commands; default: all")
    ] = ()
    deb_depends: Annotated[
        Strings, Key("Debian packages that its .deb depends on, in addition to those it finds")
    ] = ()
    deb_skels: Annotated[
        str,
        Key(
            "FastRPC's directory, /usr/share/qcom: its .deb makes the skels available to all there"
        ),
    ] = ""


# Keys of runs and tests.
Farf = Annotated[bool, Key("show and keep what the DSP logs")]
DspMayCrash = Annotated[bool, Key("a crash of the DSP process during it is no failure")]


class Run(Value):
    """`[run.NAME]`: a program with its arguments, to be run on a device as NAME."""

    program: Annotated[str, Key("program of the release, such as bin/demo")]
    args: Args = ()
    env: Env = NO_DEFINES
    cwd: Cwd = ""
    timeout: Annotated[
        str, Key('time after which it is ended: "90s", "2m", "1h"; default: none')
    ] = ""
    farf: Farf = False
    dsp_may_crash: DspMayCrash = False
    pull: Annotated[
        Strings, Key("files that are fetched after it has ended, from its working directory")
    ] = ()
    forward: Annotated[
        Strings, Key("TCP ports of the device that are reachable here while it runs: HERE:PORT")
    ] = ()


class Test(Value):
    """`[test.NAME]`: a program whose exit status says whether it passes, recorded calls whose
    results are to be the same, or tests for pytest."""

    __test__ = False  # pytest collects classes of this name

    program: Annotated[str, Key("program of the release, such as bin/demo-test")] = ""
    args: Args = ()
    env: Env = NO_DEFINES
    cwd: Cwd = ""
    timeout: Annotated[
        str, Key('time after which it is ended and fails: "90s", "2m", "1h"; default: "5m"')
    ] = ""
    farf: Farf = False
    dsp_may_crash: DspMayCrash = False
    pytest: Annotated[
        Strings,
        Key("tests that pytest runs here, in place of a program; relative to the project file"),
    ] = ()
    calls: Annotated[
        str, Key("recorded calls, in place of a program: a file of `diverge --write-test`")
    ] = ""


class ExpectedFailure(Value):
    """`[expected-failure.TAG]`: tests that fail on a device of that name, tag, DSP arch or
    platform."""

    tests: Annotated[Strings, Key("names of tests (globs)")]
    reason: Annotated[str, Key("why they fail")]
    dsp_may_crash: Annotated[
        bool, Key("they also fail as expected when they crash the DSP process")
    ] = False
    requires: Annotated[
        Strings,
        Key("they fail on each device whose capability card lacks one of these, whatever TAG is"),
    ] = ()


class Data(Value):
    """`[data.NAME]`: large files, such as models, which devices have once."""

    files: Annotated[
        Strings,
        Key("the files (globs, relative to the project file); in a release they are in data/NAME"),
    ]


class Tool(Value):
    """`[tool.NAME]`: the project's requirement of a tool on this machine."""

    version: Annotated[str, Key('"6.4" for any 6.4.x, ">=6.4" for that or newer')] = ""
    path: Annotated[str, Key("path of the tool, if it is not a default path")] = ""


class Project(Value):
    """A whole `buildtool.toml`; `root` is its directory.

    `skels` are all components of the Hexagon side, those of `[dsp.NAME]` among them.
    """

    root: Path
    header: Header
    hosts: Mapping[str, Host]
    skels: Mapping[str, Skel]
    targets: Mapping[str, Target]
    tools: Mapping[str, Tool] = {}
    runs: Mapping[str, Run] = {}
    data: Mapping[str, Data] = {}
    tests: Mapping[str, Test] = {}
    expected_failures: Mapping[str, ExpectedFailure] = {}
    benches: Mapping[str, Bench] = {}
    metrics: Mapping[str, Metric] = {}
    checks: Mapping[str, Check] = {}
    comparisons: Mapping[str, Compare] = {}
    budgets: Mapping[str, Budget] = {}

    def tool(self, name: str) -> Tool:
        """The project's requirement of the tool `name`; its path, if any, is absolute."""
        asked = self.tools.get(name, Tool())
        if not asked.path:
            return asked
        return asked._replace(path=str(self.root / Path(asked.path).expanduser()))

    @property
    def name(self) -> str:
        return self.header.name

    @property
    def state(self) -> Path:
        return self.root / STATE

    def release(self, target: str) -> Path:
        """The link to the release of the target with this name."""
        return self.state / "release" / target


SECTIONS: Mapping[str, type] = {
    "host": Host,
    "skel": Skel,
    "dsp": Dsp,
    "target": Target,
    "run": Run,
    "test": Test,
    "expected-failure": ExpectedFailure,
    "bench": Bench,
    "metric": Metric,
    "check": Check,
    "compare": Compare,
    "budget": Budget,
    "data": Data,
    "tool": Tool,
}
"""The sections with named tables."""
BUILT_IN_TARGET = "sim"


def find_target(project: Project, name: str) -> Target:
    """The target called `name`; raises `UsageError` with a suggestion."""
    if name in project.targets:
        return project.targets[name]
    import difflib  # noqa: PLC0415 - most names are known

    close = difflib.get_close_matches(name, project.targets, n=1, cutoff=0.5)
    raise UsageError(
        f"there is no target {name!r}",
        why=f"{project.root / 'buildtool.toml'} has: {', '.join(project.targets)}",
        remedy=f"Did you mean {close[0]!r}?" if close else f"Add a table [target.{name}].",
    )


def with_options(
    project: Project,
    target_name: str,
    *,
    build_type: str = "",
    strict_isa: bool = False,
    sanitize: bool = False,
) -> Project:
    """The project with the options of a command line for that target; raises `UsageError`."""
    if build_type and build_type not in BUILD_TYPES:
        raise UsageError(
            f"{build_type!r} is not a build type", remedy=f"Take one of: {', '.join(BUILD_TYPES)}."
        )
    target = find_target(project, target_name)
    if sanitize and not any(skel.source for skel in project.skels.values()):
        raise UsageError(
            "--sanitize finds no skel to check",
            why="the checks are compiled into skels, and the project compiles none: prebuilt ones"
            " are used as they are",
            remedy="Omit --sanitize; --strict finds wrong accesses in prebuilt skels too.",
        )
    target = target._replace(
        build_type=build_type or target.build_type,
        strict_isa=strict_isa or target.strict_isa,
        sanitize=sanitize or target.sanitize,
    )
    return project._replace(targets={**project.targets, target_name: target})
