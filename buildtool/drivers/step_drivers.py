"""The drivers of all kinds of steps.

Most steps are up to date, so nothing that only a build needs is imported here.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.events import Listener, Note, StepOutput, Warned
from buildtool.core.files import open_regular, write_if_changed
from buildtool.drivers.cmake.tree_files import BUILT
from buildtool.plan.component_step import FilesStep
from buildtool.plan.plan import CMakeStep, Step
from buildtool.plan.step_driver import BuildResources, RecordedBuild, StepDriver, warnings_file
from buildtool.plan.step_key import base_key, step_fields

if TYPE_CHECKING:
    from buildtool.cache.outputs import Output
    from buildtool.drivers.cmake.cmake_runner import CMakeRunner
    from buildtool.drivers.cmake.tool_messages import StepWarnings
    from buildtool.drivers.conan.install import Dependencies
    from buildtool.inputs.path_sets import ReadInputs


def driver_of(step: Step) -> StepDriver:
    """The driver of the step."""
    return FilesDriver(step) if isinstance(step, FilesStep) else CMakeDriver(step)


class CMakeDriver:
    """Builds a step with CMake and Ninja, and its packages with Conan."""

    is_cached = True

    def __init__(self, step: CMakeStep) -> None:
        self.step = step
        self._packages: Dependencies | None = None

    def key_fields(self, needs: Mapping[str, str]) -> Mapping[str, Any]:
        key = ""
        if self.step.conan:
            from buildtool.drivers.conan.install import packages_key

            key = packages_key(self.step)
        return step_fields(self.step, needs, key)

    def lost(self) -> str:
        if not self.step.conan:
            return ""
        from buildtool.drivers.conan.install import installed

        packages = installed(self.step)
        return "" if packages and packages.is_complete else "what Conan made ready"

    def make_ready(self, fields: Mapping[str, Any], resources: BuildResources) -> Mapping[str, Any]:
        if not self.step.conan:
            return fields
        from buildtool.drivers.conan.install import install_dependencies

        with resources.token():
            self._packages = install_dependencies(self.step, resources.listener)
        # With a lockfile that Conan has just made, the key is another one.
        return {**fields, "packages": self._packages.key} if self._packages else fields

    def build(self, fields: Mapping[str, Any], resources: BuildResources) -> ReadInputs:
        with self._open(fields, resources) as runner, resources.token():
            return runner.build(base_key(fields), resources.token_lost)

    def configure(
        self, fields: Mapping[str, Any], resources: BuildResources
    ) -> tuple[dict[str, str], bool]:
        """Configure the build tree if necessary, and build nothing: the cache entries that CMake
        was given, and whether it ran."""
        with self._open(fields, resources) as runner:
            _, ran = runner.ensure_configured(base_key(fields))
            return runner.cache, ran

    def check(
        self, outputs: Sequence[Output], directory: Path, resources: BuildResources
    ) -> dict[str, str]:
        return _check(self.step, outputs, directory, resources)

    def has_tree(self, build: RecordedBuild) -> bool:
        try:
            with open_regular(self.step.tree / BUILT) as stream:
                return stream.read(100) == build.build_digest.encode()
        except OSError:
            return False

    def note_tree(self, build: RecordedBuild) -> None:
        with contextlib.suppress(OSError):  # then the tree is built again when it is needed
            write_if_changed(self.step.tree / BUILT, build.build_digest)

    def show_warnings_again(self, build: RecordedBuild, resources: BuildResources) -> None:
        file = warnings_file(resources.logs, self.step.name)
        if file.exists() and self.has_tree(build):
            from buildtool.drivers.cmake.tool_messages import show_kept

            show_kept(file, lambda text: resources.listener(Warned(self.step.name, text)))

    @contextlib.contextmanager
    def _open(self, fields: Mapping[str, Any], resources: BuildResources) -> Iterator[CMakeRunner]:
        """The tools of the step: its compiler launcher, zig with a usable cache, and its log."""
        from buildtool.drivers.cmake.arguments import tool_environment
        from buildtool.drivers.cmake.cmake_runner import CMakeRunner
        from buildtool.drivers.cmake.compiler_launcher import chosen, find_compiler_launcher
        from buildtool.drivers.cmake.step_tools import step_log

        step, listener = self.step, resources.listener
        wanted = chosen(resources.compiler_launcher, step.compiler_launcher)
        launcher = find_compiler_launcher(wanted, step.root) if wanted else None
        self.is_cached = launcher is None or launcher.is_known
        if zig := step.profile.places.get("ZIG"):
            _make_zig_ready(Path(zig))
            if step.profile.platform != "hexagon":
                _tell_of_libraries(listener)
        with step_log(resources.logs, step.name, step.summary) as log:
            yield CMakeRunner(
                step=step,
                dependencies=self._packages,
                compiler_launcher=launcher,
                needs=fields["needs"],
                environment={**tool_environment(step, launcher), **resources.environment},
                file_states=resources.file_states,
                log=log,
                on_output=lambda line: listener(StepOutput(step.name, line)),
                warnings=_warnings_of(step, resources),
                keep_going=resources.keep_going,
            )


class FilesDriver:
    """Copies prebuilt files.  A cache would only hold other copies, and there is no build tree."""

    is_cached = False

    def __init__(self, step: FilesStep) -> None:
        self.step = step

    def key_fields(self, needs: Mapping[str, str]) -> Mapping[str, Any]:
        return step_fields(self.step, needs, "")

    def lost(self) -> str:
        return ""

    def make_ready(self, fields: Mapping[str, Any], resources: BuildResources) -> Mapping[str, Any]:
        del resources
        return fields

    def build(self, fields: Mapping[str, Any], resources: BuildResources) -> ReadInputs:
        from buildtool.drivers.files import copy_files

        del fields
        return copy_files(self.step, resources.file_states)

    def check(
        self, outputs: Sequence[Output], directory: Path, resources: BuildResources
    ) -> dict[str, str]:
        return _check(self.step, outputs, directory, resources)

    def has_tree(self, build: RecordedBuild) -> bool:
        del build
        return True

    def note_tree(self, build: RecordedBuild) -> None:
        pass

    def show_warnings_again(self, build: RecordedBuild, resources: BuildResources) -> None:
        pass


def _check(
    step: Step, outputs: Sequence[Output], directory: Path, resources: BuildResources
) -> dict[str, str]:
    from buildtool.drivers.cmake.products import check_installed
    from buildtool.drivers.cmake.shipped_files import check_products
    from buildtool.drivers.cmake.tool_messages import CHECKING

    check_installed(step, directory)
    files = {output.path: directory / output.path for output in outputs}
    warnings = _warnings_of(step, resources)
    warnings.begin(CHECKING)
    complete = check_products(step, files, lambda text: warnings.add(text, CHECKING))
    return {name: str(path) for name, path in complete.items()}


def _warnings_of(step: Step, resources: BuildResources) -> StepWarnings:
    from buildtool.drivers.cmake.tool_messages import StepWarnings

    file = warnings_file(resources.logs, step.name)
    return StepWarnings(lambda text: resources.listener(Warned(step.name, text)), file)


def _make_zig_ready(program: Path) -> None:
    from buildtool.cache.zig_cache import make_ready, renew

    renew(make_ready(), program.parent / "lib")


@cache
def _tell_of_libraries(listener: Listener) -> None:
    from buildtool.cache.zig_cache import FIRST_NOTE, has_library

    if not has_library("libcompiler_rt.a"):
        listener(Note(FIRST_NOTE))
