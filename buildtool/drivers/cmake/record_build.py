"""Record in a build tree what CMake and Ninja read and made, for `IncrementalTree.prepare`.

Functions that query CMake or Ninja raise `FileApiError`, `TraceError` and `ToolError`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value
from buildtool.drivers.cmake import tree_record
from buildtool.drivers.cmake.file_api import index_name
from buildtool.drivers.cmake.incremental_tree import IncrementalTree
from buildtool.drivers.cmake.tree_files import (
    FINGERPRINT,
    GLOBS,
    INSTALL_TRACE,
    TRACE,
    delete_files,
    finished_outputs,
    read_log_lines,
    stamps,
)
from buildtool.drivers.cmake.tree_record import (
    OBJECTS,
    Configuration,
    TreeRecord,
    Unreported,
    write_tree_record,
)
from buildtool.inputs.path_sets import (
    UNKNOWN,
    InputSet,
    PathSet,
    ReadInputs,
    changed_since,
    changes,
    observe,
)

if TYPE_CHECKING:
    from buildtool.drivers.cmake.leftovers import Found
    from buildtool.drivers.cmake.scan.input_scanner import StepInputs
    from buildtool.drivers.cmake.scan.ninja import FilesByObject


class BuildStart(Value):
    """The state of a tree before Ninja runs: its record, whether it `is_new`, the lines of Ninja's
    log, and the times at which the build and Ninja started, in ns.

    `present` are the files that commands named and that were there, None if nobody has looked: what
    a command names and only then writes is no input of it.  `digests` are theirs: a command that
    writes a file again as it was has not changed it."""

    record: TreeRecord
    is_new: bool
    log_lines: frozenset[str]
    time_ns: int
    ninja_ns: int
    present: frozenset[str] | None
    digests: Mapping[str, str]


class CommandReads(Value):
    """What the commands of a build read, before the install script runs: the configuration of the
    tree, what compilers reported to Ninja, and what no tool reports."""

    configuration: Configuration
    ninja_deps: FilesByObject
    unreported: Unreported
    finished: frozenset[str]

    @property
    def launched_unreported(self) -> set[str]:
        """The objects that Ninja has made of files that no tool reports."""
        by_commands, by_assemblers, uncertain, _ = self.unreported
        names = self.finished.intersection((*by_commands, *by_assemblers, *uncertain))
        return {name for name in names if name.endswith(OBJECTS)}


def record_configuration(tree: IncrementalTree, record: TreeRecord, started_ns: int) -> TreeRecord:
    """Record the new tree as CMake left it when it succeeded, and move the products of the former
    one into it; returns the record.

    `record` is that of the former tree, from before CMake started at `started_ns`.
    """
    from buildtool.drivers.cmake.new_tree import carry_over, regenerated  # noqa: PLC0415 - CMake seldom runs
    from buildtool.drivers.cmake.scan.ninja import read_build_rules  # noqa: PLC0415

    scanner = tree.scanner(record)
    configuration = scanner.configuration(tree.path / TRACE)
    paths = configuration.cmake_inputs | configuration.rule_inputs
    paths |= scanner.declared(tree.step.inputs) | configuration.external_inputs
    previous = record.inputs
    current = observe(previous.paths | paths, tree.step.roots, scanner.file_states)
    # Inputs that were recorded before keep their state: if one changed since, the next build has to
    # see it.  Of new inputs that changed while CMake ran, it is unknown what CMake read.
    changed = dict.fromkeys(changed_since(paths, tree.step.roots, started_ns), UNKNOWN)
    new = set(current.appeared).difference(previous.paths.absent)
    appeared = new.union(previous.appeared).intersection(current.paths.absent)
    inputs = current._replace(
        digests={**current.digests, **changed, **previous.digests},
        appeared=tuple(sorted(appeared)),
        found={**current.found, **previous.found},
    )
    rules = read_build_rules(tree.path)
    generated = tree_record.snapshot_after_configure(
        tree.path, record.generated_files, started_ns, regenerated(rules)
    )
    carry_over(tree, record, configuration, generated, rules)
    products = stamps(tree.path, configuration.rule_outputs)
    updated = record._replace(
        inputs=inputs,
        configuration=configuration,
        products=products,
        generated_files=generated,
        file_api_index=index_name(tree.path),
        misparsed_deps={n: f for n, f in record.misparsed_deps.items() if n in products},
        unreported=record.unreported._replace(is_current=False),
        undeclared={},
    )
    write_tree_record(tree.path, updated)
    return updated


def record_start(
    tree: IncrementalTree, record: TreeRecord, time_ns: int, *, is_new: bool
) -> BuildStart:
    """Record in the tree, which CMake has just configured if it `is_new`, that Ninja is going to
    run; the build started at `time_ns`."""
    write_tree_record(tree.path, record._replace(build_finished=False))
    present: frozenset[str] | None = None
    if not record.unreported.is_current:
        named = record.configuration.commands  # of other rules, no words are looked at
        present = tree.scanner(record).named_by_commands(record.configuration) if named else None
    roots, inside = tree.step.roots, f"{tree.path}/"
    names = [roots.name_of(path) for path in present or () if not path.startswith(inside)]
    digests = observe(PathSet.of(names), roots, tree.file_states.with_fresh_stats()).digests
    log_lines = read_log_lines(tree.path)
    return BuildStart(record, is_new, log_lines, time_ns, time.time_ns(), present, digests)


def start_again(tree: IncrementalTree, start: BuildStart, found: Found) -> BuildStart:
    """The state of the tree before Ninja runs again in a build."""
    record, known = start.record, start.record.generated_files
    record = record._replace(
        inputs=observe(record.inputs.paths, tree.step.roots, tree.file_states.with_fresh_stats()),
        undeclared=found.undeclared,
        undeclared_reads=found.read,
        generated_files=tree_record.snapshot(tree.path, list(known), known),
    )
    lines = read_log_lines(tree.path)
    return start._replace(record=record, log_lines=lines, ninja_ns=time.time_ns())


def ran_cmake(tree: IncrementalTree, start: BuildStart) -> bool:
    """Whether Ninja has run CMake."""
    return start.record.file_api_index != index_name(tree.path)


def undeclared_files(tree: IncrementalTree, start: BuildStart, reads: CommandReads) -> Found:
    """The undeclared files of the tree after Ninja has run."""
    from buildtool.drivers.cmake.leftovers import find_leftovers  # noqa: PLC0415 - loaded while tools run

    found = find_leftovers(
        tree.path,
        start.record,
        start.log_lines,
        start.ninja_ns,
        (reads.ninja_deps, reads.unreported.by_commands, reads.unreported.by_assemblers),
        is_new=start.is_new,
        mixed=ran_cmake(tree, start),
    )
    finished = finished_outputs(tree.path, start.log_lines)
    if start.record.configuration.commands.isdisjoint(finished):
        return found
    others = tree.made_before_changes(start.record, reads.ninja_deps) - finished
    return found._replace(outdated=found.outdated.union(filter(os.path.lexists, others)))


def needs_new_tree(tree: IncrementalTree, start: BuildStart) -> bool:
    """Whether Ninja has run CMake in a tree where that may give another result than in a new one.

    In a new tree it is part of a build that CMake reads what rules make.  But a glob may match
    products that were moved there.
    """
    is_moved = start.record.products and (tree.path / GLOBS).exists()
    return ran_cmake(tree, start) and (not start.is_new or bool(is_moved))


def record_failure(tree: IncrementalTree, start: BuildStart) -> None:
    """Record what Ninja made before it failed, and delete the outputs of unfinished commands.

    Not for a Ninja that was killed: its commands may still run.
    """
    # If that fails, the record says that the build has not finished.
    with contextlib.suppress(BuildtoolError):
        recorded = start.record.products
        made = {n for n, stamp in tree.product_stamps().items() if recorded.get(n) != stamp}
        finished = finished_outputs(tree.path, start.log_lines)
        reads = read_by_commands(tree, start)
        found = undeclared_files(tree, start, reads)
        if delete_files(tree.path, [*(made - finished), *found.outdated]):
            if found.suspicious or needs_new_tree(tree, start):
                (tree.path / FINGERPRINT).unlink(missing_ok=True)  # configured in a new tree
            scanned, pending = _scan(tree, start, reads, finished), start.record.pending_changes
            _record_build(tree, start, reads, scanned, found, pending=pending)


def read_by_commands(tree: IncrementalTree, start: BuildStart) -> CommandReads:
    """What the commands read that Ninja has run since `start`, and those before."""
    record = start.record
    scanner, configuration = tree.scanner(record), record.configuration
    present = start.present
    if ran_cmake(tree, start):
        configuration = scanner.configuration(tree.path / TRACE)
        unreported = record.unreported._replace(is_current=False)
        scanner = scanner._replace(unreported=unreported)
        present = None  # that was looked at for other commands
    ninja_deps = tree.ninja.headers()
    finished = finished_outputs(tree.path, start.log_lines)
    unreported = scanner.find_unreported(configuration, ninja_deps, finished, present)
    return CommandReads(configuration, ninja_deps, unreported, frozenset(finished))


def record_success(
    tree: IncrementalTree,
    start: BuildStart,
    reads: CommandReads,
    found: Found,
    *,
    installed: bool,
) -> ReadInputs:
    """Record the tree as Ninja left it when it succeeded; returns what the build read.

    With `installed`, the install script ran too.
    """
    finished = finished_outputs(tree.path, start.log_lines)
    scanned = _scan(tree, start, reads, finished, installed=installed)
    return _record_build(tree, start, reads, scanned, found)


def _scan(
    tree: IncrementalTree,
    start: BuildStart,
    reads: CommandReads,
    finished: Collection[str],
    *,
    installed: bool = False,
) -> StepInputs:
    """The inputs of the build that made the outputs `finished`."""
    scanner = tree.scanner(start.record)._replace(unreported=reads.unreported)
    return scanner.step_inputs(
        reads.configuration,
        ninja_deps=reads.ninja_deps,
        declared=tree.step.inputs,
        install_trace=tree.path / INSTALL_TRACE if installed else None,
        since_ns=start.time_ns,
        finished=finished,
    )


def _record_build(
    tree: IncrementalTree,
    start: BuildStart,
    reads: CommandReads,
    scanned: StepInputs,
    found: Found,
    *,
    pending: tuple[str, ...] = (),
) -> ReadInputs:
    """Record what was read and made.

    Inputs that changed while the build ran are recorded as they were before, or as unknown, so that
    the next build sees a change.
    """
    # States of three kinds: as it is now; for what CMake read, as it was when Ninja began, so that
    # a change since then runs CMake in the next build; unknown, which differs from all that follow.
    previous, configuration = start.record.inputs, scanned.configuration
    current = observe(scanned.paths, tree.step.roots, tree.file_states.with_fresh_stats())
    unknown = _files_of_unknown_content(tree, start, scanned, current)
    before_cmake = {
        name: previous.digests[name]
        for name in configuration.cmake_inputs.files
        if name in previous.digests
    }
    inputs = current._replace(
        digests={**current.digests, **before_cmake, **dict.fromkeys(unknown, UNKNOWN)},
        appeared=tuple(sorted(set(previous.appeared).intersection(current.paths.absent))),
        found={text: previous.found.get(text, names) for text, names in current.found.items()},
    )
    generated = start.record.generated_files
    record = TreeRecord(
        start.record.base_key,
        build_finished=True,
        inputs=inputs,
        configuration=configuration,
        declared_inputs=scanned.declared,
        install_inputs=scanned.install,
        products=stamps(tree.path, configuration.rule_outputs),
        generated_files=tree_record.snapshot(tree.path, list(generated), generated),
        file_api_index=index_name(tree.path),
        pending_changes=pending,
        misparsed_deps=scanned.misparsed_deps,
        unreported=reads.unreported,
        undeclared=found.undeclared,
        undeclared_reads=found.read,
    )
    write_tree_record(tree.path, record)
    changed = unknown | _other_changes(previous, current, scanned)
    # The step key covers the outputs of the steps that it needs.
    needed = [tree.step.roots.name_of(output) for _, output in tree.step.needs]
    return ReadInputs(current.outside(needed), tuple(sorted(changed)), scanned.uncertain)


def _files_of_unknown_content(
    tree: IncrementalTree, start: BuildStart, scanned: StepInputs, current: InputSet
) -> set[str]:
    """The files that changed while the build ran: it may have read them before or after that."""
    previous = {**start.digests, **start.record.inputs.digests}
    late = changed_since(scanned.paths, tree.step.roots, start.time_ns)
    changed = {name for name in late if current.digests[name] != previous.get(name)}
    # A tool reported the following ones, so they existed.
    rule_inputs = scanned.configuration.rule_inputs.files
    changed |= {n for n in rule_inputs if not current.digests[n] and previous.get(n) != ""}
    changed |= {name for name in scanned.headers.files if not current.digests[name]}
    return changed


def _other_changes(previous: InputSet, current: InputSet, scanned: StepInputs) -> set[str]:
    """The other inputs that changed while the build ran: what globs match, paths that appeared or
    vanished, and what CMake read, which it did before Ninja ran."""
    cmake_inputs = scanned.configuration.cmake_inputs
    names = {
        change.path
        for change in changes(previous, current)
        if change.kind == "glob"
        or "present" in (change.old, change.new)
        or cmake_inputs.covers(change)
    }
    return names.union(set(current.appeared) & set(scanned.headers.absent))
