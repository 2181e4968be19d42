"""From all that a failed tool printed to the lines that say what is wrong.

Knows the shape of what Ninja, CMake, and compilers that speak as GCC and Clang do print; of what
it does not know it shows the beginning and the end.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

MOST_LINES = 40
MOST_COLUMNS = 300  # of one line: a type of a template can be longer than a screen
BODY, NOTE = 4, 3  # lines of one error, and of the note that is shown with it
MOST_COMMAND = 150
LEAST_OF_EDGE = 12  # lines of one failed command, where several are shown

_PROGRESS = re.compile(r"\[\d+/\d+\] |ninja: (Entering directory|Jobserver mode|build stopped)|-- ")
_EDGE = re.compile(r"\[\d+/\d+\] ")
_FAILED = "FAILED: "
_ERROR = re.compile(r"(^|[:\s])(fatal )?error: |: undefined reference to |^error[:\[]")
_OTHER = re.compile(r"^\S.*: warning: ")
_NOTE = re.compile(r"^\S.*: (note|remark): ")
_LEAD = re.compile(
    r"^(In file included from |\s+from \S+:\d|\S.*: (In|At) |\S.*:\d+:\d+:\s+required )"
)


def shortened(output: str) -> str:
    """The part of a failed tool's output that says what is wrong: at most `MOST_LINES` lines."""
    lines = [_cut(line.rstrip()) for line in output.splitlines()]
    by_cmake = any(line.startswith("CMake Error") for line in lines)
    if not by_cmake and (edges := failed_commands(output.splitlines())):
        return "\n".join(_edges(edges))
    for number, line in enumerate(lines if by_cmake else ()):
        # What a program said that CMake ran stands above CMake's own error.
        if line.startswith("CMake Error") or _ERROR.search(line):
            lines = lines[number:]
            break
    kept = [line for line in lines if not _PROGRESS.match(line)]
    while kept and not kept[-1]:
        kept.pop()
    return "\n".join(_middle_out(kept or lines, MOST_LINES))


@dataclass
class FailedCommand:
    """A command of Ninja's that failed: the line that says what it should have made, the command,
    its output."""

    title: str
    command: str
    output: list[str] = field(default_factory=list)

    @property
    def made(self) -> str:
        """What it should have made."""
        return re.sub(rf"^{_FAILED}(\[code=\d+\] )?", "", self.title).strip()


def failed_commands(lines: Sequence[str]) -> list[FailedCommand]:
    """The commands that failed, of the lines that Ninja printed."""
    edges: list[FailedCommand] = []
    inside = False
    rest = iter(lines)
    for line in rest:
        if line.startswith(_FAILED):
            edges.append(FailedCommand(line.rstrip(), next(rest, "")))
            inside = True
        elif _EDGE.match(line) or line.startswith("ninja: "):
            inside = False
        elif inside:
            edges[-1].output.append(_cut(line.rstrip()))
    return edges


def _edges(edges: Sequence[FailedCommand]) -> list[str]:
    """The first failed command in some detail, and as much of the others as there is room for."""
    told: list[str] = []
    for number, edge in enumerate(edges):
        left = len(edges) - number
        room = MOST_LINES - len(told) - 1
        if room < LEAST_OF_EDGE:
            noun = "commands" if left > 1 else "command"
            names = ", ".join(edge.made for edge in edges[number:])
            told.append(_cut(f"… and {left} more {noun} failed: {names}"))
            break
        told += [_cut(edge.title), short_command(edge.command)]
        told += _said(edge.output, max(room // left, LEAST_OF_EDGE) - 2)
    return told


def _said(lines: Sequence[str], room: int) -> list[str]:
    """The first errors of a compiler's output; the beginning and the end if it names none."""
    errors = _errors(lines)
    if not errors:
        return _middle_out(lines, room)
    told: list[str] = []
    for number, error in enumerate(errors):
        if number and len(told) + len(error) + (number + 1 < len(errors)) > room:
            more = len(errors) - number
            told.append(f"… and {more} more {'errors' if more > 1 else 'error'}")
            break
        told += error
    return told[:room]


def _errors(lines: Sequence[str]) -> list[list[str]]:
    """Each error with what leads to it, and the one note that says most."""
    errors: list[list[str]] = []
    lead: list[str] = []
    body: list[str] = []
    notes: list[list[str]] = []

    def close() -> None:
        if body:
            errors.append([*body[: body_from + BODY], *_note(notes)])
        body.clear()
        notes.clear()

    body_from = 0
    kind = ""
    for line in lines:
        if _NOTE.match(line):
            kind = {"error": "note", "lead": ""}.get(kind, kind)
            if kind == "note":
                notes.append([])
        elif _ERROR.search(line):
            close()
            kind = "error"
            body += _lead(lead)
            body_from = len(body)
            lead.clear()
        elif _OTHER.match(line):
            close()
            lead.clear()
            kind = "other"
        elif _LEAD.match(line):
            if kind != "lead":
                close()
            kind = "lead"
        if kind == "lead":
            lead.append(line)
        elif kind == "error":
            body.append(line)
        elif kind == "note":
            notes[-1].append(line)
    close()
    return errors


def _lead(lines: Sequence[str]) -> Sequence[str]:
    """How the compiler came to an error: where a template is asked for, else what is included."""
    if here := [line for line in lines if "required from here" in line]:
        return here[-1:]
    return lines if len(lines) <= 2 else (lines[0], lines[-1])


def _note(notes: Sequence[Sequence[str]]) -> list[str]:
    """Of the notes that belong to an error the one that leads to where a template is asked for,
    else the first."""
    if not notes:
        return []
    asked = [note for note in notes if "requested here" in note[0]]
    shown = (asked[-1] if asked else notes[0])[:NOTE]
    rest = sum(map(len, notes)) - len(shown)
    return [*shown, *([f"… {rest} lines of notes …"] if rest else [])]


def short_command(command: str) -> str:
    """A command line without what is of no interest: the program, and what it works on."""
    command = command.removeprefix(": && ").removesuffix(" && :").strip()
    if len(command) <= MOST_COMMAND:
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        words = ["&&"]
    for option in ("-c", "-o"):
        if option in words[1:-1] and "&&" not in words:
            return _cut(f"{Path(words[0]).name} … {option} {words[words.index(option) + 1]}")
    half = MOST_COMMAND // 2
    return f"{command[:half].rstrip()} … {command[-half:].lstrip()}"


def _middle_out(lines: Sequence[str], room: int) -> list[str]:
    if len(lines) <= room:
        return list(lines)
    end = max(room // 3, 1)
    start = max(room - end - 1, 1)
    return [*lines[:start], f"… {len(lines) - start - end} lines …", *lines[-end:]]


def _cut(line: str) -> str:
    return line if len(line) <= MOST_COLUMNS else line[: MOST_COLUMNS - 2] + " …"
