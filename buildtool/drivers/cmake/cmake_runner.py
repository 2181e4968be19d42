"""Bring the build tree of a step up to date, in three stages.

1. Configure: CMake runs if anything that it read has changed.
2. Build: Ninja runs.
3. Install: the output directory is filled.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import _data
from buildtool.core import beside
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest, has_content, time_between_changes, write_if_changed
from buildtool.core.processes.process import ToolInterrupt
from buildtool.core.processes.process_tree import running_tools
from buildtool.core.value import Value
from buildtool.drivers.cmake.arguments import cache_entries, cmake_arguments, trace_arguments
from buildtool.drivers.cmake.compiler_launcher import CompilerLauncher
from buildtool.drivers.cmake.file_api import index_name, read_build_tree, write_query
from buildtool.drivers.cmake.incremental_tree import IncrementalTree
from buildtool.drivers.cmake.record_build import (
    BuildStart,
    CommandReads,
    needs_new_tree,
    read_by_commands,
    record_configuration,
    record_failure,
    record_start,
    record_success,
    start_again,
    undeclared_files,
)
from buildtool.drivers.cmake.step_tools import StepLog, StepTools
from buildtool.drivers.cmake.tool_messages import CHECKING, CONFIGURING, StepWarnings
from buildtool.drivers.cmake.tree_files import (
    FINGERPRINT,
    GLOBS,
    TOOLCHAIN,
    TRACE,
    any_newer,
    delete,
    delete_files,
    mark_configured,
)
from buildtool.drivers.cmake.tree_record import TreeRecord, write_tree_record
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.path_sets import ReadInputs
from buildtool.plan.plan import CMakeStep
from buildtool.plan.presets import empty_written, preset_files

if TYPE_CHECKING:
    from buildtool.drivers.cmake.leftovers import Found
    from buildtool.drivers.conan.install import Dependencies


_MOST_RUNS = 5
"""Of Ninja in one build.  Each makes again what the one before has made outdated; they do not come
to an end if what commands write differs each time."""


class CMakeRunner(Value):
    """Runs CMake and Ninja for one step.

    `needs` maps each step that this one needs to the digest of its outputs.  `environment` is that
    of the tools.  `on_output` gets each line that they print.  With `keep_going` Ninja continues
    after a command has failed.
    """

    step: CMakeStep
    dependencies: Dependencies | None
    compiler_launcher: CompilerLauncher | None
    needs: Mapping[str, str]
    environment: Mapping[str, str]
    file_states: FileStates
    log: StepLog
    on_output: Callable[[str], None]
    warnings: StepWarnings
    keep_going: bool = False

    def build(self, base_key: str, on_ninja_killed: Callable[[], None]) -> ReadInputs:
        """Configure if necessary, build, and fill the output directory of the step.

        Nothing of a tree that was made with another `base_key` is used.  `on_ninja_killed` is
        called when a signal ended Ninja.  Returns what was read.

        Raises `ToolError` when CMake or Ninja fails, `ProfileError` when a target needs something
        that the profile's compiler cannot do, `CdsprpcError` when a target links another libcdsprpc
        than the system's, and `ArtifactError` when the step ships nothing or what cannot ship.
        """
        started_ns, tree = time_between_changes(), self.incremental
        record, configured = self.ensure_configured(base_key)
        start, reads, found = self._make(record, started_ns, on_ninja_killed, configured=configured)
        if found.suspicious or needs_new_tree(tree, start):
            (tree.path / FINGERPRINT).unlink(missing_ok=True)  # also if this is killed
            delete_files(tree.path, found.outdated)
            record_success(tree, start, reads, found, installed=False)
            if needs_new_tree(tree, start) and (tree.path / GLOBS).exists():
                delete(tree.path)
            record, _ = self.ensure_configured(base_key)
            start, reads, found = self._make(record, started_ns, on_ninja_killed, configured=True)
        try:
            self._install()
        except BuildtoolError:
            record_failure(tree, start)
            raise
        read = record_success(tree, start, reads, found, installed=self.step.install)
        if read.uncertain:
            names = list(map(self.step.roots.name_of, reads.unreported.uncertain))
            self.warnings.add(_uncertainty_warning(read.uncertain, names), CHECKING)
        from buildtool.drivers.cmake.scan.absolute_names import with_absolute_names  # noqa: PLC0415 - loaded while tools run

        return read._replace(inputs=with_absolute_names(read.inputs, self.step, self.environment))

    def ensure_configured(self, base_key: str) -> tuple[TreeRecord, bool]:
        """Make the tree ready for Ninja: delete stale products, and configure it if necessary.

        Returns its record, and whether CMake ran.  Raises as `build` does.
        """
        tree = self.incremental
        # What external projects and checks left names the tree: one that was moved is made again.
        base_key = f"{base_key} {tree.path}"
        record = tree.prepare(base_key)
        if self.is_configured():
            return record, False
        from buildtool.drivers.cmake import new_tree  # noqa: PLC0415 - CMake seldom runs

        fingerprint = self.fingerprint  # of the files before CMake reads them
        started_ns, fetched_before = time_between_changes(), False
        if tree.path.is_dir():
            write_tree_record(tree.path, record)
            new_tree.set_aside(tree.path)
            fetched_before = new_tree.carry_fetched(tree.path, record)
        self.configure()
        if fetched_before and not new_tree.same_calls(tree.path):
            delete(tree.path)
            self.configure()
        record = record_configuration(tree, record, started_ns)
        self.check_configuration()
        write_if_changed(tree.path / FINGERPRINT, fingerprint)
        return record, True

    def is_configured(self) -> bool:
        """Whether CMake has configured the tree with the current fingerprint."""
        tree = self.step.tree
        names = ("build.ninja", "CMakeCache.txt", "CMakeFiles", TRACE, TOOLCHAIN)
        return (
            all((tree / name).exists() for name in names)
            and bool(index_name(tree))
            and has_content(tree / FINGERPRINT, self.fingerprint.encode())
        )

    def configure(self) -> None:
        """Run CMake in a tree without a cache."""
        step = self.step
        if step.preset:
            empty_written(step.source)
        write_if_changed(step.tree / TOOLCHAIN, step.profile.cmake_toolchain())
        write_query(step.tree)
        done = self.tools.run_checked(
            [
                step.cmake.program,
                *trace_arguments(step.tree / TRACE),
                *("-C", _data.path("cmake") / "quiet_policies.cmake"),
                *self.arguments,
            ],
            "configuring",
        )
        self.warnings.begin(CONFIGURING)
        self.warnings.of_cmake(done.output)

    def check_configuration(self) -> None:
        """Raise `ProfileError` or `CdsprpcError` for compile flags and libraries of the configured
        tree that cannot work."""
        from buildtool.drivers.cmake import configured_checks as checks  # noqa: PLC0415 - seldom

        if note := checks.nested_skels(self.step):
            self.warnings.add(note, CONFIGURING)
        unsupported, cdsprpc = self.tools.unsupported, self.step.profile.cdsprpc
        if not unsupported and not cdsprpc:
            return
        tree = read_build_tree(self.step.tree)
        if unsupported:
            checks.check_flags(tree, unsupported, self.step.profile.name)
            for noted in (checks.dropped_flags, checks.dropped_arguments, checks.missing_openmp):
                if note := noted(tree, self.step.profile):
                    self.warnings.add(note, CONFIGURING)
        if cdsprpc:
            checks.check_links(tree, cdsprpc)

    @property
    def cache(self) -> dict[str, str]:
        """The CMake cache entries of the tree."""
        return cache_entries(self.step, self.dependencies, self.compiler_launcher)

    @property
    def arguments(self) -> list[str]:
        """The arguments of CMake; also writes the scripts of a launcher into the tree."""
        return cmake_arguments(self.step, self.cache)

    @functools.cached_property
    def fingerprint(self) -> str:
        """Everything that shapes the configuration apart from the sources of the step; CMake runs
        again when it changes.

        CMake does not know the targets, but a new tree has only what they need."""
        step = self.step
        files = preset_files(step.source) if step.preset else []
        if step.toolchain_file:
            files = [*files, step.toolchain_file]
        fields = {
            "cmake": step.cmake.identity,
            "arguments": self.arguments,
            "targets": list(step.targets),
            "dependencies": self.dependencies.key if self.dependencies else "",
            "needs": dict(self.needs),
            "environment": dict(step.profile.environment),
            "toolchain": step.profile.cmake_toolchain(),
            "files": [file_digest(file) for file in files if file.is_file()],
        }
        return json.dumps(fields, indent=1)

    @functools.cached_property
    def incremental(self) -> IncrementalTree:
        return IncrementalTree(self.step, self.environment, self.file_states)

    @functools.cached_property
    def tools(self) -> StepTools:
        return StepTools(self.step, self.environment, self.log, self.on_output)

    def _make(
        self,
        record: TreeRecord,
        started_ns: int,
        on_killed: Callable[[], None],
        *,
        configured: bool,
    ) -> tuple[BuildStart, CommandReads, Found]:
        """Build the targets in the tree, which CMake has just `configured` or not."""
        configuration, tree = record.configuration, self.incremental
        if configured or any_newer(tree.path, configuration.cmake_inputs, self.step.roots):
            mark_configured(tree.ninja, configuration.rule_outputs, has_run=configured)
        start = record_start(tree, record, started_ns, is_new=configured)
        threading.Thread(target=_preload, daemon=True).start()
        # A compiler launcher does not know the files that no tool reports.
        run, bypass = start, record.unreported.by_options
        for number in itertools.count(1):
            self._run_ninja(run, on_killed, bypass=bypass)
            reads = read_by_commands(tree, start)
            found = undeclared_files(tree, run, reads)
            if number == 1:
                others = tree.outdated(reads.unreported)
                if self.compiler_launcher and not bypass:
                    others |= reads.launched_unreported
                found = found._replace(outdated=found.outdated | others)
            if not found.outdated or found.suspicious:
                break
            if number == _MOST_RUNS:
                found = found._replace(suspicious=not configured)
                break
            delete_files(tree.path, found.outdated)
            run, bypass = start_again(tree, run, found), True
        return start, reads, found

    def _run_ninja(
        self, start: BuildStart, on_killed: Callable[[], None], *, bypass: bool = False
    ) -> None:
        """Build the targets of the step, with `bypass` without the cache of a compiler launcher;
        records what was made if Ninja fails."""
        tools = self.tools
        if bypass and self.compiler_launcher:
            variables = {**tools.environment, **self.compiler_launcher.bypass}
            tools = tools._replace(environment=variables)
        command: list[str | Path] = [
            self.step.cmake.ninja,
            *("-d", "keepdepfile"),  # Ninja misparses some of them, see `scan.depfile`
            *(("-k", "0") if self.keep_going else ()),
            *("-C", self.step.tree),
            *self.step.targets,
        ]
        try:
            done = tools.run(command)
        except ToolInterrupt as interrupt:
            if interrupt.status and interrupt.status > 0:  # it ended itself and was not killed
                with running_tools():
                    record_failure(self.incremental, start)
            raise
        if done.status < 0:
            on_killed()
        elif done.status > 0:
            record_failure(self.incremental, start)
        self.warnings.of_ninja(done.output, self.step.tree, failed=done.status != 0)
        self.tools.check(done, "building")

    def _install(self) -> None:
        from buildtool.drivers.cmake.install import fill_output  # noqa: PLC0415 - loaded while tools run

        fill_output(self.tools)


beside.later += (
    "buildtool.drivers.cmake.scan.input_scanner",
    "buildtool.drivers.cmake.leftovers",
    "buildtool.drivers.cmake.install",
    "buildtool.drivers.cmake.scan.absolute_names",
    "buildtool.drivers.cmake.shipped_files",
)

_MISPARSED = (
    "It is uncertain which headers were read",
    "A header with another name may have been read in place of",
    "Rename the header or directory whose name contains a backslash or a control character, or ends"
    " with a colon: compilers and Ninja misparse such names.",
)
_COMPUTED = (
    "It is uncertain which files were read",
    "A macro of the assembler makes the name of an .incbin or .include in the source of",
    "Write the name of the file as a string, or let a macro of the preprocessor make it.",
)


def _uncertainty_warning(names: Sequence[str], objects: Sequence[str]) -> str:
    """The warning about the headers `names`, or about `objects` whose assembler reads files."""
    what, why, remedy = _COMPUTED if objects else _MISPARSED
    names = objects or names
    shown = "".join(f"\n  {name!a}" for name in names[:3]) + ("\n  …" if names[3:] else "")
    return (
        f"{what}, so this step is built each time and not stored in a cache. {why}{shown}\n{remedy}"
    )


def _preload() -> None:
    """Import what finds a step's inputs and checks its products: while Ninja runs, this is free."""
    beside.import_later()
    with contextlib.suppress(Exception):
        from buildtool.toolchains.system_libraries import known_shells  # noqa: PLC0415

        known_shells()
