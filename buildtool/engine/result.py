"""The result of a build: what became of each step and why, and which files it ships.

`find_reasons` compares a step with its record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from buildtool.core.value import Described, Value
from buildtool.engine.record import StepRecord, changed_outputs
from buildtool.inputs.file_states import DIRECTORY, MISSING, FileView
from buildtool.inputs.path_sets import Change, changes, observe
from buildtool.inputs.roots import RootError, Roots
from buildtool.plan.plan import Plan, Step
from buildtool.plan.step_key import differences

_DIGEST = r"[0-9a-f]{64}(\+x)?"


class Reason(Described):
    """One difference from the last build of a step.

    `kind` is `first` (there was no build before), `field` (a field of the step key), `input`,
    `moved` (an input changed while the step was built), `doubtful` (it is uncertain whether this
    file was read), `output` (an output is missing or was changed), `absent` (a file appeared that
    hides another one, or that is searched for), `glob` (a file that a glob matches or no longer
    matches) or `tree` (the build tree is needed, and missing or that of another build).
    """

    kind: Annotated[
        str,
        "what kind of difference",
        ("first", "field", "input", "moved", "doubtful", "output", "absent", "glob", "tree"),
    ]
    name: Annotated[str, "the field or path"] = ""
    old: Annotated[str, 'value or digest before; "" for none'] = ""
    new: Annotated[str, 'value or digest now; "" for none'] = ""

    @property
    def text(self) -> str:
        """The reason as a sentence."""
        match self.kind:
            case "first":
                return "it was not built here before"
            case "field":
                return f"{self.name}: {_value(self.old)} → {_value(self.new)}"
            case "moved":
                return f"{self.name} changed during the build"
            case "doubtful":
                return f"it is uncertain what was read: {self.name}"
            case "output":
                return f"the output {self.name} is {self.new}"
            case "absent":
                return f"{self.name} appeared: it hides another file, or is searched for"
            case "tree":
                return "its build tree is needed, which is missing or that of another build"
            case "glob":
                what = "matches a glob now" if self.new else "no longer matches a glob"
                return f"{self.name} {what} ({self.new or self.old})"
        if not self.old:
            return f"{self.name} appeared"
        if not self.new:
            return f"{self.name} is gone"
        return f"{self.name} changed: {_value(self.old)} → {_value(self.new)}"


def find_reasons(
    record: StepRecord | None,
    fields: Mapping[str, Any],
    roots: Roots,
    output: Path,
    files: FileView,
) -> tuple[Reason, ...]:
    """All reasons why a step is not up to date; none when it is.

    `fields` are those of its key now, `roots` the places of its inputs, and `output` its output
    directory.
    """
    if record is None:
        return (Reason("first"),)
    try:
        now = observe(record.inputs.paths, roots, files)
    except RootError:  # the record names a tool that this project no longer uses
        return (Reason("first"),)
    found = [Reason("field", *row) for row in differences(record.fields, fields)]
    found += input_reasons(changes(record.inputs, now))
    found += [Reason("moved", path) for path in record.changed_during_build]
    found += [Reason("doubtful", path) for path in record.uncertain]
    found += [
        Reason("output", path, new=wrong)
        for path, wrong in changed_outputs(record.outputs, output, files)
    ]
    found += [
        Reason("output", library, new="missing")
        for library in record.runtime.values()
        if files.states((library,))[0] in (MISSING, DIRECTORY)
    ]
    return tuple(found)


def input_reasons(differences: Sequence[Change]) -> tuple[Reason, ...]:
    """The differences between two input sets as reasons."""
    return tuple(Reason(_kind(row), row.path, row.old, row.new) for row in differences)


def _kind(row: Change) -> str:
    if row.new == "present":
        return "absent"
    return "glob" if row.kind == "glob" else "input"


def _value(text: str) -> str:
    """A value for people: digests are shortened, and "" is `nothing`."""
    if digest := re.fullmatch(_DIGEST, text):
        return text[:8] + (digest[1] or "")
    return text if text == '""' else repr(text) if text else "nothing"


class StepOutcome(StrEnum):
    """The outcome of a step."""

    UP_TO_DATE = "up-to-date"
    RESTORED = "restored"
    BUILT = "built"
    FAILED = "failed"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"  # Ctrl-C ended the build before it was done


class StepResult(Value):
    """The result of one step.

    `record` describes the step after the build, None when it failed or was skipped; `reasons` say
    why it was not up to date; `origin` is the cache that it was restored from (`local` or `remote`,
    "" for none); `seconds` is wall time, `error` the exception of a failed step.
    """

    step: Step
    outcome: StepOutcome
    record: StepRecord | None = None
    reasons: tuple[Reason, ...] = ()
    origin: str = ""
    seconds: float = 0.0
    error: Exception | None = None

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """The files that the step ships, by their path in its output directory."""
        if not self.record:
            return {}
        files = {output.path: self.step.output / output.path for output in self.record.outputs}
        return files | {name: Path(path) for name, path in self.record.runtime.items()}

    @property
    def digest(self) -> str:
        """The digest of the step's outputs; "" when it has none."""
        return self.record.digest if self.record else ""


class BuildResult(Value):
    """The results of all steps of a plan, in the order of the plan."""

    plan: Plan
    steps: tuple[StepResult, ...]

    @property
    def errors(self) -> dict[str, Exception]:
        """The errors of failed steps, by step."""
        return {result.step.name: result.error for result in self.steps if result.error}
