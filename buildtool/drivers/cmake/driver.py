"""Bring a step's build tree up to date: CMake when what it read changed, Ninja, install."""

from __future__ import annotations

import functools
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import _data
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest, has_content, write_if_changed
from buildtool.core.own_directory import make_directory
from buildtool.core.process import Completed, ToolInterrupt
from buildtool.core.process_tree import running_tools
from buildtool.core.trees import replace_directory
from buildtool.core.value import Value
from buildtool.drivers.cmake import build_tree, generated_files
from buildtool.drivers.cmake.arguments import cache_entries
from buildtool.drivers.cmake.build_tree import TreeNote
from buildtool.drivers.cmake.file_api import answered, ask, read_build_tree
from buildtool.drivers.cmake.future import any_from_future, keep_configured
from buildtool.drivers.cmake.incremental_tree import IncrementalTree, ReadInputs
from buildtool.drivers.cmake.launcher import Launcher
from buildtool.drivers.cmake.mend import INSTALL_TRACE, STAMP, TOOLCHAIN, TRACE
from buildtool.drivers.cmake.ninja_log import log_lines
from buildtool.drivers.cmake.preload import preload
from buildtool.drivers.cmake.products import (
    UMASK,
    add_artifacts,
    check_installed,
    copy_artifacts,
    normalize_modes,
    preserve_mtimes,
)
from buildtool.drivers.cmake.step_log import StepLog
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.roots import Roots
from buildtool.plan.plan import CMakeStep
from buildtool.plan.presets import empty_written, preset_files
from buildtool.sdk.cmake import CMake
from buildtool.toolchains.cdsprpc import missing_symbols_remedy
from buildtool.toolchains.unsupported import explain_failure

if TYPE_CHECKING:
    from buildtool.drivers.conan.install import Dependencies
    from buildtool.toolchains.unsupported import UnsupportedRule

PROGRESS = re.compile(
    r"\[\d+/\d+\]|ninja: |-- |loading initial cache|Put cmake in trace mode|Trace will be"
)  # lines of Ninja and CMake about progress
RUNPATHS = "runpaths.cmake"


class Driver(Value):
    """The tools of one step.

    `needs` are the digests of the outputs of the steps that this one needs, by step; `environment`
    is that of the tools; `log` and `say` get what they print, `warn` the warnings of tools that
    succeeded.  With `keep_going` Ninja goes on after a failure.
    """

    step: CMakeStep
    cmake: CMake
    dependencies: Dependencies | None
    launcher: Launcher | None
    needs: Mapping[str, str]
    environment: Mapping[str, str]
    roots: Roots
    file_states: FileStates
    log: StepLog
    say: Callable[[str], None]
    warn: Callable[[str], None]
    keep_going: bool = False

    @property
    def cache(self) -> dict[str, str]:
        """The cache entries that CMake is given."""
        return cache_entries(self.step, self.cmake, self.dependencies, self.launcher)

    @functools.cached_property
    def incremental(self) -> IncrementalTree:
        """The step's build tree."""
        return IncrementalTree(
            self.step, self.cmake.ninja, self.environment, self.roots, self.file_states
        )

    @property
    def tree(self) -> Path:
        return self.step.tree

    def build(self, base_key: str, killed: Callable[[], None]) -> ReadInputs:
        """Configure if need be, build, and fill the step's output directory.

        `base_key` names what no part of an old build tree may outlive; `killed` is called when
        Ninja died of a signal.  Returns what was read.  Raises `ToolError` when CMake or Ninja
        fails, `ProfileError` when a target asks for what the profile cannot compile, `CdsprpcError`
        when one links another libcdsprpc than the system's, `ArtifactError` when the component
        ships nothing, or what cannot ship.
        """
        begun = time.time_ns()
        note, configured = self.ensure_configured(base_key)
        if configured or any_from_future(note.configured.read, self.roots):
            keep_configured(self.tree, self.cmake.ninja, self.environment, note.configured.made)
        options = ["-d", "keepdepfile"]  # Ninja misreads some, see `depfile`
        options += ["-k", "0"] if self.keep_going else []
        where = ["-C", str(self.tree)]
        command = [str(self.cmake.ninja), *options, *where, *self.step.targets]
        commands = log_lines(self.tree)
        build_tree.write_note(self.tree, note._replace(known=False))
        preload()
        try:
            done = self.run(command)
        except ToolInterrupt as interrupt:
            if interrupt.status and interrupt.status > 0:  # else it was killed in the end
                with running_tools():
                    self.incremental.record_failure(note, commands, begun)
            raise
        if done.status < 0:
            killed()
        elif done.status > 0:
            self.incremental.record_failure(note, commands, begun)
        self.show(self.check(done, "building"), "warning:")
        try:
            self.install()
        except BuildtoolError:
            self.incremental.record_failure(note, commands, begun)
            raise
        made = self.incremental.record_success(note, commands, begun, installed=self.step.install)
        if made.doubtful:
            self.warn(_doubts(made.doubtful))
        return made

    def ensure_configured(self, base_key: str) -> tuple[TreeNote, bool]:
        """Bring the tree to where Ninja can run: its note, and whether CMake ran.  Raises as
        `build`."""
        note = self.incremental.prepare(base_key)
        if self.is_configured():
            return note, False
        configure_fingerprint = self.configure_fingerprint  # before CMake reads it
        build_tree.write_note(self.tree, note)  # true of the objects whatever becomes of CMake
        begun, before = time.time_ns(), generated_files.all_stamps(self.tree)
        self.configure()
        if generated_files.any_missing(self.tree, note.generated):
            note, before = self.incremental.reset(base_key), {}
            self.configure()
        note = self.incremental.record_configuration(note, before, begun)
        self.check_configuration()
        write_if_changed(self.tree / STAMP, configure_fingerprint)
        return note, True

    def install(self) -> None:
        """Fill the step's output directory, as a whole."""
        from buildtool.drivers.cmake.runpath import runpath_script  # noqa: PLC0415 - loaded while tools run
        from buildtool.drivers.cmake.tree_libraries import add_needed  # noqa: PLC0415

        fresh, copied = self.tree / "install.new", self.tree / "artifacts.new"
        for folder in (fresh, copied):
            build_tree.delete(folder)
            folder.mkdir()
        copy_artifacts(self.step, copied)  # before anything else in the tree has these names
        if self.step.install:
            # The script itself, not `cmake --install`: only so can absolute destinations be refused
            # before anything is written to them.
            command: list[str | Path] = [
                self.cmake.program,
                *_traced(self.tree / INSTALL_TRACE),
                f"-DCMAKE_INSTALL_PREFIX={fresh}",
                "-DCMAKE_ERROR_ON_ABSOLUTE_INSTALL_DESTINATION=ON",
                *("-P", self.tree / "cmake_install.cmake"),
            ]
            self.run_checked(command, "installing")
        add_needed(self.step, (fresh, copied), copied)
        for folder in (fresh, copied):  # before CMake writes to files that are read-only
            normalize_modes(self.step, folder)
        if script := runpath_script(self.step, fresh, copied):
            write_if_changed(self.tree / RUNPATHS, script)
            changes: list[str | Path] = [self.cmake.program, "-P", self.tree / RUNPATHS]
            self.run_checked(changes, "taking the build tree out of RUNPATHs of")
        add_artifacts(self.step, copied, fresh)
        build_tree.delete(copied)
        check_installed(self.step, fresh)
        normalize_modes(self.step, fresh)
        preserve_mtimes(fresh, self.step.output)
        make_directory(self.step.output.parent)
        replace_directory(fresh, self.step.output)

    def is_configured(self) -> bool:
        """Whether CMake configured the tree with these very arguments, and nothing that it read
        has changed since."""
        made = [self.tree / name for name in ("build.ninja", "CMakeCache.txt", "CMakeFiles", TRACE)]
        return (
            all(path.exists() for path in (*made, self.tree / TOOLCHAIN))
            and answered(self.tree)
            and has_content(self.tree / STAMP, self.configure_fingerprint.encode())
        )

    def configure(self) -> None:
        """Run CMake as if for the first time."""
        step = self.step
        (self.tree / STAMP).unlink(missing_ok=True)
        # What a former configuration cached must not shape this one.
        build_tree.delete_configuration(self.tree)
        if step.preset:
            empty_written(step.source)
        write_if_changed(self.tree / TOOLCHAIN, step.profile.cmake_toolchain())
        ask(self.tree)
        quiet = _data.path("cmake") / "quiet_policies.cmake"
        traced = _traced(self.tree / TRACE)
        command: list[str | Path] = [self.cmake.program, *traced, "-C", quiet, *self.arguments]
        self.show(self.run_checked(command, "configuring"), "CMake Warning")

    @functools.cached_property
    def arguments(self) -> list[str]:
        """Those of CMake."""
        step = self.step
        return [
            *(["--preset", step.preset] if step.preset else []),
            # The profile's entries go to a toolchain file that may know none of them, those of a
            # target to components that need not.
            *(["--no-warn-unused-cli"] if step.toolchain_file or step.target_defines else []),
            *("-G", "Ninja", "-S", str(step.source), "-B", str(step.tree)),
            *(f"-D{name}={value}" for name, value in self.cache.items()),
        ]

    @functools.cached_property
    def configure_fingerprint(self) -> str:
        """All that CMake is told besides what it reads in the step's sources."""
        step = self.step
        presets = preset_files(step.source) if step.preset else []
        own = [step.toolchain_file] if step.toolchain_file else []
        said = {
            "cmake": self.cmake.identity,
            "arguments": self.arguments,
            "dependencies": self.dependencies.key if self.dependencies else "",
            "needs": dict(self.needs),
            "environment": dict(step.profile.environment),
            "toolchain": step.profile.cmake_toolchain(),
            "files": [file_digest(file) for file in [*presets, *own] if file.is_file()],
        }
        return json.dumps(said, indent=1)

    def check_configuration(self) -> None:
        """Refuse flags and libraries that would not do."""
        if not self.unsupported and not self.step.profile.cdsprpc:
            return
        from buildtool.drivers.cmake.check_flags import check_flags  # noqa: PLC0415 - CMake seldom runs
        from buildtool.drivers.cmake.check_links import check_links  # noqa: PLC0415

        tree = read_build_tree(self.tree)
        if self.unsupported:
            check_flags(tree, self.step.profile)
        if self.step.profile.cdsprpc:
            check_links(tree, self.step.profile.cdsprpc)

    @property
    def unsupported(self) -> tuple[UnsupportedRule, ...]:
        """A toolchain file of the component's own brings a compiler of its own."""
        return () if self.step.toolchain_file else self.step.profile.unsupported

    def show(self, done: Completed, sign: str) -> None:
        """Show what a tool that succeeded said, when there is a warning in it."""
        if sign in done.output:
            said = [line for line in done.output.splitlines() if not PROGRESS.match(line)]
            self.warn("\n".join(said))

    def run_checked(self, argv: Sequence[str | Path], doing: str) -> Completed:
        self.say(doing)  # CMake is silent while it checks compilers
        return self.check(self.run(argv), doing)

    def run(self, argv: Sequence[str | Path]) -> Completed:
        done = self._run_once(argv)
        if done.status > 0 and "ZIG" in self.step.profile.places:
            from buildtool.cache.zig_cache import repair  # noqa: PLC0415 - loaded by now

            if repair(Path(self.environment["ZIG_GLOBAL_CACHE_DIR"]), done.output):
                return self._run_once(argv)
        return done

    def _run_once(self, argv: Sequence[str | Path]) -> Completed:
        return self.log.capture(
            argv, env=self.environment, cwd=self.step.source, on_line=self.say, umask=UMASK
        )

    def check(self, done: Completed, doing: str) -> Completed:
        if done.status == 0:
            return done
        from buildtool.drivers.cmake.diagnostics import diagnostics  # noqa: PLC0415 - most tools succeed
        from buildtool.drivers.cmake.hints import hints  # noqa: PLC0415
        from buildtool.drivers.cmake.idl_failure import idl_failure  # noqa: PLC0415

        step = self.step
        if error := idl_failure(done.output):
            error.diagnostics = diagnostics(f"error: {error.message}")
            raise error
        return self.log.check(
            done,
            f"{doing} {step.summary}",
            directories=(step.tree, step.source),
            remedy=explain_failure(self.unsupported, done.output)
            or (
                missing_symbols_remedy(done.output, step.profile.cdsprpc)
                if step.profile.cdsprpc
                else ""
            )
            or hints(done.output, step.arch or "")
            or f"The build tree is {step.tree}; fix what the tool reports and build again.",
        )


def _doubts(names: Sequence[str]) -> str:
    shown = "".join(f"\n  {name!a}" for name in names[:3]) + ("\n  …" if names[3:] else "")
    return (
        "It is not certain which headers were read, so this step is built each time, and not kept"
        f" in a cache. One of another name may have been read for{shown}\n"
        "Rename the header or directory that has a backslash or a control character in its name, or"
        " a colon at its end: compilers and Ninja misread such names."
    )


def _traced(file: Path) -> tuple[str, ...]:
    """What makes CMake tell of everything that it reads, in `file`."""
    return ("--trace-expand", "--trace-format=json-v1", f"--trace-redirect={file}")
