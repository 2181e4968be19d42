"""The warnings of a step, which are shown again while the step is up to date.

They are kept beside the step's log, in the format in which Ninja prints them: Ninja shows what a
command printed only when it runs the command.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from buildtool.core.files import read_regular, write_if_changed

MAX_LINES = 20
"""How many lines are shown again."""
CONFIGURING, CHECKING = "configuring", "checking the outputs"
_COMMAND = re.compile(r"\[\d+/\d+\] (.*)")
_PROGRESS = re.compile(
    r"ninja: |-- |loading initial cache|Put cmake in trace mode|Trace will be"
)  # lines of Ninja and CMake that only report progress


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
