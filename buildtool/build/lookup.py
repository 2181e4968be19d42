"""Whether a step was ever carried out on what there is now: here, on another branch, elsewhere.

In two looks, as nobody knows what a step reads before it has run: the step's key leads to the sets
of paths that it was seen to read; one of these with what is there now leads to what it made.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from buildtool import __version__
from buildtool.build.cache.action import Action, path_sets_document, read_action, read_path_sets
from buildtool.build.cache.outputs import Output
from buildtool.build.cache.restore import restore
from buildtool.build.inputs import InputsError, InputSet, PathSet, changes, observe
from buildtool.build.reasons import Reason, input_reasons
from buildtool.build.roots import RootError, Roots
from buildtool.core.files import is_digest

if TYPE_CHECKING:
    from buildtool.build.cache.local import LocalCache
    from buildtool.build.cache.remote import RemoteCache, RemoteDocument
    from buildtool.build.disk import Disk


RECENT = 16
"""How many actions of a step are kept in mind, to tell which one is the most similar."""


class Hit(NamedTuple):
    """An action that was carried out on just these `inputs`; `origin` is `local` or `remote`."""

    action: Action
    inputs: InputSet
    origin: str
    remote: RemoteDocument | None = None


class Kept(NamedTuple):
    """Outputs in their directory; `place` is the clone's where they have it in them, else ""."""

    outputs: tuple[Output, ...]
    directory: Path
    place: str


class Lookup(NamedTuple):
    """The caches of this build."""

    local: LocalCache
    remote: RemoteCache | None = None

    def find(self, key: str, roots: Roots, disk: Disk) -> Hit | None:
        """What the step with this key made of what is there now, if anything is known of it."""
        seen: set[str] = set()
        for path_set in self._path_sets(key):
            if path_set.digest in seen:
                continue
            seen.add(path_set.digest)
            try:
                inputs = observe(path_set, roots, disk)
            except RootError:
                continue
            for place in ("", str(roots.places["project"])):
                name = action_key(key, inputs, place)
                if hit := self._action(name, inputs):
                    return hit
        return None

    def restore(self, hit: Hit, into: Path) -> bool:
        """Lay down what the action made; False when a part of it is no longer to be had."""

        def fetch(digest: str, path: Path) -> bool:
            if self.local.fetch(digest, path):
                return True
            if hit.remote and hit.remote.fetch(digest, path):
                self.local.put(digest, path)
                return True
            return False

        if not restore(hit.action.outputs, into, fetch):
            return False
        if hit.remote:
            self.local.put_document(hit.action.action_key, hit.action.as_bytes())
            self.local.add_path_set(hit.action.step_key, hit.inputs.paths.as_json())
            self._note_recent(hit.action.step_key, hit.action.action_key)
        return True

    def store(self, key: str, inputs: InputSet, kept: Kept, seconds: float) -> None:
        """Keep what a step made in `seconds`."""
        name = action_key(key, inputs, kept.place)
        action = Action(key, name, inputs.as_json(), kept.outputs, __version__, seconds)
        files = {o.digest: kept.directory / o.path for o in kept.outputs if o.kind != "link"}
        if all(self.local.put(digest, file) for digest, file in files.items()):
            self.local.put_document(name, action.as_bytes())
            self.local.add_path_set(key, inputs.paths.as_json())
            self._note_recent(key, name)
        if self.remote and self.remote.writable and not kept.place:
            self._share(action, inputs, files)

    def known(self, key: str) -> tuple[InputSet, ...]:
        """What the step with this key was last carried out on, as far as this machine knows."""
        found = []
        for name in self._recent(key):
            action = read_action(self.local.document(name) or b"", name)
            with contextlib.suppress(InputsError):
                found += [InputSet.from_json(action.inputs)] if action else []
        return tuple(found)

    def nearest(self, known: Sequence[InputSet], roots: Roots, disk: Disk) -> tuple[Reason, ...]:
        """What differs now from the most similar one of `known`."""
        rows = []
        for inputs in known:
            with contextlib.suppress(RootError):
                rows.append(input_reasons(changes(inputs, observe(inputs.paths, roots, disk))))
        return min(rows, key=len, default=())

    def _recent(self, key: str) -> list[str]:
        data = self.local.document(_recent_key(key))
        try:
            names = json.loads(data or b"[]")
            return [name for name in names if is_digest(name)][:RECENT]
        except (ValueError, TypeError, RecursionError):
            return []

    def _note_recent(self, key: str, name: str) -> None:
        recent = [name, *(other for other in self._recent(key) if other != name)][:RECENT]
        self.local.put_document(_recent_key(key), json.dumps(recent).encode())

    def _share(self, action: Action, inputs: InputSet, files: Mapping[str, Path]) -> None:
        assert self.remote is not None
        if not self.remote.put(action.action_key, action.as_bytes(), files):
            return
        known = self.remote.document(action.step_key)
        others = read_path_sets(known.data) if known else ()
        mine = inputs.paths.as_json()
        if mine not in others:
            self.remote.put(action.step_key, path_sets_document([mine, *others]), {})

    def _path_sets(self, key: str) -> Iterator[PathSet]:
        """Those of this machine, then those that others know besides."""
        yield from _parsed(self.local.path_sets(key))
        if self.remote and (known := self.remote.document(key)):
            yield from _parsed(read_path_sets(known.data))

    def _action(self, name: str, inputs: InputSet) -> Hit | None:
        data = self.local.document(name)
        if data and (action := read_action(data, name)):
            return Hit(action, inputs, "local")
        found = self.remote.document(name) if self.remote else None
        if found and (action := read_action(found.data, name)):
            return Hit(action, inputs, "remote", found)
        return None


def action_key(step_key: str, inputs: InputSet, place: str) -> str:
    """sha256 of a step's key, what it read, and where the clone is if that shapes the outputs."""
    return hashlib.sha256(f"{step_key}\n{inputs.digest}\n{place}".encode()).hexdigest()


def _recent_key(key: str) -> str:
    """The document that lists what was lately carried out under a step's key: for people only."""
    return hashlib.sha256(f"recent\n{key}".encode()).hexdigest()


def _parsed(path_sets: Sequence[Mapping[str, Any]]) -> Iterator[PathSet]:
    for one in path_sets:
        try:
            yield PathSet.from_json(one)
        except InputsError:
            continue
