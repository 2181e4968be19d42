"""The packages that a component needs: Conan makes them ready with the component's profile.

Conan takes half a second to start, so nothing is run while what it would read is unchanged and what
it made is still there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.events import Listener, Note, StepOutput
from buildtool.core.files import file_digest, read_regular, value_digest, write_if_changed
from buildtool.core.own_directory import make_directory
from buildtool.core.process import ToolError
from buildtool.core.trees import remove_tree
from buildtool.drivers.conan import lockfile as conan_lock
from buildtool.drivers.conan.graph import Found, read_graph
from buildtool.drivers.conan.remedy import remedy
from buildtool.sdk.cmake import CMake
from buildtool.toolchains.conan_profile import ConanProfile, conan_profile

if TYPE_CHECKING:
    from buildtool.plan.plan import CMakeStep, ConanNeeds

TOOLCHAIN = "conan_toolchain.cmake"
GENERATORS = {"CMakeDeps": ("CMakeDeps", "CMakeConfigDeps"), "CMakeToolchain": ("CMakeToolchain",)}
"""What the component needs of Conan, and the names by which a conanfile may ask for it itself."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What Conan made ready for a step.

    `key` names everything that it read; `toolchain` is the CMake toolchain file, which includes the
    profile's; `packages` are the directories of the packages, `runtime` their shared libraries by
    SONAME.
    """

    key: str
    toolchain: Path
    packages: tuple[Path, ...]
    runtime: Mapping[str, Path]

    @property
    def lost(self) -> tuple[Path, ...]:
        """The packages that somebody took away."""
        return tuple(path for path in self.packages if not path.is_dir())

    def as_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "toolchain": str(self.toolchain),
            "packages": [str(path) for path in self.packages],
            "runtime": {name: str(path) for name, path in self.runtime.items()},
        }


def dependencies(step: CMakeStep, cmake: CMake, listener: Listener) -> Dependencies | None:
    """Make ready what the step's conanfile asks for; None when it has none.

    Raises `ToolError` when Conan fails, `ProfileError` for a path that Conan cannot have.
    """
    if not step.conan:
        return None
    home = step.conan.home
    request = _request(step, step.conan, cmake)
    had = installed(step)
    if had and had.key == request.key and had.toolchain.is_file() and not had.lost:
        return had
    with home.alone(listener, f"{step.name}: "):
        if had and had.lost:
            home.forget_packages()
        home.prepare()
        if not had or not had.toolchain.is_file():
            remove_tree(step.packages)  # of which Conan may have left anything
        make_directory(step.packages)
        found = request.install(listener)
    # The key only now: a lockfile that was not there is an input from now on.
    made = Dependencies(request.key, request.toolchain(found), found.packages, found.runtime)
    write_if_changed(_note(step), json.dumps(made.as_json(), indent=1))
    return made


def packages_key(step: CMakeStep, cmake: CMake) -> str:
    """Names everything that Conan would read for the step now; "" for one without packages.

    Starts no process.
    """
    return _request(step, step.conan, cmake).key if step.conan else ""


def installed(step: CMakeStep) -> Dependencies | None:
    """What was made ready for the step the last time."""
    if not step.conan:
        return None
    try:
        note = json.loads(read_regular(_note(step)))
        return Dependencies(
            key=note["key"],
            toolchain=Path(note["toolchain"]),
            packages=tuple(map(Path, note["packages"])),
            runtime={name: Path(path) for name, path in note["runtime"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _request(step: CMakeStep, needs: ConanNeeds, cmake: CMake) -> _Request:
    host, build = (
        conan_profile(profile, needs.home.where, cmake)
        for profile in (step.profile, needs.home.build_machine)
    )
    return _Request(step, needs, host, build)


def _note(step: CMakeStep) -> Path:
    return step.packages / "installed.json"


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked of Conan for a step."""

    step: CMakeStep
    needs: ConanNeeds
    host: ConanProfile
    build: ConanProfile

    @property
    def key(self) -> str:
        """A digest of everything that Conan reads for this."""
        conanfile = self.needs.conanfile
        read = [conanfile, conanfile.with_name("conandata.yml"), conan_lock.beside(conanfile)]
        return value_digest(
            {
                "files": [file_digest(file) if file.is_file() else "" for file in read],
                "profiles": [self.host.digest, self.build.digest],
                "home": self.needs.home.state,
                "arguments": self.arguments,
            }
        )

    @property
    def arguments(self) -> list[str]:
        """What is asked besides files, profiles and the lockfile; "&" is the component itself."""
        said = self.needs.conanfile.read_text(encoding="utf-8", errors="replace")
        build_type = dict(self.step.defines).get("CMAKE_BUILD_TYPE", self.step.build_type)
        arguments = [
            f"--settings=&:build_type={build_type}",
            # The toolchain file decides; only packages may be built by something else than CMake.
            "--conf=&:tools.build:compiler_executables=!",
            # Else it writes CMakeUserPresets.json into the source directory.
            "--conf=&:tools.cmake.cmaketoolchain:user_presets=",
        ]
        if own := self.step.toolchain_file:
            arguments.append(f"--conf=&:tools.cmake.cmaketoolchain:user_toolchain={[str(own)]}")
        for generator, names in GENERATORS.items():
            if not any(name in said for name in names):
                arguments.append(f"--generator={generator}")
        return arguments

    def install(self, listener: Listener) -> Found:
        """Run `conan install`, with the lockfile or making one."""
        home, step = self.needs.home, self.step
        lock, out = conan_lock.beside(self.needs.conanfile), step.packages
        fresh, graph = out / "new.lock", out / "graph.json"
        locking = ["--lockfile=", f"--lockfile-out={fresh}"]
        home.run(
            *("install", self.needs.conanfile, "--build=missing", f"--output-folder={out}"),
            *conan_lock.profiles(self.host, self.build, out),
            *([f"--lockfile={lock}"] if lock.is_file() else locking),
            *self.arguments,
            *("--format=json", f"--out-file={graph}"),
            doing=f"making ready the packages of {step.summary}",
            remedy=lambda output: remedy(output, lock),
            timeout=None,  # packages are compiled
            on_line=lambda line: listener(StepOutput(step.name, line)),
        )
        if not lock.is_file():
            conan_lock.settle(fresh, home.local)
            fresh.replace(lock)
            listener(Note(f"{step.name}: wrote {lock}; keep it with your sources"))
        return read_graph(graph)

    def toolchain(self, found: Found) -> Path:
        file = found.generators / TOOLCHAIN
        if not file.is_file():
            raise ToolError(
                f"{self.needs.conanfile} made no {TOOLCHAIN}",
                why=f"looked for: {file}",
                remedy="Let it generate CMakeToolchain and CMakeDeps, or name neither of them.",
            )
        return file
