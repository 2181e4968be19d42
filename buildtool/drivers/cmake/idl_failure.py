"""An error in an IDL file that ended a CMake or Ninja run, as `buildtool idl` prints it."""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.core.errors import BuildtoolError
from buildtool.drivers.cmake.error_excerpt import failed_commands

_ERROR, _REMEDY = "error: ", "  → "  # as cli/errors.py prints them
_MODULE = "BuildtoolIdl.cmake"


class IdlFileError(BuildtoolError):
    """An IDL file that a component compiles is wrong."""

    code = "idl"


def idl_failure(output: str) -> IdlFileError | None:
    """The error of the IDL compiler in the output of a failed CMake or Ninja; None without one.

    It is the same for each step that compiles the file, so that it can be shown once.
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
    told = list(lines[starts[-1] :])
    while told and not told[-1].strip():
        told.pop()
    ends = [number for number, line in enumerate(told) if line.startswith(_REMEDY)]
    end = ends[0] if ends else len(told)
    remedy = "\n".join(line.removeprefix(_REMEDY).removeprefix("    ") for line in told[end:])
    return IdlFileError("\n".join(told[:end]).removeprefix(_ERROR), remedy=remedy)
