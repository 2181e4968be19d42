"""Functions and lines of code, from the debug information that a release leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from buildtool.core.elf.debug_file import CodePlace, DebugFile, open_debug_file
from buildtool.diagnose.crash_report import StackFrame


class Places(Protocol):
    """Where functions and lines of code are looked up."""

    def places(self, frame: StackFrame, *, call: bool) -> tuple[CodePlace, ...]:
        """The function at `frame`, after the functions that are inlined there; () if unknown.

        `call`: the frame is the return address of a call, so that the call is before it.
        """


class DebugFiles:
    """The debug information of a release, in the directory `folder`: `.build-id/12/3456….debug`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, DebugFile | None] = {}

    def places(self, frame: StackFrame, *, call: bool) -> tuple[CodePlace, ...]:
        """As `Places.places`."""
        return places_in(self._file(frame), frame, call=call)

    def function(self, frame: StackFrame, name: str) -> CodePlace | None:
        """Where the function `name` of the module of `frame` begins; None if that is not known."""
        file = self._file(frame)
        for start, _, symbol in file.symbols if file else ():
            at = frame._replace(offset=start)
            if symbol == name and (places := places_in(file, at, call=False)):
                return places[-1]
        return None

    def _file(self, frame: StackFrame) -> DebugFile | None:
        if not frame.build_id:
            return None
        if frame.build_id not in self._open:
            self._open[frame.build_id] = open_debug_file(
                self._folder / ".build-id" / frame.build_id[:2] / f"{frame.build_id[2:]}.debug"
            )
        return self._open[frame.build_id]


def places_in(file: DebugFile | None, frame: StackFrame, *, call: bool) -> tuple[CodePlace, ...]:
    """As `Places.places`, for a frame in the module of `file`."""
    if file is None or frame.offset is None:
        return ()
    try:
        return file.places(frame.offset - 4 if call else frame.offset)
    except Exception:  # pyelftools raises anything for a malformed file
        return ()
