"""Configures components as a build does, in a directory that is deleted afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from buildtool.cache.zig_cache import FIRST_NOTE, has_library
from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, Note, StepOutput, Warned, open_step
from buildtool.core.processes.process import ToolError, capture
from buildtool.core.value import Value
from buildtool.drivers.cmake.arguments import tool_environment
from buildtool.drivers.cmake.cmake_runner import CMakeRunner
from buildtool.drivers.cmake.file_api import LINKED, BuildTree, CMakeTarget, read_build_tree
from buildtool.drivers.cmake.install import Installation, read_installation
from buildtool.drivers.cmake.scan.ninja import NinjaQuery
from buildtool.drivers.cmake.step_tools import StepLog
from buildtool.drivers.cmake.tool_messages import StepWarnings
from buildtool.drivers.cmake.tree_files import TRACE
from buildtool.inputs.file_states import FileStates
from buildtool.plan.environment import build_environment
from buildtool.plan.plan import CMakeStep, plan_target
from buildtool.project.components import Host, Skel
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.project.model import Header, Project, Target
from buildtool.propose.cmake_tree import CMakeCall, traced_calls
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.select_profiles import host_profile, skel_profiles

IDLE_LIMIT = 60.0  # seconds in which a configuration neither prints nor uses processor time
LISTING_LIMIT = 60.0  # seconds for the names of presets
NO_NEEDS: Mapping[str, Path] = {}
_ERROR = re.compile(r"^CMake Error(?: \(dev\))?(?: at (.+?):(\d+)(?: \([^\n]*\))?)?:", re.MULTILINE)
_STACK = re.compile(r"^  (\S.*):(\d+) \([^\n]*\)$", re.MULTILINE)
_UNUSED = re.compile(
    r"Manually-specified variables were not used by the project:\n\n((?: +\S+\n)+)"
)
_NINJA_ERROR = re.compile(r"ninja: error: .+")
_PRESET = re.compile(r'^  "([^"\n]+)"', re.MULTILINE)
MAX_REASON = 240
Component = Host | Skel


class Configured(Value):
    """A configured component, as CMake reports it."""

    step: CMakeStep
    model: BuildTree
    installation: Installation
    built: frozenset[str]  # the files of the default build
    calls: tuple[CMakeCall, ...]  # the commands that ran in the tree's CMake files
    unused: frozenset[str]  # the cache entries that were not read

    @property
    def linked(self) -> tuple[CMakeTarget, ...]:
        """The programs and shared libraries of the default build."""
        return tuple(
            target
            for target in self.model.targets
            if target.kind in LINKED and self.built.intersection(map(str, target.artifacts))
        )

    @property
    def names(self) -> frozenset[str]:
        """The names of `linked`."""
        return frozenset(target.name for target in self.linked)


class ConfigureFailure(Value):
    """A component that cannot be configured: why, what to do, and the commands that ran."""

    reason: str
    remedy: str
    calls: tuple[CMakeCall, ...] = ()


ConfigureResult = Configured | ConfigureFailure


class Configurator:
    """Configures components of the tree `root` with the profiles that a build uses.

    `scratch` is an empty directory.  The profiles are those of a target with `dsp_toolchain`.
    """

    def __init__(self, root: Path, scratch: Path, dsp_toolchain: str, listener: Listener) -> None:
        self.root = root
        self.scratch = scratch
        self.dsp_toolchain = dsp_toolchain
        self.listener = listener
        self._done: dict[str, ConfigureResult] = {}
        self._profiles: dict[str, Profile] = {}

    def __call__(
        self, component: Component, arch: str = "", needs: Mapping[str, Path] = NO_NEEDS
    ) -> ConfigureResult:
        """Configure `component` for `arch` ("" for the ARM64 side); the result is cached.

        `needs` are the directories that other components install into.  Errors of CMake and of the
        checks of a configured tree become a `ConfigureFailure`.
        """
        if isinstance(component, Skel):
            component = component._replace(archs=())  # they do not affect a configuration
        key = repr((component, arch, sorted(needs.items())))
        if key not in self._done:
            self._done[key] = self._configure(component, arch, needs)
        return self._done[key]

    def _configure(
        self, component: Component, arch: str, needs: Mapping[str, Path]
    ) -> ConfigureResult:
        name = f"{component.source} {f'Hexagon {arch}' if arch else 'ARM64'}"
        place = self.scratch / str(len(self._done))
        with open_step(name, "configuring", self.listener) as opened:
            try:
                step = self._step(component, arch, needs, place)
            except BuildtoolError as error:  # the toolchain is not installed
                return ConfigureFailure(_short(f"{error.message}: {error.why}"), error.remedy)
            if not arch and "ZIG" in step.profile.places and not has_library("libc++.a"):
                self.listener(Note(FIRST_NOTE))
            done = self._run(step, place, lambda line: self.listener(StepOutput(name, line)))
            opened.outcome = "configured" if isinstance(done, Configured) else "skipped"
        return done

    def _step(
        self, component: Component, arch: str, needs: Mapping[str, Path], place: Path
    ) -> CMakeStep:
        profile = self.profile(arch)
        target = self._target(arch)
        project = Project(self.root, Header("init"), {}, {}, {"sim": target})
        if isinstance(component, Host):
            project = project._replace(hosts={"it": component})
        else:
            project = project._replace(skels={"it": component})
        (step,) = plan_target(project, "sim", find_cmake(), profile, {arch: profile}).cmake_steps
        return step._replace(
            tree=place / "tree", output=place / "output", needs=tuple(needs.items())
        )

    def presets(self, folder: str) -> tuple[str, ...]:
        """The names of a directory's configure presets; none if CMake cannot read them."""
        source = self.root / folder
        if not (source / "CMakePresets.json").is_file():
            return ()
        command: list[str | Path] = [find_cmake().program, "--list-presets=configure"]
        try:
            done = capture(command, env=build_environment(), cwd=source, timeout=LISTING_LIMIT)
        except BuildtoolError:
            return ()
        return tuple(_PRESET.findall(done.output)) if done.status == 0 else ()

    def profile(self, arch: str) -> Profile:
        """The profile of a DSP arch, or that of the ARM64 side for "".

        Raises `ProfileError`, `ToolMissingError` and `ToolUnfitError`.
        """
        if arch not in self._profiles:
            target = self._target(arch)
            project = Project(self.root, Header("init"), {}, {}, {"sim": target})
            self._profiles[arch] = (
                skel_profiles(project, target)[arch] if arch else host_profile(project, target)
            )
        return self._profiles[arch]

    def _target(self, arch: str) -> Target:
        # The ARM64 side gets the SDK's variables only if the target has an arch.
        archs = (arch or HEXAGON_ARCHS[0],)
        return Target("ubuntu-aarch64", archs, dsp_toolchain=self.dsp_toolchain)

    def _run(
        self, step: CMakeStep, place: Path, on_output: Callable[[str], None]
    ) -> ConfigureResult:
        log = StepLog(place / "log", step.name, IDLE_LIMIT)
        runner = _runner(step, log, on_output)
        try:
            runner.configure()
            runner.check_configuration()
            return _configured(runner, _text(log.path))
        except BuildtoolError as error:
            output = _text(log.path)
            calls = traced_calls(step.tree / TRACE, step.root)
            reason = f"{error.message}: {error.why}"
            if isinstance(error, ToolError):  # `why` is CMake's whole output, or a command
                of_ninja = _NINJA_ERROR.search(error.why)
                reason = of_ninja[0] if of_ninja else error.message
                explained = first_error(output, step.source, step.root)
                if not explained and not of_ninja:  # the log is deleted with the tree
                    self.listener(Warned(step.name, f"{error.message}\n{error.why}"))
                reason = explained or reason
            remedy = error.remedy
            if str(self.scratch) in remedy:
                remedy = "Correct that, then uncomment the table."
            return ConfigureFailure(_short(reason), remedy, calls)
        finally:
            log.close()


def _runner(step: CMakeStep, log: StepLog, on_output: Callable[[str], None]) -> CMakeRunner:
    return CMakeRunner(
        step=step,
        dependencies=None,
        compiler_launcher=None,
        needs={},
        environment=tool_environment(step),
        file_states=FileStates(),
        log=log,
        on_output=on_output,
        warnings=StepWarnings(lambda _: None),
    )


def _configured(runner: CMakeRunner, output: str) -> Configured:
    step = runner.step
    graph = NinjaQuery(step.tree, step.cmake.ninja, runner.environment).graph()
    unused = _UNUSED.search(output)
    return Configured(
        step,
        read_build_tree(step.tree),
        read_installation(step.tree),
        graph.rule_outputs & frozenset(graph.inputs),
        traced_calls(step.tree / TRACE, step.root),
        frozenset(unused[1].split()) if unused else frozenset(),
    )


def first_error(output: str, source: Path, root: Path) -> str:
    """CMake's first error in its `output`, with file and line in the tree `root`; or "".

    `source` is the source directory.
    """
    match = _ERROR.search(output)
    if not match:
        return ""
    text, _, stack = output[match.end() :].partition("Call Stack (most recent call first):")
    text = text.partition("\nCMake ")[0].partition("\n-- ")[0].partition("\n\n\n")[0]
    places = [(match[1] or "", match[2] or ""), *_STACK.findall(stack.partition("\n\n")[0])]
    # CMake prints paths below the source directory relative to it, and other paths absolute.
    for file, line in places:
        path = source / file
        if file and path.is_relative_to(root) and path.is_file():
            return f"{path.relative_to(root)}:{line}: {' '.join(text.split())}"
    return " ".join(text.split())


def _short(text: str) -> str:
    words = " ".join(text.split()).rstrip(":.")
    return words if len(words) <= MAX_REASON else f"{words[: MAX_REASON - 2]} …"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
