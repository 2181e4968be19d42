"""The caches of a build: outputs that a step once made of the inputs that are there now.

What a step reads is only known after it has run, so a lookup has two stages: the step's key finds
the path sets that earlier runs of the step read; a path set and the current state of its files find
the outputs.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool import __version__
from buildtool.cache.action import Action, path_sets_document, read_action, read_path_sets
from buildtool.cache.outputs import Check, Output, restore
from buildtool.core.files import digest_of, is_digest
from buildtool.core.value import Value
from buildtool.engine.record import StepRecord
from buildtool.engine.result import Reason, input_reasons
from buildtool.inputs.file_states import FileView
from buildtool.inputs.globs import Budget, BudgetError
from buildtool.inputs.path_sets import InputsError, InputSet, PathSet, changes, observe
from buildtool.inputs.roots import RootError, Roots

if TYPE_CHECKING:
    from buildtool.cache.local import LocalCache
    from buildtool.cache.remote.client import RemoteCache, RemoteDocument


MAX_RESTORED = 4 << 30
"""The most bytes that the files of one action of a remote cache may have together."""
PATIENCE = 60.0
"""Seconds that fetching these files may take, beyond what their size allows."""
RECENT = 16
"""How many actions of a step are remembered, to find the most similar one."""


class CacheHit(Value):
    """Outputs of a step that a cache has, for the inputs that are there now.

    `origin` is `local` or `remote`; `remote` is what to fetch the files from in the latter case.
    """

    action_key: str
    record: StepRecord
    origin: str
    remote: RemoteDocument | None = None


class CacheLookup(Value):
    """The local cache and, where one is configured, the remote cache."""

    local: LocalCache
    remote: RemoteCache | None = None

    def find(self, key: str, roots: Roots, files: FileView) -> CacheHit | None:
        """The cached outputs of the step with this key for the current inputs; None without any."""
        for inputs in self._observed(key, roots, files):
            for directory in ("", str(roots.directories["project"])):
                name = action_key(key, inputs, directory)
                data = self.local.document(name)
                action = read_action(data, name) if data else None
                if action and action.step_key == key:
                    return CacheHit(name, _record(action, inputs), "local")
            if hit := self._find_remote(key, inputs):
                return hit
        return None

    def restore(self, hit: CacheHit, into: Path, check: Check = lambda _: None) -> bool:
        """Put the outputs into the directory `into` if `check` accepts them, and keep what came
        from a server; False when a part of them is missing.

        Raises what `check` raises; `OSError` when outputs of the local cache cannot be written.
        """
        outputs = hit.record.outputs
        seconds = _seconds(outputs) if hit.remote else 0.0
        end = time.monotonic() + seconds

        def fetch(digest: str, path: Path) -> bool:
            if self.local.fetch(digest, path):
                return True
            if hit.remote and self.remote and time.monotonic() > end:
                self.remote.failures.unreachable(
                    f"is slow: the files took more than {seconds:.0f} s"
                )
            return hit.remote is not None and hit.remote.fetch(digest, path)

        try:
            if not restore(outputs, into, fetch, check):
                return False
        except OSError as error:
            if not hit.remote or not self.remote:
                raise
            self.remote.failures.unusable(
                f"has an action whose files cannot be written here ({error})"
            )
            return False
        if hit.remote:
            self._keep(_action(hit.action_key, hit.record), hit.record.inputs, into)
        return True

    def store(self, record: StepRecord, directory: Path, bound_to: str = "") -> None:
        """Keep the outputs in `directory`; `bound_to` is the project's directory for outputs that
        are right in this one only, else ""."""
        action = _action(action_key(record.key, record.inputs, bound_to), record)
        self._keep(action, record.inputs, directory)
        if self.remote and self.remote.writable and not bound_to:
            self._share(action, record.inputs, directory)

    def is_shared(self, record: StepRecord) -> bool:
        """Whether the server has the outputs."""
        name = action_key(record.key, record.inputs, "")
        return self.remote is not None and self.remote.document(name) is not None

    def share(self, record: StepRecord, directory: Path) -> None:
        """Store the outputs in `directory` on the server, unless it has them."""
        if self.remote and self.remote.writable and not self.is_shared(record):
            name = action_key(record.key, record.inputs, "")
            self._share(_action(name, record), record.inputs, directory)

    def reject(self, action_key: str, server: str) -> None:
        """Delete a bad action, and remember not to take it from `server` again."""
        self.local.discard_document(action_key)
        if server:
            self.local.put_document(_bad_key(action_key, server), b"bad")

    def known(self, key: str) -> tuple[InputSet, ...]:
        """The inputs of the latest builds of the step with this key that are known here."""
        found = []
        for name in self._recent(key):
            action = read_action(self.local.document(name) or b"", name)
            with contextlib.suppress(InputsError):
                found += [InputSet.from_json(action.inputs)] if action else []
        return tuple(found)

    def nearest(
        self, known: Sequence[InputSet], roots: Roots, files: FileView
    ) -> tuple[Reason, ...]:
        """How the current inputs differ from the most similar of the `known` ones."""
        rows = []
        for inputs in known:
            with contextlib.suppress(RootError):
                rows.append(input_reasons(changes(inputs, observe(inputs.paths, roots, files))))
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

    def _share(self, action: Action, inputs: InputSet, directory: Path) -> None:
        assert self.remote is not None
        files = action.files(directory)
        if not self.remote.put(action.action_key, action.as_bytes(), files):
            return
        known = self.remote.document(action.step_key)
        others = read_path_sets(known.data) if known else ()
        mine = inputs.paths.as_json()
        if mine not in others:
            self.remote.put(action.step_key, path_sets_document([mine, *others]), {})

    def _keep(self, action: Action, inputs: InputSet, directory: Path) -> None:
        files = action.files(directory)
        if all(self.local.put(digest, file) for digest, file in files.items()):
            self.local.put_document(action.action_key, action.as_bytes())
            self.local.add_path_set(action.step_key, inputs.paths.as_json())
            self._note_recent(action.step_key, action.action_key)

    def _observed(self, key: str, roots: Roots, files: FileView) -> Iterator[InputSet]:
        """The current states of the path sets that are known here, then of those that the server
        knows in addition, if their paths are accepted."""
        own = dict.fromkeys(_parsed(self.local.path_sets(key)))
        for paths in own:
            with contextlib.suppress(RootError):
                yield observe(paths, roots, files)
        known = self.remote.document(key) if self.remote else None
        if not known or not self.remote:
            return
        from buildtool.engine.remote_paths import (  # noqa: PLC0415 - a remote cache is rare
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
                yield observe(paths, roots, files, budget)
            except RootError:
                continue
            except ForeignPathError as error:
                self.remote.failures.unusable(f"lists {error}")
            except BudgetError:
                self.remote.failures.bad_response("sent path sets that take too long to examine")
                return

    def _find_remote(self, key: str, inputs: InputSet) -> CacheHit | None:
        """The server's action of the step on `inputs`, if it has one that can be right."""
        name = action_key(key, inputs, "")
        if not self.remote or self.local.document(_bad_key(name, self.remote.url)) is not None:
            return None
        if not (found := self.remote.document(name)):
            return None
        action = read_action(found.data, name)
        if not action or action.step_key != key or action.inputs != inputs.as_json():
            self.remote.failures.bad_response("sent an action of another step or of other inputs")
            return None
        sizes = {output.digest: output.size for output in action.outputs if output.digest}
        if any(found.files.get(digest, size) != size for digest, size in sizes.items()):
            self.remote.failures.bad_response("sent an action whose files are not those it lists")
            return None
        if sum(output.size for output in action.outputs) > MAX_RESTORED:
            self.remote.failures.bad_response(
                f"sent an action with more than {MAX_RESTORED:,} bytes of files"
            )
            return None
        record = _record(action, inputs)._replace(server=self.remote.url)
        return CacheHit(name, record, "remote", found)


def _record(action: Action, inputs: InputSet) -> StepRecord:
    return StepRecord(action.step_key, inputs, action.outputs, action.seconds, action.server)


def _action(name: str, record: StepRecord) -> Action:
    return Action(
        record.key,
        name,
        record.inputs.as_json(),
        record.outputs,
        __version__,
        record.seconds,
        record.server,
    )


def action_key(step_key: str, inputs: InputSet, bound_to: str) -> str:
    """sha256 of a step's key, its inputs, and the project's directory for outputs that are right
    in this one only."""
    return digest_of(f"{step_key}\n{inputs.digest}\n{bound_to}".encode())


def _seconds(outputs: Sequence[Output]) -> float:
    """How long fetching all files may take."""
    from buildtool.cache.remote.requests import MIN_BYTES_PER_SECOND  # noqa: PLC0415 - mostly none is asked

    return PATIENCE + sum(output.size for output in outputs) / MIN_BYTES_PER_SECOND


def _bad_key(name: str, server: str) -> str:
    """The name of the document that exists when the server has a bad action of that name."""
    return digest_of(f"bad\n{name}\n{server}".encode())


def _recent_key(key: str) -> str:
    """The name of the document that lists the latest actions of a step, which `why` compares."""
    return digest_of(f"recent\n{key}".encode())


def _parsed(path_sets: Sequence[Mapping[str, Any]]) -> Iterator[PathSet]:
    for one in path_sets:
        try:
            yield PathSet.from_json(one)
        except InputsError:
            continue
