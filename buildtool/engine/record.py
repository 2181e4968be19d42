"""The record of a step: its key, what it read, what it made.

The same record is kept in the project's state, one file per step, and in every cache.  The file can
be lost at any time: the caches are asked then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from buildtool.cache.outputs import (
    Output,
    OutputsError,
    check_outputs,
    outputs_digest,
)
from buildtool.core.files import read_checksummed, value_digest
from buildtool.core.stored import read_value, write_value
from buildtool.core.value import Value
from buildtool.inputs.file_states import FileView
from buildtool.inputs.path_sets import InputSet
from buildtool.plan.plan import Step

VERSION = 5
NO_FIELDS: Mapping[str, Any] = {}


class StepRecord(Value):
    """A step as it was when it was last built: key, inputs and outputs.

    `seconds` is how long building it took, `server` the remote cache that the outputs come from, ""
    for none.  The rest is known in this project only and not kept in caches: `fields` are those of
    the key; `runtime` are the libraries of the toolchain and of packages that ship with the step,
    SONAME → file.  Outputs with one of these are kept in no cache: `changed_during_build` are
    inputs of which it is not known which state was read, `uncertain` are files that may not be the
    ones that were read (see `drivers.cmake.scan`).
    """

    key: str
    inputs: InputSet
    outputs: tuple[Output, ...]
    seconds: float
    server: str = ""
    fields: Mapping[str, Any] = NO_FIELDS
    runtime: Mapping[str, str] = NO_FIELDS
    changed_during_build: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The digest of the outputs: steps that need this one depend on it."""
        return outputs_digest(self.outputs)

    @property
    def build_digest(self) -> str:
        """The digest of the key and the inputs: what names the build for the step's driver."""
        return value_digest([self.key, self.inputs.as_json()])


def record_file(state: Path, step: Step) -> Path:
    """The file of the step's record in the project's state."""
    return state / "steps" / f"{step.component}-{step.output.name}.json"


def read_record(file: Path) -> StepRecord | None:
    """The record in `file`; None when there is none that can be read."""
    record = read_value(file, StepRecord, VERSION)
    try:
        return record and record._replace(outputs=check_outputs(record.outputs, str(file)))
    except OutputsError:
        return None


def is_of_another_version(file: Path) -> bool:
    """Whether the record in `file` is whole, and another version of this tool has written it."""
    try:
        return bool(read_checksummed(file)["version"] != VERSION)
    except (OSError, LookupError, ValueError, TypeError):
        return False


def write_record(file: Path, record: StepRecord) -> None:
    """Write the record to `file`."""
    write_value(file, record, VERSION)


def changed_outputs(
    outputs: Sequence[Output], directory: Path, files: FileView
) -> list[tuple[str, str]]:
    """The outputs that are not in `directory` as they were made: their paths, and `changed` or
    `missing`."""
    wrong = []
    for output in outputs:
        path = f"{directory}/{output.path}"
        if output.kind == "link":
            now, made = files.link(path), output.target
        else:
            (now,) = files.states((path,))
            made = output.digest + ("+x" if output.kind == "executable" else "")
        if now != made:
            wrong.append((output.path, "changed" if now else "missing"))
    return wrong
