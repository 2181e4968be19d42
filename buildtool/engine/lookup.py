"""Whether a step was ever carried out on what there is now: here, on another branch, elsewhere.

In two looks, as nobody knows what a step reads before it has run: the step's key leads to the sets
of paths that it was seen to read; one of these with what is there now leads to what it made.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool import __version__
from buildtool.cache.action import Action, path_sets_document, read_action, read_path_sets
from buildtool.cache.outputs import Output
from buildtool.cache.restore import Check, restore
from buildtool.core.files import is_digest
from buildtool.core.value import Value
from buildtool.engine.reasons import Reason, input_reasons
from buildtool.inputs.globs import Budget, BudgetError
from buildtool.inputs.path_sets import InputsError, InputSet, PathSet, changes, observe
from buildtool.inputs.roots import RootError, Roots

if TYPE_CHECKING:
    from buildtool.cache.local import LocalCache
    from buildtool.cache.remote.client import RemoteCache, RemoteDocument
    from buildtool.inputs.file_states import FileStates


MAX_RESTORED = 4 << 30
"""Bytes that the files of one action of a remote cache may have together."""
PATIENCE = 60.0
"""Seconds that these files may take, beyond what their bytes take."""
RECENT = 16
"""How many actions of a step are kept in mind, to tell which one is the most similar."""


class Hit(Value):
    """An action that was carried out on just these `inputs`; `origin` is `local` or `remote`."""

    action: Action
    inputs: InputSet
    origin: str
    remote: RemoteDocument | None = None


class Kept(Value):
    """Outputs in their directory; `place` is the clone's where they have it in them, else ""."""

    outputs: tuple[Output, ...]
    directory: Path
    place: str


class Lookup(Value):
    """The caches of this build."""

    local: LocalCache
    remote: RemoteCache | None = None

    def find(self, key: str, roots: Roots, file_states: FileStates) -> Hit | None:
        """What the step with this key made of what is there now, if anything is known of it."""
        for inputs in self._observed(key, roots, file_states):
            for place in ("", str(roots.places["project"])):
                name = action_key(key, inputs, place)
                data = self.local.document(name)
                action = read_action(data, name) if data else None
                if action and action.step_key == key:
                    return Hit(action, inputs, "local")
            if hit := self._shared(key, inputs):
                return hit
        return None

    def restore(self, hit: Hit, into: Path, check: Check = lambda _: None) -> bool:
        """Lay down what the action made, if `check` finds nothing wrong with it, and keep what
        came from a server; False when a part of it is no longer to be had.

        Raises what `check` raises; `OSError` when what is in the local cache cannot be laid down.
        """

        seconds = _seconds(hit.action) if hit.remote else 0.0
        end = time.monotonic() + seconds

        def fetch(digest: str, path: Path) -> bool:
            if self.local.fetch(digest, path):
                return True
            if hit.remote and self.remote and time.monotonic() > end:
                self.remote.trouble.lost(f"is slow: it was waited for {seconds:.0f} s")
            return hit.remote is not None and hit.remote.fetch(digest, path)

        try:
            if not restore(hit.action.outputs, into, fetch, check):
                return False
        except OSError as error:
            if not hit.remote or not self.remote:
                raise
            self.remote.trouble.passed_over(
                f"has an action that cannot be laid down here ({error})"
            )
            return False
        if hit.remote:
            self._keep(hit.action, hit.inputs, hit.action.files(into))
        return True

    def store(self, key: str, inputs: InputSet, kept: Kept, seconds: float) -> None:
        """Keep what a step made in `seconds`."""
        name = action_key(key, inputs, kept.place)
        action = Action(key, name, inputs.as_json(), kept.outputs, __version__, seconds)
        files = action.files(kept.directory)
        self._keep(action, inputs, files)
        if self.remote and self.remote.writable and not kept.place:
            self._share(action, inputs, files)

    def reject(self, action_key: str, server: str) -> None:
        """Delete a bad action, and keep in mind that it is not to be had from `server` either."""
        self.local.discard_document(action_key)
        if server:
            self.local.put_document(_bad_key(action_key, server), b"bad")

    def known(self, key: str) -> tuple[InputSet, ...]:
        """What the step with this key was last carried out on, as far as this machine knows."""
        found = []
        for name in self._recent(key):
            action = read_action(self.local.document(name) or b"", name)
            with contextlib.suppress(InputsError):
                found += [InputSet.from_json(action.inputs)] if action else []
        return tuple(found)

    def nearest(
        self, known: Sequence[InputSet], roots: Roots, file_states: FileStates
    ) -> tuple[Reason, ...]:
        """What differs now from the most similar one of `known`."""
        rows = []
        for inputs in known:
            with contextlib.suppress(RootError):
                rows.append(
                    input_reasons(changes(inputs, observe(inputs.paths, roots, file_states)))
                )
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

    def _keep(self, action: Action, inputs: InputSet, files: Mapping[str, Path]) -> None:
        if all(self.local.put(digest, file) for digest, file in files.items()):
            self.local.put_document(action.action_key, action.as_bytes())
            self.local.add_path_set(action.step_key, inputs.paths.as_json())
            self._note_recent(action.step_key, action.action_key)

    def _observed(self, key: str, roots: Roots, file_states: FileStates) -> Iterator[InputSet]:
        """What there is to see at the path sets of this machine, then at those that others know
        besides, as far as they may be looked at."""
        own = dict.fromkeys(_parsed(self.local.path_sets(key)))
        for paths in own:
            with contextlib.suppress(RootError):
                yield observe(paths, roots, file_states)
        known = self.remote.document(key) if self.remote else None
        if not known or not self.remote:
            return
        from buildtool.engine.remote_paths import (  # noqa: PLC0415 - most of the time none is asked
            MAX_ENTRIES,
            ForeignPathError,
            RemotePaths,
        )

        budget = Budget(MAX_ENTRIES)
        rule = RemotePaths(roots, os.environ.get("PATH", ""), budget)
        for paths in dict.fromkeys(_parsed(read_path_sets(known.data))):
            if paths in own:
                continue
            try:
                rule.check(paths)
                yield observe(paths, roots, file_states, budget)
            except RootError:
                continue
            except ForeignPathError as error:
                self.remote.trouble.passed_over(f"lists {error}")
            except BudgetError:
                self.remote.trouble.bad("sent path sets that take too long to look at")
                return

    def _shared(self, key: str, inputs: InputSet) -> Hit | None:
        """The action of a step on `inputs` that the server has, if it can be one."""
        name = action_key(key, inputs, "")
        if not self.remote or self.local.document(_bad_key(name, self.remote.url)) is not None:
            return None
        if not (found := self.remote.document(name)):
            return None
        action = read_action(found.data, name)
        own = inputs.as_json()
        if not action or action.step_key != key or action.inputs != own:
            self.remote.trouble.bad("sent an action of another step or of other inputs")
            return None
        sizes = {output.digest: output.size for output in action.outputs if output.digest}
        if any(found.files.get(digest, size) != size for digest, size in sizes.items()):
            self.remote.trouble.bad("sent an action with other files than it lists")
            return None
        if sum(output.size for output in action.outputs) > MAX_RESTORED:
            self.remote.trouble.bad(f"sent an action with more than {MAX_RESTORED} bytes of files")
            return None
        # Its inputs are equal, and may be written in another way: 0 for false.
        return Hit(action._replace(inputs=own, server=self.remote.url), inputs, "remote", found)


def action_key(step_key: str, inputs: InputSet, place: str) -> str:
    """sha256 of a step's key, what it read, and where the clone is if that shapes the outputs."""
    return hashlib.sha256(f"{step_key}\n{inputs.digest}\n{place}".encode()).hexdigest()


def _seconds(action: Action) -> float:
    """How long a server may take for all files of an action."""
    from buildtool.cache.remote.exchange import SLOWEST  # noqa: PLC0415 - mostly none is asked

    return PATIENCE + sum(output.size for output in action.outputs) / SLOWEST


def _bad_key(name: str, server: str) -> str:
    """The document that is there when the server's action of that name turned out bad."""
    return hashlib.sha256(f"bad\n{name}\n{server}".encode()).hexdigest()


def _recent_key(key: str) -> str:
    """The document that lists what was lately carried out under a step's key: for people only."""
    return hashlib.sha256(f"recent\n{key}".encode()).hexdigest()


def _parsed(path_sets: Sequence[Mapping[str, Any]]) -> Iterator[PathSet]:
    for one in path_sets:
        try:
            yield PathSet.from_json(one)
        except InputsError:
            continue
