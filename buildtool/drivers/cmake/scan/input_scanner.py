"""Determines what a step read, from the reports of CMake, Ninja and compilers.

| what was read by | is reported in | module |
|---|---|---|
| CMake commands | CMake's trace | `trace` |
| CMake's find_ commands | CMake's configure log | `configure_log` |
| try_compile(), try_run() and check_ commands | both of them | `configure_log` |
| Ninja's rules | build.ninja | `ninja` |
| compilers | dependency files, sources | `ninja`, `compiler_reads`, `shadows` |
| linkers, options of compilers | their command lines | `command_files` |
| assemblers | sources | `compiler_reads` |
| install() rules | the trace of the install script | `trace` |
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from buildtool.core.value import Value
from buildtool.drivers.cmake.file_api import CMakeInputs, read_build_tree, read_cmake_inputs
from buildtool.drivers.cmake.scan.compiler_reads import certain_reads, find_misparsed_deps
from buildtool.drivers.cmake.scan.configure_log import add_checks, add_searches, read_events
from buildtool.drivers.cmake.scan.header_names import AssemblerSources
from buildtool.drivers.cmake.scan.ninja import (
    Command,
    FilesByObject,
    NinjaQuery,
    read_build_rules,
    read_depfiles,
)
from buildtool.drivers.cmake.scan.path_filter import InputCollector, PathFilter, escape_glob
from buildtool.drivers.cmake.scan.shadows import Shadows
from buildtool.drivers.cmake.scan.trace import Traced, read_trace
from buildtool.drivers.cmake.tree_record import OBJECTS, Configuration, Unreported
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots


class StepInputs(Value):
    """The inputs of a step: of CMake and Ninja's rules (`configuration`), of compilers (`headers`),
    those that the project file declares or external projects read (`declared`), those of commands
    that no tool reports (`unreported`), and those of install() rules alone (`install`).

    `misparsed_deps` and `uncertain` are those of `CompilerReads`, the latter by root.
    """

    configuration: Configuration
    headers: PathSet
    declared: PathSet
    unreported: PathSet
    install: PathSet
    misparsed_deps: FilesByObject
    uncertain: tuple[str, ...]

    @cached_property
    def paths(self) -> PathSet:
        """All inputs."""
        rules = self.configuration.cmake_inputs | self.configuration.rule_inputs
        return rules | self.headers | self.declared | self.unreported | self.install


class InputScanner(Value):
    """Scans the build tree of `ninja` for the inputs of a step.

    `source` is the step's source directory, `output` that of its outputs, `targets` what it builds
    (none: the default targets).  The step key covers the files below `ignored_roots`.
    `misparsed_deps` and `unreported` are what earlier builds found.  Methods raise `FileApiError`,
    `TraceError` and `ToolError` when a report cannot be read.
    """

    ninja: NinjaQuery
    source: Path
    roots: Roots
    file_states: FileStates
    targets: Sequence[str] = ()
    ignored_roots: Collection[str] = ()
    misparsed_deps: FilesByObject = MappingProxyType({})
    unreported: Unreported = Unreported()
    output: Path | None = None

    @property
    def tree(self) -> Path:
        return self.ninja.tree

    def configuration(self, trace: Path) -> Configuration:
        """The inputs that CMake read when it configured the tree, and the graph that it wrote for
        Ninja.

        `trace` is the one of that run of CMake (--trace-expand --trace-format=json-v1).
        """
        graph = self.ninja.graph(self.targets)
        path_filter = self._path_filter(graph.rule_outputs)
        by_rules = InputCollector(path_filter, self.file_states)
        for file in graph.inputs:
            by_rules.add_content(file)
        by_cmake = InputCollector(path_filter, self.file_states)
        for path in self._cmake_inputs.files:
            by_cmake.add_content(str(path))
        for glob in self._cmake_inputs.globs:
            by_cmake.add_listing(
                glob.expression,
                recursive=glob.recursive,
                directories=glob.directories,
                follow=glob.follow,
            )
        traced = self._read_trace(trace, by_cmake)
        if log := self._cmake_inputs.log:
            events = [*read_events(log)]
            add_searches(events, by_cmake)
            for event in events:
                traced.checks.add_event(event)
        toolchains = read_build_tree(self.tree).toolchains.values()
        implicit = (path for tool in toolchains for path in tool.implicit_includes)
        add_checks(traced.checks, implicit, by_cmake)
        needed = [
            rule
            for rule in read_build_rules(self.tree)
            if not graph.needed_outputs.isdisjoint(rule.outputs)
        ]
        return Configuration(
            by_cmake.paths,
            by_rules.paths,
            graph.rule_outputs,
            graph.rule_outputs.difference(*(rule.outputs for rule in needed)),
            traced.external,
            traced.external_directories,
            frozenset(rule.outputs[0] for rule in needed if rule.is_custom),
            frozenset(rule.outputs[0] for rule in needed if rule.appends),
            frozenset(
                {*read_depfiles(self.tree).values(), *(rule.depfile for rule in needed)} - {""}
            ),
        )

    def declared(self, patterns: Iterable[str]) -> PathSet:
        """The inputs that the project file declares: globs, relative to the project."""
        found = InputCollector(self._path_filter(), self.file_states)
        for pattern in patterns:
            add_declared(pattern, found)
        return found.paths

    def step_inputs(
        self,
        configuration: Configuration,
        *,
        ninja_deps: FilesByObject,
        declared: Sequence[str] = (),
        install_trace: Path | None = None,
        since_ns: int = sys.maxsize,
        finished: Collection[str] = (),
    ) -> StepInputs:
        """The inputs of what was built in the tree.

        `ninja_deps` is what Ninja's `headers` are now.  `install_trace` is the trace of the install
        script, if it ran.  The build started at `since_ns` and made the outputs `finished`, whose
        dependency files still exist; what appeared during the build counts as absent.
        """
        path_filter = self._path_filter(configuration.rule_outputs)
        needed = configuration.rule_outputs - configuration.unneeded_outputs
        reads = certain_reads(
            {name: files for name, files in ninja_deps.items() if name in needed},
            self._update_misparsed_deps(ninja_deps, finished),
            self.file_states,
        )
        headers = InputCollector(path_filter, self.file_states)
        for file in dict.fromkeys(itertools.chain.from_iterable(reads.files.values())):
            headers.add_content(file)
        shadows = Shadows(read_build_tree(self.tree), reads.files, path_filter)
        shadows.add_to(headers, since_ns)
        found = StepInputs(
            configuration,
            headers.paths,
            self.declared(declared) | configuration.external_inputs,
            self._unreported_inputs(path_filter, needed),
            PathSet(),
            reads.misparsed_deps,
            tuple(map(self.roots.name_of, (*reads.uncertain, *self.unreported.uncertain))),
        )
        if not install_trace:
            return found
        install = InputCollector(path_filter, self.file_states)
        self._read_trace(install_trace, install)
        return found._replace(install=install.paths - found.paths)

    def dependents(self, files: Collection[Path]) -> dict[Path, tuple[Path, ...]]:
        """For each of `files` what is made directly from it, as far as a tool reported it."""
        certain = {name: paths for name, paths in self.misparsed_deps.items() if paths}
        found = self.ninja.dependents(files, certain)
        unreported = ((file, self.unreported.outputs_of(str(file))) for file in files)
        return {
            file: tuple(sorted({*found.get(file, ()), *map(Path, outputs)}))
            for file, outputs in unreported
        }

    def find_unreported(
        self,
        configuration: Configuration,
        ninja_deps: FilesByObject,
        finished: Collection[str],
        present: Collection[str] | None = None,
    ) -> Unreported:
        """What commands read that no tool reports, after Ninja has made the outputs `finished`.

        `present` is what `named_by_commands` found before Ninja ran, None if it is unknown.
        """
        outputs, known = configuration.rule_outputs, self.unreported
        path_filter = self._path_filter(outputs)
        by_commands = known.by_commands
        if not known.is_current:
            by_commands = self._by_commands(path_filter, present)
        remade = outputs.intersection(finished)
        kept = outputs - remade
        by_assemblers = {n: files for n, files in known.by_assemblers.items() if n in kept}
        uncertain = {name for name in known.uncertain if name in kept}
        sources = AssemblerSources(path_filter)
        objects = {name: ninja_deps.get(name, ()) for name in remade if name.endswith(OBJECTS)}
        if suspects := [
            n for n, files in objects.items() if not files or any(map(sources.has, files))
        ]:
            from buildtool.drivers.cmake.scan.compiler_reads import (  # noqa: PLC0415 - few sources have any
                AssembledFiles,
                UncertainNameError,
            )

            assembled = AssembledFiles(self.ninja.preprocessed, path_filter)
            for name in suspects:
                if not (command := self._commands.get(name)) or not command.compiles:
                    continue
                try:
                    by_assemblers[name] = assembled.of(command)
                except UncertainNameError:
                    uncertain.add(name)
        return Unreported(by_commands, by_assemblers, tuple(sorted(uncertain)), is_current=True)

    def named_by_commands(self, configuration: Configuration) -> frozenset[str]:
        """The files that commands of the project's name and that are there now."""
        from buildtool.drivers.cmake.scan.command_files import CommandFiles  # noqa: PLC0415 - CMake seldom runs

        finder = CommandFiles(self._path_filter(configuration.rule_outputs))
        commands = (command for command in self._commands.values() if not command.compiles)
        return frozenset(itertools.chain.from_iterable(map(finder.of, commands)))

    def _by_commands(
        self, path_filter: PathFilter, present: Collection[str] | None
    ) -> FilesByObject:
        from buildtool.drivers.cmake.scan.command_files import CommandFiles  # noqa: PLC0415 - CMake seldom runs

        finder = CommandFiles(path_filter, present)
        found = {name: finder.of(command) for name, command in self._commands.items()}
        # What Ninja knows, it takes care of itself; what it does not know may change with a list.
        links = [name for name, files in found.items() if files and self._commands[name].links]
        for name, declared in self.ninja.declared_inputs(links).items():
            known = declared - finder.lists
            found[name] = tuple(file for file in found[name] if file not in known)
        return {name: files for name, files in found.items() if files}

    @cached_property
    def _commands(self) -> dict[str, Command]:
        return self.ninja.commands()

    def _unreported_inputs(self, path_filter: PathFilter, needed: Collection[str]) -> PathSet:
        found = InputCollector(path_filter, self.file_states)
        for mapping in (self.unreported.by_commands, self.unreported.by_assemblers):
            for name, files in mapping.items():
                for file in files if name in needed else ():
                    found.add_content(file)
        return found.paths

    @cached_property
    def _cmake_inputs(self) -> CMakeInputs:
        return read_cmake_inputs(self.tree)

    def _path_filter(self, rule_outputs: Collection[str] = ()) -> PathFilter:
        directories = self.roots.directories
        ignored = [directories[name] for name in self.ignored_roots if name in directories]
        excluded = [self._cmake_inputs.root, *ignored]
        return PathFilter(self.tree, self.roots, excluded, rule_outputs, self.output)

    def _read_trace(self, trace: Path, found: InputCollector) -> Traced:
        return read_trace(trace, found, str(self.source), f"{self._cmake_inputs.root}/")

    def _update_misparsed_deps(
        self, ninja_deps: FilesByObject, finished: Collection[str]
    ) -> FilesByObject:
        """`misparsed_deps` after the outputs `finished` were made again."""
        objects = [name for name in ninja_deps if name in finished]
        kept = {
            name: files
            for name, files in self.misparsed_deps.items()
            if name in ninja_deps and name not in finished
        }
        # The dependency file of an object is named after it, that of other outputs may not be.
        only_objects = all(name.endswith((".o", ".obj")) for name in objects)
        depfiles = {} if only_objects else read_depfiles(self.tree)
        return kept | find_misparsed_deps(ninja_deps, objects, depfiles, str(self.tree))


def add_declared(pattern: str, found: InputCollector) -> None:
    """Add what a pattern of 'inputs' in the project file names: a file, a directory with everything
    in it, or what a glob matches."""
    roots = found.path_filter.roots
    parts = os.path.normpath(pattern).split("/")  # `..` only at the start
    level = parts.count("..")
    root = f"parent{level}" if level else "project"
    if level and root not in roots.parents:  # of the system
        base = os.path.normpath("/".join([str(roots.directories["project"]), *parts[:level]]))
    else:
        base = f"{{{root}}}"
    pattern = "/".join(parts[level:])
    name = base if pattern == "." else f"{base.rstrip('/')}/{pattern}"
    if escape_glob(pattern) != pattern:
        found.add_matches(Glob(name, deep=True))
    else:  # its state shows whether it exists and what it is; a glob would be far slower
        found.files.add(name)
    if os.path.isdir(roots.path_of(name)):  # noqa: PTH112
        found.add_matches(Glob(f"{name}/**", deep=True))
