"""A build tree from one build to the next: what of it may be kept, and what is noted of it.

Raises, where a method asks Ninja or CMake, what `scan` raises.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.core.process import ToolError
from buildtool.core.value import Value
from buildtool.drivers.cmake import build_tree as trees
from buildtool.drivers.cmake import generated_files as frames
from buildtool.drivers.cmake.build_tree import TreeNote
from buildtool.drivers.cmake.file_api import FileApiError, answer
from buildtool.drivers.cmake.mend import INSTALL_TRACE, STAMP, TRACE, mend
from buildtool.drivers.cmake.ninja_log import finished, newest_in_log
from buildtool.inputs.file_states import Disk
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
    from buildtool.drivers.cmake.scan import Asked, Discovered


class Made(Value):
    """What was read for what a build made; the names of what changed meanwhile, and of files that
    may not be the ones that were read."""

    inputs: InputSet
    moved: tuple[str, ...]
    doubtful: tuple[str, ...]


class KeptTree(Value):
    """The build tree of a step; `environment` is the tools', `disk` knows digests."""

    step: CMakeStep
    ninja: Path
    environment: Mapping[str, str]
    roots: Roots
    disk: Disk

    @property
    def place(self) -> Path:
        return self.step.tree

    def prepare(self, foundation: str) -> TreeNote:
        """Take away from the tree what Ninja would wrongly keep: all of it, if need be.

        `foundation` names what no part of an old tree may outlive.  Returns what is known of the
        tree as it is then.
        """
        note = mend(self.place)
        now = self._seen(note) if note and note.foundation == foundation else None
        if note is None or now is None:
            return self.nothing(foundation)
        if frames.headers_sum(self.place, note.headers[0]) != note.headers:
            return self.nothing(foundation)
        differences = changes(note.inputs, now)
        harmed = frames.unlike(self.place, note.frame)
        if (differences or not note.known) and frames.tells_graph(harmed):
            return self.nothing(foundation)
        known = {row.path for row in differences}
        still = [name for name in note.news if name not in known and name in now.digests]
        rows = [*differences, *(Change("changed", n, UNKNOWN, now.digests[n]) for n in still)]
        newest = self._newest(note) if rows else 0
        news = [row.path for row in rows if self._is_news(row, note, newest)]
        try:
            unlike = self._unlike(note)
            stale = self._stale(note, [row for row in rows if row.path not in news])
        except (ToolError, FileApiError):
            return self.nothing(foundation)
        read = note.configured.read
        # Another answer is that of a CMake of which nobody noted what it read.
        if harmed or note.answer != answer(self.place) or any(map(read.covers, rows)):
            (self.place / STAMP).unlink(missing_ok=True)
        # Ninja does not see when it has to make these again.
        gone = [*unlike, *harmed, *note.misread, *map(str, stale or ())]
        if stale is None or not trees.take_away(self.place, gone):
            return self.nothing(foundation)
        kept = {name: stamp for name, stamp in note.products.items() if name not in unlike}
        return note._replace(known=True, inputs=now, products=kept, news=tuple(news))

    def nothing(self, foundation: str) -> TreeNote:
        """Begin with an empty tree."""
        trees.delete(self.place)
        return TreeNote(foundation)

    def configured(self, note: TreeNote, before: Mapping[str, trees.Stamp], begun: int) -> TreeNote:
        """Note the tree as CMake left it, which succeeded; returns the note.

        `note` is the one from before it `begun` (ns), `before` what `frame.all_stamps` said then.
        """
        disk = self.disk.again()
        asked = self._asked(note)
        configuration = asked.configuration(self.place / TRACE, disk)
        paths = configuration.read | configuration.rules
        paths |= asked.declared(self.step.inputs, disk)
        now = observe(note.inputs.paths | paths, self.roots, disk)
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
            frame=frames.framed(self.place, before, note.frame, begun - CLOCK_STEP),
            headers=frames.headers_sum(self.place),
            answer=answer(self.place),
        )
        trees.write_note(self.place, noted)
        return noted

    def settle(self, note: TreeNote, commands: Collection[str], begun: int) -> None:
        """Note what a Ninja that ended by itself has made, though not all; what it did not
        finish is taken away.  `commands` are its log's lines from before it `begun`."""
        # Without a note that tells of it, nothing is kept.
        with contextlib.suppress(BuildtoolError):
            made = {name for name, at in self._products().items() if note.products.get(name) != at}
            done = finished(self.place, commands)
            if trees.take_away(self.place, made - done):
                self._note(note, self._discover(note, begun, done), begun, note.news)

    def note(
        self, before: TreeNote, commands: Collection[str], begun: int, *, installed: bool
    ) -> Made:
        """Note the tree as Ninja left it, which succeeded; returns what was read for it.

        `before` is the note and `commands` the lines of Ninja's log from before it `begun` (ns).
        """
        done = finished(self.place, commands)
        found = self._discover(before, begun, done, installed=installed)
        return self._note(before, found, begun, ())

    def _note(self, before: TreeNote, found: Discovered, begun: int, news: tuple[str, ...]) -> Made:
        """Note what was `found`, as far as it is sure what was read; what changed meanwhile is
        noted as it was before, or as unknown, so that the next build sees a difference."""
        now = observe(found.paths, self.roots, self.disk.again())
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
            before.foundation,
            known=True,
            inputs=noted,
            configured=found.configured,
            declared=found.declared,
            install=found.install,
            products=trees.stamps(self.place, found.configured.made),
            frame=frames.again(self.place, list(before.frame), before.frame),
            headers=frames.headers_sum(self.place),
            answer=answer(self.place),
            misread=found.misread,
            news=news,
        )
        trees.write_note(self.place, note)
        return Made(now, tuple(sorted(moved)), found.doubtful)

    def _discover(
        self, note: TreeNote, begun: int, made: Collection[str], *, installed: bool = False
    ) -> Discovered:
        """What the build read that `begun` then and `made` these files, as the tools tell; `note`
        is from before it."""
        disk = self.disk.again()
        asked, configured = self._asked(note), note.configured
        if note.answer != answer(self.place):  # Ninja has run CMake
            configured = asked.configuration(self.place / TRACE, disk)
        return asked.discover(
            configured,
            disk,
            declared=self.step.inputs,
            install_trace=self.place / INSTALL_TRACE if installed else None,
            since=begun,
            finished=made,
        )

    def _asked(self, note: TreeNote) -> Asked:
        from buildtool.drivers.cmake.scan import Asked  # noqa: PLC0415 - loaded while tools run

        return Asked(
            self.place,
            self.step.source,
            self.ninja,
            self.environment,
            self.roots,
            self.step.targets,
            self._known_places,
            note.misread,
        )

    def _seen(self, note: TreeNote) -> InputSet | None:
        """What there is to see now of what the tree was made from; None when it is of tools that
        this project no longer uses."""
        try:
            return observe(note.inputs.paths, self.roots, self.disk.again())
        except RootError:
            return None

    def _unlike(self, note: TreeNote) -> set[str]:
        """The products that are not as they are noted."""
        now = trees.stamps(self.place, note.products) if note.known else self._products()
        return {name for name, stamp in now.items() if note.products.get(name) != stamp}

    def _stale(self, note: TreeNote, differences: Sequence[Change]) -> set[Path] | None:
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
        known = self._asked(note).dependents(changed)
        for row in differences:
            path = self.roots.placed(row.path)
            if path in changed and not known.get(path) and not read.covers(row):
                return None
        stale = {path for paths in known.values() for path in paths}
        return stale.union(self._asked(note).shadowed(appeared))

    def _newest(self, note: TreeNote) -> int:
        """The time stamp that is news to every rule when a file has a later one, in ns."""
        return max([newest_in_log(self.place), *(stamp[2] for stamp in note.products.values())])

    def _is_news(self, row: Change, note: TreeNote, newest: int) -> bool:
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

    def _products(self) -> dict[str, trees.Stamp]:
        """The stamps of all that Ninja has made."""
        if not (self.place / "build.ninja").is_file():
            return {}
        from buildtool.drivers.cmake.scan.ninja import read_graph  # noqa: PLC0415

        graph = read_graph(self.place, self.ninja, self.environment, self.step.targets)
        return trees.stamps(self.place, graph.made)

    @property
    def _known_places(self) -> tuple[str, ...]:
        """The roots whose files have an identity of their own in the step's key."""
        return tuple(name.lower() for name in self.step.profile.places)
