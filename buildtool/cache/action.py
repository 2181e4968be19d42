"""The two documents of a step: the path sets that it read, and the action that it ran.

The first is stored under the step's key, the second under the key of the step with the contents of
one path set.  Both come from disks and servers that may hold anything: an invalid document reads as
None, or as an empty list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.cache.outputs import (
    Output,
    OutputsError,
    outputs_as_json,
    outputs_digest,
    outputs_from_json,
)
from buildtool.cache.store import DOCUMENT_LIMIT
from buildtool.core.files import MAX_VALUES, is_digest, json_values, parse_bounded, value_digest
from buildtool.core.value import Value

VERSION = 1
PATH_SETS = 16
"""The number of path sets in a step's document; older ones are dropped."""
FOREVER = 1e9
"""Seconds that no step takes; excludes infinity, NaN and numbers of a hundred digits."""


class Action(Value):
    """The result of running a step on certain inputs.

    `inputs` is the JSON of the input set, `tool` the version of this program that ran the step,
    `seconds` its duration, `server` the remote cache that the action came from ("" for none).
    """

    step_key: str
    action_key: str
    inputs: Mapping[str, Any]
    outputs: tuple[Output, ...]
    tool: str
    seconds: float
    server: str = ""

    @property
    def digest(self) -> str:
        """The digest of the outputs, which the keys of dependent steps cover."""
        return outputs_digest(self.outputs)

    def files(self, directory: Path) -> dict[str, Path]:
        """The files in `directory`, which holds the outputs, by digest."""
        return {o.digest: directory / o.path for o in self.outputs if o.kind != "link"}

    def as_bytes(self) -> bytes:
        """The document that is stored under `action_key`."""
        return _document(
            {
                "version": VERSION,
                "document": "action",
                "step": self.step_key,
                "action": self.action_key,
                "inputs": dict(self.inputs),
                "outputs": outputs_as_json(self.outputs),
                "tool": self.tool,
                "seconds": round(self.seconds, 3),
                **({"server": self.server} if self.server else {}),
            }
        )


def read_action(data: bytes, action_key: str) -> Action | None:
    """The action in the document stored under `action_key`; None for any other document."""
    match _parsed(data, "action"):
        case {
            "step": str(step),
            "action": str(action),
            "inputs": dict(inputs),
            "outputs": outputs,
            "tool": str(tool),
            "seconds": int() | float() as seconds,
            **rest,
        } if is_digest(step) and action == action_key and 0 <= seconds < FOREVER:
            server = str(rest.get("server", ""))
            try:
                made = outputs_from_json(outputs)
            except OutputsError:
                return None
            return Action(step, action, inputs, made, tool, seconds, server)
    return None


def path_sets_document(path_sets: Sequence[Mapping[str, Any]]) -> bytes:
    """The document with these path sets (JSON), newest first.

    It holds each path set once, and only as many of the newest as `PATH_SETS` and the size limits
    of a document allow.
    """
    once: dict[str, Mapping[str, Any]] = {}
    for one in path_sets:
        once.setdefault(value_digest(one), one)
    kept = [*once.values()][:PATH_SETS]
    while True:
        data = _document({"version": VERSION, "document": "path sets", "sets": kept})
        if (len(data) <= DOCUMENT_LIMIT and json_values(data) <= MAX_VALUES) or not kept:
            return data
        kept.pop()


def read_path_sets(data: bytes) -> tuple[dict[str, Any], ...]:
    """The path sets (JSON) in a document, newest first; an empty list for any other document."""
    match _parsed(data, "path sets"):
        case {"sets": list(sets)} if all(isinstance(one, dict) for one in sets):
            return tuple(sets[:PATH_SETS])
    return ()


def blobs_named(data: bytes) -> tuple[str, ...]:
    """The digests of the blobs that a document refers to: those of an action's outputs."""
    match _parsed(data, "action"):
        case {"outputs": list(outputs)}:
            try:
                named = {output.digest for output in outputs_from_json(outputs)}
            except OutputsError:
                return ()
            return tuple(sorted(named - {""}))
    return ()


def _document(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _parsed(data: bytes, document: str) -> dict[str, Any]:
    if len(data) > DOCUMENT_LIMIT:
        return {}
    try:
        value = parse_bounded(data)
    except ValueError:
        return {}
    match value:
        case {"version": version, "document": str(said)} if version == VERSION and said == document:
            return dict(value)
    return {}
