"""What is known of a step since it was last carried out: enough to tell that nothing is to be done.

One file a step in the project's state.  It can be lost at any time: then the cache is asked.
"""

from __future__ import annotations

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
from buildtool.core.summed import read_summed, write_summed
from buildtool.core.value import Value
from buildtool.inputs.path_sets import InputsError, InputSet
from buildtool.plan.plan import CMakeStep

VERSION = 3


class Record(Value):
    """A step as it was: the fields of its key, what it read, what it made.

    `moved` are inputs that changed while it ran: what it made may be of neither state of them;
    `doubtful` are files that may not be the ones that were read (see `drivers.cmake.scan`).
    `runtime` are the toolchain's and packages' libraries that ship with it: SONAME → file.
    `server` is the remote cache that its outputs came from, "" for none.
    """

    key: str
    fields: Mapping[str, Any]
    inputs: InputSet
    outputs: tuple[Output, ...]
    moved: tuple[str, ...]
    runtime: Mapping[str, str]
    seconds: float
    server: str = ""
    doubtful: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """That of the outputs: what steps depend on that build on this one."""
        return outputs_digest(self.outputs)


def record_file(state: Path, step: CMakeStep) -> Path:
    """Where the step's record is, below the project's state."""
    return state / "steps" / f"{step.component}-{step.output.name}.json"


def read_record(file: Path) -> Record | None:
    """The record; None when there is none that can be read."""
    try:
        said = read_summed(file)
        if said["version"] != VERSION:
            return None
        return Record(
            str(said["key"]),
            dict(said["fields"]),
            InputSet.from_json(said["inputs"]),
            outputs_from_json(said["outputs"]),
            tuple(map(str, said["moved"])),
            {str(name): str(path) for name, path in said["runtime"].items()},
            float(said["seconds"]),
            str(said.get("server", "")),
            tuple(map(str, said["doubtful"])),
        )
    except (OSError, ArithmeticError, LookupError, ValueError, TypeError, AttributeError):
        return None
    except (RecursionError, InputsError, OutputsError):
        return None


def write_record(file: Path, record: Record) -> None:
    """Keep the record."""
    said = {
        "version": VERSION,
        "key": record.key,
        "fields": dict(record.fields),
        "inputs": record.inputs.as_json(),
        "outputs": outputs_as_json(record.outputs),
        "moved": list(record.moved),
        "runtime": dict(record.runtime),
        "seconds": record.seconds,
        "server": record.server,
        "doubtful": list(record.doubtful),
    }
    write_summed(file, said)


def spoiled(outputs: Sequence[Output], directory: Path, state: Any) -> list[tuple[str, str]]:
    """The outputs that are not in `directory` as they were made: paths, and what is wrong.

    `state` is `FileStates.state`.
    """
    wrong = []
    for output in outputs:
        path = directory / output.path
        if output.kind == "link":
            if not path.is_symlink():
                wrong.append((output.path, "missing"))
            elif str(path.readlink()) != output.target:
                wrong.append((output.path, "changed"))
            continue
        now = state(f"{directory}/{output.path}")
        if now != output.digest + ("+x" if output.kind == "executable" else ""):
            wrong.append((output.path, "changed" if now else "missing"))
    return wrong
