"""Carry out a `CMakeStep`: configure when its arguments changed, let Ninja build, install."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from buildtool.build.check_flags import check_flags
from buildtool.build.check_links import check_links
from buildtool.build.conan_driver import dependencies
from buildtool.build.environment import PASSED_ON, build_environment
from buildtool.build.file_api import answered, ask, read_build_tree
from buildtool.build.plan import CMakeStep
from buildtool.build.presets import PRESETS, USER_PRESETS, empty_written, written_here
from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, Note, StepFinished, StepOutput, StepStarted, Warned
from buildtool.core.files import file_digest, tree_digest, write_if_changed
from buildtool.core.lock import locked
from buildtool.core.process import Completed, capture, check
from buildtool.sdk.cmake import CMake, find_cmake
from buildtool.toolchains.cdsprpc import advice
from buildtool.toolchains.refusal import Refusal, remedies

PROGRESS = re.compile(r"\[\d+/\d+\]|ninja: |-- ")  # lines of Ninja and CMake about progress
NOTHING_TO_DO = "no work to do"  # what Ninja says when every output is newer than its inputs


class ArtifactError(BuildtoolError):
    """A build succeeded but what it should have made is not there, or is not right."""

    code = "artifact"


def carry_out(step: CMakeStep, listener: Listener) -> str:
    """Bring the step's build tree and install prefix up to date.

    Returns `up-to-date` or `built`.  Raises `ToolError` when CMake or Ninja fails,
    `ProfileError` when a target asks for what the profile cannot compile, `CdsprpcError` when one
    links another libcdsprpc than the system's, `ArtifactError` when the component ships nothing.
    """
    with _driving(step, listener) as driver:
        return driver.run()


@dataclass(frozen=True, slots=True)
class Configured:
    """A configured build tree: the CMake that made it, the cache entries that it was given, and
    the environment besides what is the caller's own."""

    step: CMakeStep
    cmake: CMake
    cache: Mapping[str, str]
    environment: Mapping[str, str]


def configure(step: CMakeStep, listener: Listener) -> Configured:
    """Configure the step's build tree unless that was done, and build nothing.

    Raises as `carry_out` does.
    """
    with _driving(step, listener) as driver:
        driver.outcome = "configured" if driver.configure() else "up-to-date"
        own = {name: value for name, value in build_environment().items() if name not in PASSED_ON}
        environment = {**own, **step.profile.environment}
        return Configured(step, driver.cmake, driver.cache, environment)


@contextlib.contextmanager
def _driving(step: CMakeStep, listener: Listener) -> Iterator[_Driver]:
    """The step's build tree, nobody else's for the while."""
    started = time.monotonic()
    listener(StepStarted(step.name, step.summary))
    outcome = "failed"
    try:
        with locked(
            step.tree.with_suffix(".lock"),
            lambda: listener(Note(f"{step.name}: waiting for another buildtool")),
        ):
            driver = _Driver(step, find_cmake(step.cmake, step.ninja), listener)
            yield driver
            outcome = driver.outcome
    finally:
        listener(StepFinished(step.name, outcome, time.monotonic() - started))


class _Driver:
    def __init__(self, step: CMakeStep, cmake: CMake, listener: Listener) -> None:
        self.step = step
        self.cmake = cmake
        self.listener = listener
        self.outcome = "failed"
        self.environment = {**build_environment(), **step.profile.environment}
        self.dependencies = dependencies(step, cmake, listener)

    def run(self) -> str:
        configured = self.configure()
        if self.refusals or self.step.profile.cdsprpc:
            self.check_tree(regenerate=not configured)
        built = self.build()
        # Always: what is installed depends on more than what Ninja builds (data files, install()
        # rules), and an earlier run may have been killed before this point.
        installed = self.step.install and self.install()
        self.outcome = "built" if configured or built or installed else "up-to-date"
        return self.outcome

    @property
    def cache(self) -> dict[str, str]:
        """The cache entries that CMake is given."""
        step = self.step
        toolchain = step.toolchain_file or step.tree / "toolchain.cmake"
        if self.dependencies:
            toolchain = self.dependencies.toolchain
        return {
            "CMAKE_MAKE_PROGRAM": str(self.cmake.ninja),
            "CMAKE_TOOLCHAIN_FILE": str(toolchain),
            "CMAKE_BUILD_TYPE": step.build_type,
            "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
            "CMAKE_INSTALL_PREFIX": str(step.output),
            **dict(sorted(step.profile.variables.items())),
            **dict(step.defines),
        }

    def configure(self) -> bool:
        """Run CMake unless the tree was configured with these very arguments."""
        step = self.step
        toolchain = step.tree / "toolchain.cmake"
        arguments = [
            *(["--preset", step.preset] if step.preset else []),
            *("-G", "Ninja", "-S", str(step.source), "-B", str(step.tree)),
            *(f"-D{name}={value}" for name, value in self.cache.items()),
        ]
        stamp = step.tree / "configured.json"
        presets = [step.source / name for name in (PRESETS, USER_PRESETS)]
        own = [step.toolchain_file] if step.toolchain_file else []
        wanted = json.dumps(
            {
                "cmake": self.cmake.identity,
                "arguments": arguments,
                "dependencies": self.dependencies.key if self.dependencies else "",
                "environment": dict(step.profile.environment),
                "files": [
                    file_digest(file)
                    for file in [*presets, *own]
                    if file.is_file() and not written_here(file)
                ],
            },
            indent=1,
        )
        made = [step.tree / name for name in ("build.ninja", "CMakeCache.txt", "CMakeFiles")]
        if (
            all(path.exists() for path in made)
            and answered(step.tree)
            and stamp.is_file()
            and stamp.read_text() == wanted
            and toolchain.is_file()
            and toolchain.read_text() == step.profile.cmake_toolchain()
        ):
            return False
        # What a former configuration cached must not shape this one.
        for leftover in ("CMakeCache.txt", "CMakeFiles"):
            _remove(step.tree / leftover)
        stamp.unlink(missing_ok=True)
        if step.preset:
            empty_written(step.source)
        write_if_changed(toolchain, step.profile.cmake_toolchain())
        ask(step.tree)
        self.warn(self.tool([self.cmake.program, *arguments], "configuring"), "CMake Warning")
        write_if_changed(stamp, wanted)
        return True

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """A toolchain file of the component's own brings a compiler of its own."""
        return () if self.step.toolchain_file else self.step.profile.refusals

    def check_tree(self, *, regenerate: bool) -> None:
        """Refuse flags and libraries that would not do, as the CMakeLists.txt has them now."""
        if regenerate:
            self.tool([self.cmake.ninja, "-C", self.step.tree, "build.ninja"], "configuring")
        tree = read_build_tree(self.step.tree)
        if self.refusals:
            check_flags(tree, self.step.profile)
        if self.step.profile.cdsprpc:
            check_links(tree, self.step.profile.cdsprpc)

    def build(self) -> bool:
        command: list[str | Path] = [self.cmake.ninja, "-C", self.step.tree, *self.step.targets]
        done = self.tool(command, "building")
        self.warn(done, "warning:")
        return NOTHING_TO_DO not in done.output

    def warn(self, done: Completed, sign: str) -> None:
        """Show what a tool that succeeded said, when there is a warning in it."""
        if sign in done.output:
            said = [line for line in done.output.splitlines() if not PROGRESS.match(line)]
            self.listener(Warned(self.step.name, "\n".join(said)))

    def install(self) -> bool:
        """Bring the prefix up to date as a whole; returns whether anything in it changed."""
        prefix, fresh = self.step.output, self.step.tree / "install.new"
        _remove(fresh)
        # The script itself, not `cmake --install`: only so can absolute destinations be refused
        # before anything is written to them.
        command: list[str | Path] = [
            *(self.cmake.program, f"-DCMAKE_INSTALL_PREFIX={fresh}"),
            "-DCMAKE_ERROR_ON_ABSOLUTE_INSTALL_DESTINATION=ON",
            *("-P", self.step.tree / "cmake_install.cmake"),
        ]
        self.tool(command, "installing")
        fresh.mkdir(exist_ok=True)
        if prefix.is_dir() and tree_digest([prefix]) == tree_digest([fresh]):
            _remove(fresh)
            return False
        _remove(prefix)
        prefix.parent.mkdir(parents=True, exist_ok=True)
        fresh.rename(prefix)
        return True

    def tool(self, argv: Sequence[str | Path], doing: str) -> Completed:
        step = self.step
        done = capture(
            argv,
            env=self.environment,
            cwd=step.source,
            on_line=lambda line: self.listener(StepOutput(step.name, line)),
        )
        return check(
            done,
            f"{doing} {step.summary}",
            remedy=remedies(self.refusals, done.output)
            or (advice(done.output, step.profile.cdsprpc) if step.profile.cdsprpc else "")
            or f"The build tree is {step.tree}; fix what the tool reports and build again.",
        )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def shipped_files(step: CMakeStep) -> dict[str, Path]:
    """What the finished step ships: path relative to its prefix → file.

    Raises `ArtifactError` when it ships nothing, or a pattern in `artifacts` matches nothing.
    """
    if not step.artifacts:
        found = (
            {str(path.relative_to(step.output)): path for path in _files(step.output)}
            if step.install
            else {}
        )
        if not found:
            raise ArtifactError(
                f"{step.name} ships nothing",
                why=f"its install() rules put no file into {step.output}",
                remedy="Add install(TARGETS …) to its CMakeLists.txt, or name 'artifacts' in"
                " buildtool.toml.",
            )
        for name, path in found.items():
            if not path.exists():
                raise ArtifactError(
                    f"{step.name} ships {name}, a link to nothing",
                    why=f"it points to {path.readlink()}",
                    remedy="Install what it points to as well.",
                )
        return found
    found = {}
    for pattern in step.artifacts:
        try:
            matches = [path for path in sorted(step.tree.glob(pattern)) if path.is_file()]
        except (ValueError, IndexError, NotImplementedError):
            matches = []  # no pattern at all, so nothing matches it
        if not matches:
            raise ArtifactError(
                f"{step.name} made no {pattern!r}",
                why=f"nothing below {step.tree} matches it",
                remedy="Correct 'artifacts' in buildtool.toml, or the CMake target that makes it.",
            )
        for path in matches:
            if path.name in found:
                raise ArtifactError(
                    f"{step.name} has two artifacts called {path.name}",
                    why=f"{found[path.name]} and {path}",
                    remedy="Name one of them only in 'artifacts'.",
                )
            found[path.name] = path
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
