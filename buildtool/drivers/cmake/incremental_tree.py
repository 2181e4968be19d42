"""Incremental builds: what of a step's build tree is kept from one build to the next.

Ninja compares time stamps only.  So before Ninja runs, `IncrementalTree.prepare` compares the tree
with its record, and deletes what Ninja would wrongly keep.  After CMake and Ninja have run,
`record_build` records what they read and made.

Methods that query CMake or Ninja raise `FileApiError`, `TraceError` and `ToolError`.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.files import Stamp, stamp_of
from buildtool.core.processes.process import ToolError
from buildtool.core.trees import make_directory, status_of
from buildtool.core.value import Value
from buildtool.drivers.cmake import tree_record
from buildtool.drivers.cmake.file_api import FileApiError
from buildtool.drivers.cmake.tree_files import (
    BUILT,
    FINGERPRINT,
    INSTALL_TRACE,
    delete,
    delete_files,
    newest_output_mtime,
    stamps,
)
from buildtool.drivers.cmake.tree_record import TreeRecord, Unreported, read_tree_record
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.path_sets import UNKNOWN, Change, InputSet, changes, observe
from buildtool.inputs.roots import RootError
from buildtool.plan.plan import CMakeStep, former_tree

if TYPE_CHECKING:
    from buildtool.drivers.cmake.scan.input_scanner import InputScanner
    from buildtool.drivers.cmake.scan.ninja import FilesByObject, NinjaQuery


_WRITTEN = (".ninja_log", ".ninja_deps", INSTALL_TRACE, "install_manifest.txt")
"""Files that CMake and Ninja write in each build, so that nothing is known of their content."""


class IncrementalTree(Value):
    """The build tree of a step; `environment` is that of the step's tools."""

    step: CMakeStep
    environment: Mapping[str, str]
    file_states: FileStates

    @property
    def path(self) -> Path:
        return self.step.tree

    @property
    def ninja(self) -> NinjaQuery:
        from buildtool.drivers.cmake.scan.ninja import NinjaQuery  # noqa: PLC0415 - loaded while tools run

        return NinjaQuery(self.path, self.step.cmake.ninja, self.environment)

    def scanner(self, record: TreeRecord) -> InputScanner:
        """A scanner that sees the files as they are now; `record` is that of the last build."""
        from buildtool.drivers.cmake.scan.input_scanner import InputScanner  # noqa: PLC0415 - loaded while tools run

        return InputScanner(
            self.ninja,
            self.step.source,
            self.step.roots,
            self.file_states.with_fresh_stats(),
            targets=self.step.targets,
            # The step key covers the files of the profile's tools.
            ignored_roots=tuple(name.lower() for name in self.step.profile.places),
            misparsed_deps=record.misparsed_deps,
            unreported=record.unreported,
            output=self.step.output,
        )

    def product_stamps(self) -> dict[str, Stamp]:
        """The stamps of all files that a rule of the tree has made."""
        if not (self.path / "build.ninja").is_file():
            return {}
        return stamps(self.path, self.ninja.rule_outputs())

    def reset(self, base_key: str) -> TreeRecord:
        """Delete the tree; returns the record of an empty one."""
        delete(self.path)
        return TreeRecord(base_key)

    def outdated(self, unreported: Unreported) -> set[str]:
        """The outputs that are older than a file of the tree that their commands read and that
        Ninja does not know to be an input of them."""
        inside, found = f"{self.path}/", set()
        for mapping in (unreported.by_commands, unreported.by_assemblers):
            for output, files in mapping.items():
                made = status_of(Path(output))
                inner = [f for f in files if f.startswith(inside) and not f.endswith("/")]
                read = [status_of(Path(file)) for file in inner]
                if made and any(file and file.st_mtime_ns > made.st_mtime_ns for file in read):
                    found.add(output)
        return found

    def made_before_changes(self, record: TreeRecord, headers: FilesByObject) -> set[str]:
        """The outputs that were made of inputs which have changed since `record`: commands may
        write among the sources.  `headers` are what compilers read."""
        current = self._current_inputs(record)
        differences = changes(record.inputs, current) if current else ()
        known = [change for change in differences if change.old != UNKNOWN]
        changed = [change for change in known if change.kind in ("changed", "vanished")]
        stale = self._stale_products(record, changed) if changed else None
        made = set(map(str, stale or ()))
        if appeared := [change.path for change in known if change.kind == "appeared"]:
            from buildtool.drivers.cmake.scan.header_names import objects_that_ask_for  # noqa: PLC0415 - seldom

            made |= objects_that_ask_for(appeared, headers)
        return made

    def prepare(self, base_key: str) -> TreeRecord:
        """Delete what Ninja would wrongly keep, which is the whole tree where that is not known:
        another `base_key`, a build that was killed, files that something else changed.

        Returns the record of what remains.
        """
        make_directory(self.path.parent)
        if former_tree(self.path).is_dir():
            from buildtool.drivers.cmake.new_tree import recover  # noqa: PLC0415 - CMake has failed

            recover(self.path)
        record = read_tree_record(self.path)
        delete(self.path / BUILT)
        if record and record.base_key == base_key and (updated := self._delete_stale(record)):
            return updated
        return self.reset(base_key)

    def _delete_stale(self, record: TreeRecord) -> TreeRecord | None:
        """Delete the products that do not match the current inputs, and the fingerprint of the
        configuration if CMake has to run.

        Returns the updated record; None if the whole tree has to be deleted.
        """
        current = self._current_inputs(record)
        if current is None or not record.build_finished or self._was_changed(record):
            return None
        differences = changes(record.inputs, current)
        all_changes = [*differences, *_still_pending(record, differences, current)]
        pending = self._noticed_by_ninja(record, all_changes)
        unnoticed = [change for change in all_changes if change.path not in pending]
        try:
            stale = self._stale_products(record, unnoticed)
        except (ToolError, FileApiError):
            return None
        if stale is None:
            return None
        uncertain = (*record.misparsed_deps, *record.unreported.uncertain)
        if not delete_files(self.path, [*uncertain, *map(str, stale)]):
            return None
        if any(map(record.configuration.cmake_inputs.covers, all_changes)):
            (self.path / FINGERPRINT).unlink(missing_ok=True)
        unreported = record.unreported
        if self._unreported_names(record).intersection(change.path for change in all_changes):
            unreported = unreported._replace(is_current=False)
        return record._replace(inputs=current, pending_changes=pending, unreported=unreported)

    def _unreported_names(self, record: TreeRecord) -> set[str]:
        return set(map(self.step.roots.name_of, record.unreported.files))

    def _was_changed(self, record: TreeRecord) -> bool:
        """Whether something else than the builds changed files of the tree.  Ninja notices a
        product that is missing."""
        for name, recorded in record.products.items():
            status = status_of(self.path / name)
            if status and stamp_of(status) != recorded:
                return True
        # They would write through a link, and wait for a pipe.
        for name in (*_WRITTEN, *(f"{name}.d" for name in record.products)):
            status = status_of(self.path / name)
            if status and not stat.S_ISREG(status.st_mode):
                return True
        if not (self.path / FINGERPRINT).exists():
            return False  # CMake failed, and may have changed some of its files
        written = {**record.generated_files, **record.undeclared_reads}
        return bool(tree_record.modified(self.path, written))

    def _current_inputs(self, record: TreeRecord) -> InputSet | None:
        """The recorded inputs as they are now; None if one belongs to a tool that this build does
        not use."""
        try:
            return observe(
                record.inputs.paths, self.step.roots, self.file_states.with_fresh_stats()
            )
        except RootError:
            return None

    def _noticed_by_ninja(
        self, record: TreeRecord, all_changes: Sequence[Change]
    ) -> tuple[str, ...]:
        """The names of the changed files for which Ninja makes again whatever depends on them:
        files that only Ninja's rules and compilers read, and that are newer than all products."""
        if not all_changes:
            return ()
        product_mtimes = (mtime for _, _, mtime, _ in record.products.values())
        newest = max([newest_output_mtime(self.path), *product_mtimes])
        others = (
            record.configuration.cmake_inputs,
            record.declared_inputs,
            record.install_inputs,
        )
        unreported = self._unreported_names(record)
        return tuple(
            change.path
            for change in all_changes
            if change.kind == "changed"
            and change.path not in unreported
            and (change.old != UNKNOWN or change.path in record.pending_changes)
            and not any(paths.covers(change) for paths in others)
            and self._is_newer(change.path, newest)
        )

    def _is_newer(self, name: str, mtime_ns: int) -> bool:
        try:
            return Path(self.step.roots.path_of(name)).stat().st_mtime_ns > mtime_ns
        except OSError:
            return False

    def _stale_products(
        self, record: TreeRecord, all_changes: Sequence[Change]
    ) -> set[Path] | None:
        """The products made from changed inputs, which Ninja misses when an input has an old time
        stamp; None if the products of one of the inputs are unknown."""
        cmake_inputs = record.configuration.cmake_inputs
        unreported = self._unreported_names(record)
        changed: dict[Path, bool] = {}  # to whether CMake reads it
        for change in all_changes:
            if record.install_inputs.covers(change):
                continue  # the install script runs in every build
            by_cmake = cmake_inputs.covers(change)
            if record.declared_inputs.covers(change) or "present" in (change.old, change.new):
                return None
            # A file that a command may read can also hide a header of another one.
            if change.old in ("", UNKNOWN) and change.path in unreported:
                return None
            if change.kind == "glob":
                if not by_cmake:
                    return None
            else:
                changed[Path(self.step.roots.path_of(change.path))] = by_cmake
        dependents = self.scanner(record).dependents(changed) if changed else {}
        if any(not by_cmake and not dependents.get(path) for path, by_cmake in changed.items()):
            return None
        return {product for products in dependents.values() for product in products}


def _still_pending(
    record: TreeRecord, differences: Sequence[Change], current: InputSet
) -> list[Change]:
    """The recorded pending changes that are not among `differences`: Ninja has not finished since,
    so products may still be made of the former content."""
    names = {change.path for change in differences}
    return [
        Change("changed", name, UNKNOWN, current.digests[name])
        for name in record.pending_changes
        if name not in names and name in current.digests
    ]
