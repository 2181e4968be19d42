"""A build tree from one build to the next: what of it may be kept, and what is noted of it.

Raises, where a method asks Ninja or CMake, what `scan` raises.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.core.file_stamp import Stamp
from buildtool.core.process import ToolError
from buildtool.core.value import Value
from buildtool.drivers.cmake import build_tree, generated_files
from buildtool.drivers.cmake.build_tree import TreeNote
from buildtool.drivers.cmake.file_api import FileApiError, answer
from buildtool.drivers.cmake.mend import INSTALL_TRACE, STAMP, TRACE, mend
from buildtool.drivers.cmake.ninja_log import finished, newest_in_log
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.path_sets import (
    CLOCK_STEP,
    UNKNOWN,
    Change,
    InputSet,
    changed_since,
    changes,
    observe,
)
from buildtool.inputs.roots import RootError, Roots
from buildtool.plan.plan import CMakeStep

if TYPE_CHECKING:
    from buildtool.drivers.cmake.scan.input_scanner import InputScanner, StepInputs


class ReadInputs(Value):
    """What was read for what a build made; the names of what changed meanwhile, and of files that
    may not be the ones that were read."""

    inputs: InputSet
    moved: tuple[str, ...]
    doubtful: tuple[str, ...]


class IncrementalTree(Value):
    """The build tree of a step; `environment` is the tools', `file_states` knows digests."""

    step: CMakeStep
    ninja: Path
    environment: Mapping[str, str]
    roots: Roots
    file_states: FileStates

    @property
    def place(self) -> Path:
        return self.step.tree

    def prepare(self, base_key: str) -> TreeNote:
        """Take away from the tree what Ninja would wrongly keep: all of it, if need be.

        `base_key` names what no part of an old tree may outlive.  Returns what is known of the
        tree as it is then.
        """
        note = mend(self.place)
        now = self._observe(note) if note and note.base_key == base_key else None
        if note is None or now is None:
            return self.reset(base_key)
        if generated_files.deps_digest(self.place, note.deps[0]) != note.deps:
            return self.reset(base_key)
        differences = changes(note.inputs, now)
        harmed = generated_files.modified(self.place, note.generated)
        if (differences or not note.known) and generated_files.defines_graph(harmed):
            return self.reset(base_key)
        known = {row.path for row in differences}
        still = [name for name in note.news if name not in known and name in now.digests]
        rows = [*differences, *(Change("changed", n, UNKNOWN, now.digests[n]) for n in still)]
        newest = self._newest(note) if rows else 0
        news = [row.path for row in rows if self._seen_by_ninja(row, note, newest)]
        try:
            modified = self._modified_products(note)
            stale = self._stale_products(note, [row for row in rows if row.path not in news])
        except (ToolError, FileApiError):
            return self.reset(base_key)
        read = note.configured.read
        # Another answer is that of a CMake of which nobody noted what it read.
        if harmed or note.answer != answer(self.place) or any(map(read.covers, rows)):
            (self.place / STAMP).unlink(missing_ok=True)
        # Ninja does not see when it has to make these again.
        gone = [*modified, *harmed, *note.misread, *map(str, stale or ())]
        if stale is None or not build_tree.delete_files(self.place, gone):
            return self.reset(base_key)
        kept = {name: stamp for name, stamp in note.products.items() if name not in modified}
        return note._replace(known=True, inputs=now, products=kept, news=tuple(news))

    def reset(self, base_key: str) -> TreeNote:
        """Begin with an empty tree."""
        build_tree.delete(self.place)
        return TreeNote(base_key)

    def record_configuration(
        self, note: TreeNote, before: Mapping[str, Stamp], begun: int
    ) -> TreeNote:
        """Note the tree as CMake left it, which succeeded; returns the note.

        `note` is that of before CMake `begun` (ns), `before` the `all_stamps` of the tree then.
        """
        file_states = self.file_states.with_fresh_stats()
        scanner = self._scanner(note)
        configuration = scanner.configuration(self.place / TRACE, file_states)
        paths = configuration.read | configuration.rules
        paths |= scanner.declared(self.step.inputs, file_states)
        now = observe(note.inputs.paths | paths, self.roots, file_states)
        # What was known before is as it was before: CMake may have read it so, or otherwise.
        was = note.inputs
        late = dict.fromkeys(changed_since(paths, self.roots, begun), UNKNOWN)
        appeared = set(was.appeared).union(set(now.appeared).difference(was.paths.absent))
        inputs = now._replace(
            digests={**now.digests, **late, **was.digests},
            appeared=tuple(sorted(appeared.intersection(now.paths.absent))),
            found={**now.found, **was.found},
        )
        noted = note._replace(
            inputs=inputs,
            configured=configuration,
            generated=generated_files.snapshot_after_configure(
                self.place, before, note.generated, begun - CLOCK_STEP
            ),
            deps=generated_files.deps_digest(self.place),
            answer=answer(self.place),
        )
        build_tree.write_note(self.place, noted)
        return noted

    def record_failure(self, note: TreeNote, commands: Collection[str], begun: int) -> None:
        """Note what a Ninja that ended by itself has made, though not all; what it did not
        finish is taken away.  `commands` are its log's lines from before it `begun`."""
        # Without a note that tells of it, nothing is kept.
        with contextlib.suppress(BuildtoolError):
            made = {name for name, at in self._products().items() if note.products.get(name) != at}
            done = finished(self.place, commands)
            if build_tree.delete_files(self.place, made - done):
                self._record(note, self._scan(note, begun, done), begun, note.news)

    def record_success(
        self, before: TreeNote, commands: Collection[str], begun: int, *, installed: bool
    ) -> ReadInputs:
        """Note the tree as Ninja left it, which succeeded; returns what was read for it.

        `before` is the note and `commands` the lines of Ninja's log from before it `begun` (ns).
        """
        done = finished(self.place, commands)
        found = self._scan(before, begun, done, installed=installed)
        return self._record(before, found, begun, ())

    def _record(
        self, before: TreeNote, found: StepInputs, begun: int, news: tuple[str, ...]
    ) -> ReadInputs:
        """Note what was `found`, as far as it is sure what was read; what changed meanwhile is
        noted as it was before, or as unknown, so that the next build sees a difference."""
        now = observe(found.paths, self.roots, self.file_states.with_fresh_stats())
        was, read = before.inputs, found.configured.read
        unsure = {
            name
            for name in changed_since(found.paths, self.roots, begun)
            if now.digests[name] != was.digests.get(name)
        }
        # A tool told of these, so they were there.
        unsure |= {
            name
            for name in found.configured.rules.files
            if not now.digests[name] and was.digests.get(name) != ""
        }
        unsure |= {name for name in found.headers.files if not now.digests[name]}
        moved = unsure.union(
            row.path
            for row in changes(was, now)
            if row.kind == "glob" or "present" in (row.old, row.new) or read.covers(row)
        ).union(set(now.appeared) & set(found.headers.absent))
        at_configure = {name: was.digests[name] for name in read.files if name in was.digests}
        noted = now._replace(
            digests={**now.digests, **at_configure, **dict.fromkeys(unsure, UNKNOWN)},
            appeared=tuple(sorted(set(was.appeared).intersection(now.paths.absent))),
            found={text: was.found.get(text, names) for text, names in now.found.items()},
        )
        note = TreeNote(
            before.base_key,
            known=True,
            inputs=noted,
            configured=found.configured,
            declared=found.declared,
            install=found.install,
            products=build_tree.stamps(self.place, found.configured.made),
            generated=generated_files.snapshot(
                self.place, list(before.generated), before.generated
            ),
            deps=generated_files.deps_digest(self.place),
            answer=answer(self.place),
            misread=found.misread,
            news=news,
        )
        build_tree.write_note(self.place, note)
        return ReadInputs(now, tuple(sorted(moved)), found.doubtful)

    def _scan(
        self, note: TreeNote, begun: int, made: Collection[str], *, installed: bool = False
    ) -> StepInputs:
        """What the build read that `begun` then and `made` these files, as the tools tell; `note`
        is from before it."""
        file_states = self.file_states.with_fresh_stats()
        scanner, configured = self._scanner(note), note.configured
        if note.answer != answer(self.place):  # Ninja has run CMake
            configured = scanner.configuration(self.place / TRACE, file_states)
        return scanner.step_inputs(
            configured,
            file_states,
            declared=self.step.inputs,
            install_trace=self.place / INSTALL_TRACE if installed else None,
            since=begun,
            finished=made,
        )

    def _scanner(self, note: TreeNote) -> InputScanner:
        from buildtool.drivers.cmake.scan.input_scanner import InputScanner  # noqa: PLC0415 - loaded while tools run

        return InputScanner(
            self.place,
            self.step.source,
            self.ninja,
            self.environment,
            self.roots,
            self.step.targets,
            self._known_places,
            note.misread,
        )

    def _observe(self, note: TreeNote) -> InputSet | None:
        """What there is to see now of what the tree was made from; None when it is of tools that
        this project no longer uses."""
        try:
            return observe(note.inputs.paths, self.roots, self.file_states.with_fresh_stats())
        except RootError:
            return None

    def _modified_products(self, note: TreeNote) -> set[str]:
        """The products that are not as they are noted."""
        now = build_tree.stamps(self.place, note.products) if note.known else self._products()
        return {name for name, stamp in now.items() if note.products.get(name) != stamp}

    def _stale_products(self, note: TreeNote, differences: Sequence[Change]) -> set[Path] | None:
        """What was made of files that changed: Ninja misses those with old time stamps, and headers
        that are found in place of others.

        None when nobody knows what was made of one of them.
        """
        read = note.configured.read
        appeared, changed = [], []
        for row in differences:
            if note.install.covers(row):
                continue
            if row.kind == "glob":
                if not read.covers(row):
                    return None
            elif "present" in (row.old, row.new):
                appeared.append(self.roots.placed(row.path))
            else:
                changed.append(self.roots.placed(row.path))
        if not changed and not appeared:
            return set()
        known = self._scanner(note).dependents(changed)
        for row in differences:
            path = self.roots.placed(row.path)
            if path in changed and not known.get(path) and not read.covers(row):
                return None
        stale = {path for paths in known.values() for path in paths}
        return stale.union(self._scanner(note).shadowed(appeared))

    def _newest(self, note: TreeNote) -> int:
        """The time stamp that is news to every rule when a file has a later one, in ns."""
        return max([newest_in_log(self.place), *(stamp[2] for stamp in note.products.values())])

    def _seen_by_ninja(self, row: Change, note: TreeNote, newest: int) -> bool:
        """Whether Ninja sees by itself that a file has changed: it knows of it, for nobody else
        told of it, and the file is newer than the `newest` thing that Ninja made."""
        if not note.known or row.kind != "changed":
            return False
        if row.old == UNKNOWN and row.path not in note.news:
            return False
        if any(part.covers(row) for part in (note.configured.read, note.declared, note.install)):
            return False
        try:
            return self.roots.placed(row.path).stat().st_mtime_ns > newest
        except OSError:
            return False

    def _products(self) -> dict[str, Stamp]:
        """The stamps of all that Ninja has made."""
        if not (self.place / "build.ninja").is_file():
            return {}
        from buildtool.drivers.cmake.scan.ninja import read_graph  # noqa: PLC0415

        graph = read_graph(self.place, self.ninja, self.environment, self.step.targets)
        return build_tree.stamps(self.place, graph.made)

    @property
    def _known_places(self) -> tuple[str, ...]:
        """The roots whose files have an identity of their own in the step's key."""
        return tuple(name.lower() for name in self.step.profile.places)
