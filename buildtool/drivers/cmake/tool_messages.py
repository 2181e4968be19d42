"""What tools print: the warnings of a step, and the errors in the output of a failed tool.

Warnings are shown again while the step is up to date.  They are kept beside the step's log, in the
format in which Ninja prints them: Ninja shows what a command printed only when it runs the command.
Errors have file, line, column and message, in the formats of GCC and Clang, linkers, CMake and the
IDL compiler.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from buildtool.core.errors import Diagnostic
from buildtool.core.files import read_regular, write_if_changed

MAX_LINES = 20
"""How many lines are shown again."""
CONFIGURING, CHECKING = "configuring", "checking the outputs"
_COMMAND = re.compile(r"\[\d+/\d+\] (.*)")
_PROGRESS = re.compile(
    r"ninja: |-- |loading initial cache|Put cmake in trace mode|Trace will be"
)  # lines of Ninja and CMake that only report progress
MAX_DIAGNOSTICS = 1000
MAX_COLUMNS = 1000  # of one message

_COMPILER = re.compile(
    r"(?:error: )?(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?"
    r" (?:fatal )?error: (?P<message>.+)"
)
_IDL = re.compile(
    r"error: (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<message>.+)"
)
_CMAKE = re.compile(r"CMake Error at (?P<file>.+?):(?P<line>\d{1,9}) \(.*\):")
_UNDEFINED = re.compile(
    r"(?:\S*ld: )?(?P<file>[^\s:()]+):\(.+?\): (?P<message>undefined reference .+)"
)
_BARE = re.compile(r"(?:\S+: )?(?:fatal )?error: (?P<message>.+)")


class StepWarnings:
    """Shows warnings with `show` and, given a `file`, keeps them there, by the command that printed
    them: one of Ninja's, `CONFIGURING` or `CHECKING`."""

    def __init__(self, show: Callable[[str], None], file: Path | None = None) -> None:
        self._show = show
        self._file = file
        self._kept = _by_command(_read(file)) if file else {}

    def begin(self, command: str) -> None:
        """Forget what `command` printed before."""
        self._kept.pop(command, None)
        self._save()

    def add(self, text: str, command: str) -> None:
        """Show the warning `text`, which the last run of `command` printed."""
        before = self._kept.get(command)
        self._kept[command] = f"{before}\n{text}" if before else text
        self._save()
        self._show(text)

    def of_cmake(self, output: str) -> None:
        """Show the `output` of CMake if it has warnings.  Those for the project's developers only,
        such as deprecations, are not shown again."""
        text = _joined(_by_command(output))
        if "CMake Warning at " in output:
            self.add(text, CONFIGURING)
        elif "CMake Warning" in output:
            self._show(text)

    def of_ninja(self, output: str, tree: Path, *, failed: bool = False) -> None:
        """Show the commands' output if they have warnings; when Ninja has failed, the error has
        them.  What commands printed that `tree` no longer has is forgotten."""
        shown = []
        for command, text in _by_command(output).items():
            self._kept.pop(command, None)
            if "warning:" in text and not text.startswith("FAILED: "):
                self._kept[command] = text
                shown.append(text)
        if of_ninja := self._kept.keys() - {CONFIGURING, CHECKING}:
            rules = _read(tree / "build.ninja")
            for command in of_ninja:
                # A description ends with the name of the output, or is in the rules as it is.
                if command.rpartition(" ")[2] not in rules:
                    del self._kept[command]
        self._save()
        if shown and not failed:
            self._show("\n".join(shown))

    def _save(self) -> None:
        if not self._file:
            return
        text = "".join(f"[1/1] {command}\n{text}\n" for command, text in self._kept.items())
        with contextlib.suppress(OSError):
            if text:
                write_if_changed(self._file, text.encode(errors="surrogateescape"))
            else:
                self._file.unlink(missing_ok=True)


def show_kept(file: Path, show: Callable[[str], None]) -> None:
    """Show the warnings in `file`, at most `MAX_LINES` lines."""
    if text := _joined(_by_command(_read(file))):
        lines = text.split("\n")
        more = len(lines) - MAX_LINES
        if more > 0:
            lines = [*lines[:MAX_LINES], f"… {more:,} more lines: {file}"]
        show("\n".join(lines))


def _by_command(output: str) -> dict[str, str]:
    """The output of each command, in the order of their first lines."""
    command, found = "", dict[str, list[str]]()
    for line in output.splitlines():
        if start := _COMMAND.fullmatch(line):
            command = start[1]
            found.setdefault(command, [])
        elif not _PROGRESS.match(line):
            found.setdefault(command, []).append(line)
    return {command: "\n".join(lines) for command, lines in found.items()}


def _joined(outputs: Mapping[str, str]) -> str:
    return "\n".join(filter(None, outputs.values()))


def _read(file: Path) -> str:
    try:
        return read_regular(file).decode(errors="surrogateescape")
    except OSError:
        return ""


def diagnostics(output: str, directories: Sequence[Path] = ()) -> tuple[Diagnostic, ...]:
    """The errors in a tool's `output`, each once and in order: at most `MAX_DIAGNOSTICS`.

    A relative path is searched in `directories`, and stays relative if it is not found.
    """
    found: dict[Diagnostic, None] = {}
    for diagnostic in _parse(output.splitlines()):
        file = _absolute(diagnostic.file, directories) if diagnostic.file else None
        message = diagnostic.message[:MAX_COLUMNS].rstrip()
        found.setdefault(diagnostic._replace(file=file, message=message))
        if len(found) == MAX_DIAGNOSTICS:
            break
    return tuple(found)


def _parse(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for number, line in enumerate(lines):
        if at := _CMAKE.match(line):
            message = _paragraph(lines[number + 1 :]) or line
            yield Diagnostic(at["file"], int(at["line"]), None, message)
        elif at := _COMPILER.match(line) or _IDL.match(line):
            column = int(at["column"]) if at["column"] else None
            yield Diagnostic(at["file"], int(at["line"]), column, at["message"])
        elif at := _UNDEFINED.match(line):
            yield Diagnostic(at["file"], None, None, at["message"])
        elif at := _BARE.match(line):
            yield Diagnostic(None, None, None, at["message"])


def _paragraph(lines: Iterable[str]) -> str:
    """The message below the location of a CMake error: the indented lines, joined."""
    words: list[str] = []
    for line in lines:
        if line and not line.startswith("  "):
            break
        if not line and words:
            break
        words += line.split()
    return " ".join(words)


def _absolute(file: str, directories: Sequence[Path]) -> str:
    path = Path(file)
    if path.is_absolute():
        return os.path.normpath(path)
    candidates = (Path(os.path.normpath(directory / path)) for directory in directories)
    return str(next((candidate for candidate in candidates if candidate.is_file()), path))
