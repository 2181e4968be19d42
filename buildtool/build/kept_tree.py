"""A build tree from one build to the next: what of it may be kept, and what is noted of it.

Raises, where a method asks Ninja or CMake, what `discover` raises.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from buildtool.build import frame as frames
from buildtool.build import tree as trees
from buildtool.build.disk import Disk
from buildtool.build.file_api import FileApiError, answer
from buildtool.build.inputs import Change, InputSet, changed_since, changes, observe
from buildtool.build.ninja_log import finished, newest_in_log
from buildtool.build.plan import CMakeStep
from buildtool.build.roots import RootError, Roots
from buildtool.build.tree import TreeNote
from buildtool.core.errors import BuildtoolError
from buildtool.core.process import ToolError

if TYPE_CHECKING:
    from buildtool.build.discover import Discovered

STAMP = "configured.json"
"""What CMake was last told; without it, it is run again."""
TRACE, INSTALL_TRACE = "configure.trace.json", "install.trace.json"
"""What CMake, and its install script, told of what they read."""


class KeptTree(NamedTuple):
    """The build tree of a step; `environment` is the tools', `disk` what was on disk before they
    started."""

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
        note = trees.read_note(self.place)
        now = self._seen(note) if note and note.foundation == foundation else None
        if note is None or now is None:
            return self.nothing(foundation)
        if frames.headers_sum(self.place, note.headers[0]) != note.headers:
            return self.nothing(foundation)
        differences = changes(note.inputs, now)
        harmed = frames.unlike(self.place, note.frame)
        if (differences or not note.known) and frames.tells_graph(harmed):
            return self.nothing(foundation)
        try:
            unlike = self._unlike(note)
            stale = self._stale(note, differences)
        except (ToolError, FileApiError):
            return self.nothing(foundation)
        if stale is None:
            return self.nothing(foundation)
        if harmed or any(note.configured.read.covers(row) for row in differences):
            (self.place / STAMP).unlink(missing_ok=True)
        trees.take_away(self.place, [*unlike, *harmed, *map(str, stale)])
        kept = {name: stamp for name, stamp in note.products.items() if name not in unlike}
        return note._replace(known=True, inputs=now, products=kept)

    def nothing(self, foundation: str) -> TreeNote:
        """Begin with an empty tree."""
        trees.delete(self.place)
        return TreeNote(foundation)

    def settle(self, note: TreeNote, commands: Collection[str], begun: int) -> None:
        """Note what a Ninja that ended by itself has made, though not all; what it did not
        finish is taken away.  `commands` are its log's lines from before it `begun`."""
        # Without a note that tells of it, nothing is kept.
        with contextlib.suppress(BuildtoolError):
            made = {name for name, at in self._products().items() if note.products.get(name) != at}
            trees.take_away(self.place, made - finished(self.place, commands))
            self.note(note, begun, installed=False)

    def note(self, before: TreeNote, begun: int, *, installed: bool) -> InputSet:
        """Note the tree as Ninja left it, which ended by itself; returns what was read for it.

        `before` is the note from before it `begun`, in ns.
        """
        found = self._discover(before, installed=installed)
        inputs = observe(found.paths, self.roots, self.disk.again())
        # Nobody knows of which state of these the products are.
        late = {
            name: ""
            for name in changed_since(found.paths, self.roots, begun)
            if inputs.digests[name] != before.inputs.digests.get(name)
        }
        note = TreeNote(
            before.foundation,
            known=True,
            inputs=inputs._replace(digests={**inputs.digests, **late}),
            configured=found.configured,
            declared=found.declared,
            install=found.install,
            products=trees.stamps(self.place, found.configured.made),
            frame=frames.again(self.place, list(before.frame), before.frame),
            headers=frames.headers_sum(self.place),
            answer=answer(self.place),
        )
        trees.write_note(self.place, note)
        return inputs

    def _discover(self, note: TreeNote, *, installed: bool) -> Discovered:
        """What the build read, as the tools tell; `note` is the tree's from before it."""
        from buildtool.build.discover import discover  # noqa: PLC0415 - loaded while tools run

        return discover(
            self.place,
            source=self.step.source,
            ninja=self.ninja,
            environment=self.environment,
            targets=self.step.targets,
            trace=self.place / TRACE,
            roots=self.roots,
            declared=self.step.inputs,
            ignore=self._known_places,
            install_trace=self.place / INSTALL_TRACE if installed else None,
            disk=self.disk.again(),
            # Had any of it changed, CMake would have run and answered anew.
            configured=note.configured if note.answer == answer(self.place) else None,
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
        newest = max((stamp[2] for stamp in note.products.values()), default=0)
        newest = max(newest, newest_in_log(self.place))
        appeared, changed = [], []
        for row in differences:
            if note.install.covers(row):
                continue
            if row.kind == "glob":
                if not read.covers(row):
                    return None
            elif "present" in (row.old, row.new):
                appeared.append(self.roots.placed(row.path))
            elif not self._is_news(row, note, newest):
                changed.append(self.roots.placed(row.path))
        if not changed and not appeared:
            return set()
        from buildtool.build.discover import dependents_of, shadowed  # noqa: PLC0415

        known = dependents_of(self.place, self.ninja, changed, self.environment)
        for row in differences:
            path = self.roots.placed(row.path)
            if path in changed and not known.get(path) and not read.covers(row):
                return None
        return {path for paths in known.values() for path in paths}.union(
            shadowed(
                self.place,
                ninja=self.ninja,
                environment=self.environment,
                roots=self.roots,
                appeared=appeared,
                ignore=self._known_places,
            )
        )

    def _is_news(self, row: Change, note: TreeNote, newest: int) -> bool:
        """Whether Ninja sees by itself that a file has changed: it has a rule for it, or a compiler
        told it of it, and the file is newer than all that Ninja has made, which is `newest`."""
        if row.kind != "changed" or not note.known:
            return False
        if note.configured.read.covers(row) or note.declared.covers(row):
            return False
        try:
            return self.roots.placed(row.path).stat().st_mtime_ns > newest
        except OSError:
            return False

    def _products(self) -> dict[str, trees.Stamp]:
        """The stamps of all that Ninja has made."""
        if not (self.place / "build.ninja").is_file():
            return {}
        from buildtool.build.discover.ninja import read_graph  # noqa: PLC0415

        graph = read_graph(self.place, self.ninja, self.environment, self.step.targets)
        return trees.stamps(self.place, graph.made)

    @property
    def _known_places(self) -> tuple[str, ...]:
        """The roots whose files have an identity of their own in the step's key."""
        return tuple(name.lower() for name in self.step.profile.places)
