"""Find the error of the IDL compiler in the output of CMake or Ninja."""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.core.errors import BuildtoolError
from buildtool.drivers.cmake.messages.error_excerpt import failed_commands

_ERROR, _REMEDY = "error: ", "  → "  # as cli/errors.py prints them
_MODULE = "BuildtoolIdl.cmake"


class IdlFileError(BuildtoolError):
    """An IDL file that a component compiles has an error."""

    code = "idl"


def idl_failure(output: str) -> IdlFileError | None:
    """The error of the IDL compiler in the output of a failed CMake or Ninja, as `buildtool idl`
    prints it; None if there is none.

    It is equal for all steps that compile the file, so that it can be shown once.
    """
    lines = output.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("CMake Error at ") and _MODULE in line:
            return _parsed(lines[:number])
    for command in failed_commands(lines):
        if " buildtool idl " in command.command and (found := _parsed(command.output)):
            return found
    return None


def _parsed(lines: Sequence[str]) -> IdlFileError | None:
    """The last error in `lines`."""
    starts = [number for number, line in enumerate(lines) if line.startswith(_ERROR)]
    if not starts:
        return None
    text = list(lines[starts[-1] :])
    while text and not text[-1].strip():
        text.pop()
    ends = [number for number, line in enumerate(text) if line.startswith(_REMEDY)]
    end = ends[0] if ends else len(text)
    remedy = "\n".join(line.removeprefix(_REMEDY).removeprefix("    ") for line in text[end:])
    return IdlFileError("\n".join(text[:end]).removeprefix(_ERROR), remedy=remedy)
