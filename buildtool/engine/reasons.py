"""Why a step has to be carried out: one sentence for each thing that differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.value import Value
from buildtool.engine.record import StepRecord, changed_outputs
from buildtool.inputs.path_sets import Change, InputSet, changes
from buildtool.plan.step_key import differences

_DIGEST = r"[0-9a-f]{64}(\+x)?"


class Reason(Value):
    """One thing that differs from the last time.

    `kind` is `first` (there was no last time), `field` (of the key), `input`, `moved` (an input
    changed while the step ran), `doubtful` (it is not certain that this was read), `output`
    (what was made is not there as it was made), `absent` (a file that was not there is looked at
    before another one) or `glob` (a file that one matches, or matched).  `name` is the field or
    path; `old` and `new` are values, digests, or "" for nothing.
    """

    kind: str
    name: str = ""
    old: str = ""
    new: str = ""

    def as_json(self) -> dict[str, str]:
        return {"kind": self.kind, "name": self.name, "old": self.old, "new": self.new}

    @property
    def text(self) -> str:
        """The reason in words."""
        match self.kind:
            case "first":
                return "it was not built here before"
            case "field":
                return f"{self.name}: {_value(self.old)} → {_value(self.new)}"
            case "moved":
                return f"{self.name} changed while it was being built"
            case "doubtful":
                return f"it is not certain what was read: {self.name}"
            case "output":
                return f"{self.name}, which it made, is {self.new}"
            case "absent":
                return f"{self.name} appeared, where it shadows another file or is looked for"
            case "glob":
                what = "matches a glob now" if self.new else "matches a glob no more"
                return f"{self.name} {what} ({self.new or self.old})"
        if not self.old:
            return f"{self.name} appeared"
        if not self.new:
            return f"{self.name} is gone"
        return f"{self.name} changed: {_value(self.old)} → {_value(self.new)}"


def find_reasons(
    record: StepRecord | None,
    fields: Mapping[str, Any],
    now: InputSet | None,
    output: Path,
    state: Callable[[str], str],
) -> tuple[Reason, ...]:
    """Everything that keeps a step from being up to date; nothing when it is.

    `now` is what there is to see at the paths of the record's inputs.
    """
    if record is None or now is None:
        return (Reason("first"),)
    found = [Reason("field", *row) for row in differences(record.fields, fields)]
    found += input_reasons(changes(record.inputs, now))
    found += [Reason("moved", path) for path in record.changed_during_build]
    found += [Reason("doubtful", path) for path in record.uncertain]
    found += [
        Reason("output", path, new=wrong)
        for path, wrong in changed_outputs(record.outputs, output, state)
    ]
    return tuple(found)


def input_reasons(differences: Sequence[Change]) -> tuple[Reason, ...]:
    """The reasons that differences of two input sets are."""
    return tuple(Reason(_kind(row), row.path, row.old, row.new) for row in differences)


def _kind(row: Change) -> str:
    if row.new == "present":
        return "absent"
    return "glob" if row.kind == "glob" else "input"


def _value(text: str) -> str:
    """A value as it is shown: digests shortened, nothing said."""
    if digest := re.fullmatch(_DIGEST, text):
        return text[:8] + (digest[1] or "")
    return text if text == '""' else repr(text) if text else "nothing"
