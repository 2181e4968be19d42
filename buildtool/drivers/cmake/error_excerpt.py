"""Extract from the output of a failed tool the lines that describe the error.

Recognizes the output of Ninja, of CMake, and of compilers with diagnostics like those of GCC and
Clang, with an error of the IDL compiler among them.  Of other output, shows the beginning and the
end.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.core.errors import BuildtoolError

MAX_LINES = 40
MAX_COLUMNS = 300  # of one line: the type of a template can be longer than a screen
ERROR_LINES, NOTE_LINES = 4, 3  # of one error, and of the note that is shown with it
MAX_COMMAND = 150  # characters
MIN_COMMAND_LINES = 12  # of each failed command, if several are shown

_PROGRESS = re.compile(r"\[\d+/\d+\] |ninja: (Entering directory|Jobserver mode|build stopped)|-- ")
_STARTED = re.compile(r"\[\d+/\d+\] ")
_FAILED = "FAILED: "
_ERROR = re.compile(r"(^|[:\s])(fatal )?error: |: undefined reference to |^error[:\[]")
_WARNING = re.compile(r"^\S.*: warning: ")
_NOTE = re.compile(r"^\S.*: (note|remark): ")
_CONTEXT = re.compile(
    r"^(In file included from |\s+from \S+:\d|\S.*: (In|At) |\S.*:\d+:\d+:\s+required )"
)
_BEFORE_ERROR, _REMEDY = "error: ", "  → "  # as cli/show.py prints them
_MODULE = "BuildtoolIdl.cmake"


def error_excerpt(output: str) -> str:
    """The part of a failed tool's output that describes the error: at most `MAX_LINES` lines."""
    lines = [_cut(line.rstrip()) for line in output.splitlines()]
    by_cmake = any(line.startswith("CMake Error") for line in lines)
    if not by_cmake and (commands := failed_commands(output.splitlines())):
        return "\n".join(_show_commands(commands))
    for number, line in enumerate(lines if by_cmake else ()):
        # The errors of a program that CMake ran precede CMake's own error.
        if line.startswith("CMake Error") or _ERROR.search(line):
            lines = lines[number:]
            break
    kept = [line for line in lines if not _PROGRESS.match(line)]
    while kept and not kept[-1]:
        kept.pop()
    return "\n".join(_without_middle(kept or lines, MAX_LINES))


@dataclass
class FailedCommand:
    """A command of Ninja's that failed; `title` is the line that names its outputs."""

    title: str
    command: str
    output: list[str] = field(default_factory=list)

    @property
    def outputs(self) -> str:
        """The outputs that the command should make."""
        return re.sub(rf"^{_FAILED}(\[code=\d+\] )?", "", self.title).strip()


def failed_commands(lines: Sequence[str]) -> list[FailedCommand]:
    """The failed commands in the output of Ninja."""
    commands: list[FailedCommand] = []
    inside = False
    rest = iter(lines)
    for line in rest:
        if line.startswith(_FAILED):
            commands.append(FailedCommand(line.rstrip(), next(rest, "")))
            inside = True
        elif _STARTED.match(line) or line.startswith("ninja: "):
            inside = False
        elif inside:
            commands[-1].output.append(_cut(line.rstrip()))
    return commands


def _show_commands(commands: Sequence[FailedCommand]) -> list[str]:
    """The first failed command in detail, and as much of the others as there is room for."""
    shown: list[str] = []
    for number, command in enumerate(commands):
        left = len(commands) - number
        room = MAX_LINES - len(shown) - 1
        if room < MIN_COMMAND_LINES:
            noun = "commands" if left > 1 else "command"
            names = ", ".join(command.outputs for command in commands[number:])
            shown.append(_cut(f"… and {left} more {noun} failed: {names}"))
            break
        shown += [_cut(command.title), short_command(command.command)]
        shown += _show_errors(command.output, max(room // left, MIN_COMMAND_LINES) - 2)
    return shown


def _show_errors(lines: Sequence[str], room: int) -> list[str]:
    """The first errors of a compiler; the beginning and the end of its output if there are none."""
    errors = _errors(lines)
    if not errors:
        return _without_middle(lines, room)
    shown: list[str] = []
    for number, error in enumerate(errors):
        if number and len(shown) + len(error) + (number + 1 < len(errors)) > room:
            more = len(errors) - number
            shown.append(f"… and {more} more {'errors' if more > 1 else 'error'}")
            break
        shown += error
    return shown[:room]


def _errors(lines: Sequence[str]) -> list[list[str]]:
    """Each error with its context, and the most useful one of its notes."""
    errors: list[list[str]] = []
    context: list[str] = []
    body: list[str] = []
    notes: list[list[str]] = []

    def close() -> None:
        if body:
            errors.append([*body[: body_from + ERROR_LINES], *_best_note(notes)])
        body.clear()
        notes.clear()

    body_from = 0
    kind = ""
    for line in lines:
        if _NOTE.match(line):
            kind = {"error": "note", "context": ""}.get(kind, kind)
            if kind == "note":
                notes.append([])
        elif _ERROR.search(line):
            close()
            kind = "error"
            body += _short_context(context)
            body_from = len(body)
            context.clear()
        elif _WARNING.match(line):
            close()
            context.clear()
            kind = "warning"
        elif _CONTEXT.match(line):
            if kind != "context":
                close()
            kind = "context"
        if kind == "context":
            context.append(line)
        elif kind == "error":
            body.append(line)
        elif kind == "note":
            notes[-1].append(line)
    close()
    return errors


def _short_context(lines: Sequence[str]) -> Sequence[str]:
    """The line that instantiates a template; else the first and the last #include."""
    if instantiations := [line for line in lines if "required from here" in line]:
        return instantiations[-1:]
    return lines if len(lines) <= 2 else (lines[0], lines[-1])


def _best_note(notes: Sequence[Sequence[str]]) -> list[str]:
    """The last note of an error about the instantiation of a template; else the first note."""
    if not notes:
        return []
    instantiations = [note for note in notes if "requested here" in note[0]]
    shown = (instantiations[-1] if instantiations else notes[0])[:NOTE_LINES]
    rest = sum(map(len, notes)) - len(shown)
    lines = "line" if rest == 1 else "lines"
    return [*shown, *([f"… {rest} {lines} of notes …"] if rest else [])]


def short_command(command: str) -> str:
    """A long command line, reduced to the program and its source or output."""
    command = command.removeprefix(": && ").removesuffix(" && :").strip()
    if len(command) <= MAX_COMMAND:
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        words = ["&&"]
    for option in ("-c", "-o"):
        if option in words[1:-1] and "&&" not in words:
            return _cut(f"{Path(words[0]).name} … {option} {words[words.index(option) + 1]}")
    half = MAX_COMMAND // 2
    return f"{command[:half].rstrip()} … {command[-half:].lstrip()}"


def _without_middle(lines: Sequence[str], room: int) -> list[str]:
    """The first and the last of `lines`, at most `room`."""
    if len(lines) <= room:
        return list(lines)
    end = max(room // 3, 1)
    start = max(room - end - 1, 1)
    return [*lines[:start], f"… {len(lines) - start - end} lines …", *lines[-end:]]


def _cut(line: str) -> str:
    return line if len(line) <= MAX_COLUMNS else line[: MAX_COLUMNS - 2] + " …"


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
    starts = [number for number, line in enumerate(lines) if line.startswith(_BEFORE_ERROR)]
    if not starts:
        return None
    text = list(lines[starts[-1] :])
    while text and not text[-1].strip():
        text.pop()
    ends = [number for number, line in enumerate(text) if line.startswith(_REMEDY)]
    end = ends[0] if ends else len(text)
    remedy = "\n".join(line.removeprefix(_REMEDY).removeprefix("    ") for line in text[end:])
    return IdlFileError("\n".join(text[:end]).removeprefix(_BEFORE_ERROR), remedy=remedy)
