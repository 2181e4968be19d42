"""Install the packages of a component with Conan, for the component's profile, and read their list.

Conan takes half a second to start.  So it does not run while everything that it reads is unchanged
and everything that it made exists.

What `conan install` installed: directories, shared libraries, skels, identity and licences of the
packages.  Source: Conan's reference of `conan install --format=json`; the first node is the
component itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from buildtool.core.elf.read import is_elf, read_elf
from buildtool.core.events import Listener, Note, StepOutput
from buildtool.core.files import file_digest, read_regular, value_digest, write_if_changed
from buildtool.core.processes.process import ToolError
from buildtool.core.stored import read_value, write_value
from buildtool.core.trees import make_directory, remove_tree
from buildtool.core.value import Value
from buildtool.drivers.conan.home import ConanHome, read_json, remedy, unexpected_output
from buildtool.drivers.conan.lockfiles import lockfile_of, normalize, write_profiles
from buildtool.plan.plan import CMakeStep, ConanNeeds
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.toolchains.conan_profile import ConanProfile, conan_profile

TOOLCHAIN = "conan_toolchain.cmake"
GENERATORS = {"CMakeDeps": ("CMakeDeps", "CMakeConfigDeps"), "CMakeToolchain": ("CMakeToolchain",)}
"""The generators that a component needs, each with the names by which a conanfile may select it."""
GRAPH = "graph.json"
VERSION = 1
"""Of the file about what is installed."""


class Dependencies(Value):
    """The packages that Conan installed for a step.

    `key` is a digest of everything that it read.  `toolchain` is the CMake toolchain file, which
    includes that of the profile.  `packages` are the directories of the packages, `runtime` their
    shared libraries by SONAME, `skels` their files for the DSP by path in a release.
    """

    key: str
    toolchain: Path
    packages: tuple[Path, ...]
    runtime: Mapping[str, Path]
    skels: Mapping[str, Path]

    @property
    def missing_packages(self) -> tuple[Path, ...]:
        """The packages that have been deleted since."""
        return tuple(path for path in self.packages if not path.is_dir())

    @property
    def is_complete(self) -> bool:
        """Whether everything that Conan installed still exists."""
        return self.toolchain.is_file() and not self.missing_packages


def install_dependencies(step: CMakeStep, listener: Listener) -> Dependencies | None:
    """Install what the step's conanfile requires; None if the step has no conanfile.

    Raises `ToolError` when Conan fails, `ProfileError` for a path that Conan does not support.
    """
    if not step.conan:
        return None
    command = _install_command(step, step.conan)
    home = command.home
    previous = installed(step)
    if previous and previous.is_complete and previous.key == command.key:
        return previous
    with home.locked(listener, f"{step.name}: "):
        if previous and previous.missing_packages:
            home.delete_packages()
        home.prepare()
        if not previous or not previous.toolchain.is_file():
            remove_tree(step.packages)  # an interrupted Conan may have left anything there
        make_directory(step.packages)
        graph = command.run(listener)
    # The key is computed now because it covers the lockfile, which may be new.
    new = Dependencies(
        command.key, command.toolchain(graph), graph.packages, graph.runtime, graph.skels
    )
    write_value(_record_file(step), new, VERSION)
    return new


def packages_key(step: CMakeStep) -> str:
    """A digest of everything that Conan would read for the step; "" for a step without packages.

    Starts no process.
    """
    return _install_command(step, step.conan).key if step.conan else ""


def installed(step: CMakeStep) -> Dependencies | None:
    """The packages that were installed for the step last time; None if there are none."""
    return read_value(_record_file(step), Dependencies, VERSION) if step.conan else None


def _install_command(step: CMakeStep, needs: ConanNeeds) -> _InstallCommand:
    home = ConanHome(*needs.home)
    host, build = (
        conan_profile(profile, home.path, step.cmake)
        for profile in (step.profile, home.build_machine)
    )
    return _InstallCommand(step, needs.conanfile, home, host, build)


def _record_file(step: CMakeStep) -> Path:
    return step.packages / "installed.json"


class _InstallCommand(Value):
    """The `conan install` of a step."""

    step: CMakeStep
    conanfile: Path
    home: ConanHome
    host: ConanProfile
    build: ConanProfile

    @property
    def key(self) -> str:
        """A digest of everything that Conan reads."""
        conanfile = self.conanfile
        files = [conanfile, conanfile.with_name("conandata.yml"), lockfile_of(conanfile)]
        return value_digest(
            {
                "files": [file_digest(file) if file.is_file() else "" for file in files],
                "profiles": [self.host.digest, self.build.digest],
                "home": self.home.digest,
                "arguments": self.arguments,
            }
        )

    @property
    def arguments(self) -> list[str]:
        """The arguments without files, profiles and lockfile; "&" is the component itself."""
        conanfile = self.conanfile.read_text(encoding="utf-8", errors="replace")
        build_type = dict(self.step.defines).get("CMAKE_BUILD_TYPE", self.step.build_type)
        arguments = [
            f"--settings=&:build_type={build_type}",
            # The toolchain file chooses the compiler; other build systems are for packages only.
            "--conf=&:tools.build:compiler_executables=!",
            # Otherwise Conan writes CMakeUserPresets.json into the source directory.
            "--conf=&:tools.cmake.cmaketoolchain:user_presets=",
        ]
        if file := self.step.toolchain_file:
            arguments.append(f"--conf=&:tools.cmake.cmaketoolchain:user_toolchain={[str(file)]}")
        for generator, names in GENERATORS.items():
            if not any(name in conanfile for name in names):
                arguments.append(f"--generator={generator}")
        return arguments

    def run(self, listener: Listener) -> InstallGraph:
        """Run it; creates the lockfile if there is none."""
        home, step = self.home, self.step
        lock, out = lockfile_of(self.conanfile), step.packages
        fresh, graph = out / "new.lock", out / GRAPH
        locking = ["--lockfile=", f"--lockfile-out={fresh}"]
        home.run(
            *("install", self.conanfile, "--build=missing", f"--output-folder={out}"),
            *write_profiles(self.host, self.build, out),
            *([f"--lockfile={lock}"] if lock.is_file() else locking),
            *self.arguments,
            *("--format=json", f"--out-file={graph}"),
            action=f"installing the packages of {step.summary}",
            remedy=lambda output: remedy(output, lock),
            timeout=None,  # packages are compiled
            on_line=lambda line: listener(StepOutput(step.name, line)),
        )
        if not lock.is_file():
            normalize(fresh, home.local_packages)
            write_if_changed(lock, read_regular(fresh))
            listener(Note(f"{step.name}: wrote {lock}; commit it with your sources"))
        return read_graph(graph)

    def toolchain(self, graph: InstallGraph) -> Path:
        """The toolchain file that Conan generated."""
        file = graph.generators / TOOLCHAIN
        if not file.is_file():
            raise ToolError(
                f"{self.conanfile} made no {TOOLCHAIN}",
                why=f"{file} does not exist",
                remedy="Let it generate both CMakeToolchain and CMakeDeps, or neither of them.",
            )
        return file


class InstallGraph(Value):
    """`generators` is the directory of the files that were generated for the component, `packages`
    are the directories of the packages, `runtime` their shared libraries by SONAME, `skels` what
    they have for the DSP, by its path in a release: `dsp/<arch>/<name>`."""

    generators: Path
    packages: tuple[Path, ...]
    runtime: dict[str, Path]
    skels: dict[str, Path]


def read_graph(file: Path) -> InstallGraph:
    """Parse Conan's graph.  Raises `ToolError` if it is not as expected."""
    data = read_json(file)
    try:
        component, *others = data["graph"]["nodes"].values()
        packages = [n for n in others if n["context"] == "host" and n["package_folder"]]
        return InstallGraph(
            generators=Path(component["generators_folder"]),
            packages=tuple(Path(node["package_folder"]) for node in packages),
            runtime=dict(pair for node in reversed(packages) for pair in _shared_libraries(node)),
            skels=dict(pair for node in reversed(packages) for pair in _skels(node)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unexpected_output(file, repr(error)) from error


def _shared_libraries(node: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """SONAMEs and paths of the shared libraries in a package.

    A package may also name directories of the system: the device has their libraries.
    """
    for folder in _directories(node, "libdirs"):
        for file in sorted(folder.glob("*.so*")):
            if file.is_file() and is_elf(file):
                yield read_elf(file).soname or file.name, file.resolve()


def _skels(node: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """The files of a package for the DSP: libraries in directories of archs, in its resources."""
    for folder in _directories(node, "resdirs"):
        for arch in HEXAGON_ARCHS:
            for file in sorted(folder.glob(f"{arch}/*.so*")):
                if file.is_file() and is_elf(file):
                    yield f"dsp/{arch}/{file.name}", file.resolve()


def _directories(node: dict[str, Any], kind: str) -> list[Path]:
    """The directories of one kind that are in the package."""
    root = Path(node["package_folder"])
    found = {Path(d) for part in node["cpp_info"].values() for d in part[kind] or ()}
    return sorted(folder for folder in found if folder.is_relative_to(root))


class ConanPackage(Value):
    """A package of the device's side, of which code may be in a release.

    `revision` identifies its recipe and sources, `package_id` its settings and options; `licences`
    are as its recipe names them; `folder` is the directory of its files.  The revision of the
    binary is left out: it differs from one machine that built the package to another.
    """

    name: str
    version: str
    user: str
    channel: str
    revision: str
    package_id: str
    licences: tuple[str, ...]
    folder: Path

    @property
    def purl(self) -> str:
        """The package URL.  Source: the purl specification, type `conan`."""
        qualifiers = {"channel": self.channel, "rrev": self.revision, "user": self.user}
        text = "&".join(f"{name}={quote(v, safe='')}" for name, v in qualifiers.items() if v)
        name, version = quote(self.name, safe=""), quote(self.version, safe="")
        return f"pkg:conan/{name}@{version}{'?' if text else ''}{text}"


def step_packages(step: CMakeStep) -> tuple[ConanPackage, ...]:
    """The packages that are installed for a step; raises `ToolError` for an unexpected graph."""
    return read_packages(step.packages / GRAPH) if step.conan else ()


def read_packages(graph: Path) -> tuple[ConanPackage, ...]:
    """The packages in Conan's graph, by name; without those of the build machine and of tests.

    Raises `ToolError` if the graph is not as expected.
    """
    data = read_json(graph)
    try:
        _, *others = data["graph"]["nodes"].values()
        shipped = [
            _package(node)
            for node in others
            if node["context"] == "host" and node["package_folder"] and not node.get("test")
        ]
        return tuple(sorted(dict.fromkeys(shipped)))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unexpected_output(graph, repr(error)) from error


def _package(node: Mapping[str, Any]) -> ConanPackage:
    licence = node["license"] or ()
    return ConanPackage(
        name=str(node["name"]),
        version=str(node["version"]),
        user=node["user"] or "",
        channel=node["channel"] or "",
        revision=node["rrev"] or "",
        package_id=node["package_id"] or "",
        licences=(licence,) if isinstance(licence, str) else tuple(map(str, licence)),
        folder=Path(node["package_folder"]),
    )
