"""The two documents of a step: which path sets to look at, and what an action made.

The first has the step's key, the second the key of the step with the contents of one path set.
Both are read from disks and servers that may hold anything: what is not as it was written reads as
None, or as an empty list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.cache.bounded_json import MAX_VALUES, parse, values
from buildtool.cache.outputs import (
    Output,
    OutputsError,
    outputs_as_json,
    outputs_digest,
    outputs_from_json,
)
from buildtool.cache.store import DOCUMENT_LIMIT
from buildtool.core.files import is_digest, value_digest
from buildtool.core.value import Value

VERSION = 1
PATH_SETS = 16
"""How many a step's document keeps: the newest."""
FOREVER = 1e9
"""Seconds: no step takes so long; nor is infinity, not-a-number or a hundred digits a time."""


class Action(Value):
    """What a step made from certain inputs.

    `inputs` is the JSON of the input set, `tool` the version of this program that ran the step,
    `seconds` how long that took, `server` the remote cache that it came from ("" for none).
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
        """That of the outputs: what steps depend on that build on this one."""
        return outputs_digest(self.outputs)

    def files(self, directory: Path) -> dict[str, Path]:
        """Where each of its contents lies in the outputs' `directory`, by digest."""
        return {o.digest: directory / o.path for o in self.outputs if o.kind != "link"}

    def as_bytes(self) -> bytes:
        """The document to be stored under `action_key`."""
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
    """The action that the document stored under `action_key` describes; None when it does not."""
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
    """The document with these path sets (JSON), newest first; the oldest may be left out.

    At most `PATH_SETS` are kept, each once, and no more than a document may hold.
    """
    once: dict[str, Mapping[str, Any]] = {}
    for one in path_sets:
        once.setdefault(value_digest(one), one)
    kept = [*once.values()][:PATH_SETS]
    while True:
        data = _document({"version": VERSION, "document": "path sets", "sets": kept})
        if (len(data) <= DOCUMENT_LIMIT and values(data) <= MAX_VALUES) or not kept:
            return data
        kept.pop()


def read_path_sets(data: bytes) -> tuple[dict[str, Any], ...]:
    """The path sets (JSON) of such a document, newest first; none when it is no such document."""
    match _parsed(data, "path sets"):
        case {"sets": list(sets)} if all(isinstance(one, dict) for one in sets):
            return tuple(sets[:PATH_SETS])
    return ()


def blobs_named(data: bytes) -> tuple[str, ...]:
    """The blobs that a document needs: those of an action's outputs, none of any other."""
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
        value = parse(data)
    except ValueError:
        return {}
    match value:
        case {"version": version, "document": str(said)} if version == VERSION and said == document:
            return dict(value)
    return {}
