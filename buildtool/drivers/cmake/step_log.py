"""The log of a step: each command, its output, its exit status; and errors that name the log."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from buildtool.core.escape import without_colours
from buildtool.core.files import open_own
from buildtool.core.processes.process import Completed, ToolError, capture
from buildtool.plan.step_driver import log_file


class StepLog:
    """A file that gets the output of a step's commands line by line.

    The first command truncates it: the log of a step that is up to date is the one from when it was
    built.  A log that cannot be written is not an error.  `idle_limit` is that of `capture`.
    """

    def __init__(self, path: Path, title: str, idle_limit: float | None = None) -> None:
        self.path = path
        self.title = title
        self.idle_limit = idle_limit
        self._stream: TextIO | None = None
        self._started = False

    def capture(
        self,
        argv: Sequence[str | Path],
        *,
        env: Mapping[str, str],
        cwd: Path,
        on_line: Callable[[str], None] = lambda _: None,
        umask: int = -1,
    ) -> Completed:
        """Run `argv` as `core.processes.process.capture` does, and log it."""

        def log_line(line: str) -> None:
            self._write(line := without_colours(line))
            on_line(line)

        started = time.monotonic()
        self._write(f"\n$ {Completed(tuple(map(str, argv)), 0, '').command}   (in {cwd})")
        end = "was interrupted"
        try:
            done = capture(
                argv, env=env, cwd=cwd, idle_limit=self.idle_limit, on_line=log_line, umask=umask
            )
            end = f"exit status {done.status}" if done.status >= 0 else f"signal {-done.status}"
        finally:
            self._write(f"({end} after {time.monotonic() - started:.1f} s)")
        return done._replace(output=without_colours(done.output))

    def check(
        self, done: Completed, action: str, *, remedy: str = "", directories: Sequence[Path] = ()
    ) -> Completed:
        """Return `done` if it succeeded, else raise `ToolError` with an excerpt of the output and
        the path of the log.  Relative paths in the output start at one of `directories`."""
        if done.status == 0:
            return done
        from buildtool.drivers.cmake.messages.diagnostics import diagnostics  # noqa: PLC0415 - most tools succeed
        from buildtool.drivers.cmake.messages.error_excerpt import error_excerpt  # noqa: PLC0415

        end = (
            f"exit status {done.status}" if done.status > 0 else f"killed by signal {-done.status}"
        )
        why = error_excerpt(done.output) or f"{Path(done.argv[0]).name} printed nothing"
        if self._stream:
            why += f"\nthe whole log: {self.path}"
        error = ToolError(f"{action} failed ({end})", why=why, remedy=remedy)
        error.diagnostics = diagnostics(done.output, directories)
        raise error

    def _write(self, text: str) -> None:
        if not self._started:
            self._started = True
            with contextlib.suppress(OSError):
                handle = open_own(self.path, os.O_WRONLY)
                self._stream = os.fdopen(
                    handle, "w", encoding="utf-8", errors="backslashreplace", buffering=1
                )
                self._stream.truncate()
            self._write(f"{self.title}, {time.strftime('%Y-%m-%d %H:%M:%S %z')}")
        if self._stream:
            try:
                self._stream.write(text + "\n")
            except OSError:  # the disk is full
                self.close()

    def close(self) -> None:
        if self._stream:
            with contextlib.suppress(OSError):
                self._stream.close()
            self._stream = None


@contextlib.contextmanager
def step_log(folder: Path, name: str, summary: str) -> Iterator[StepLog]:
    """The log of the step `name` in `folder`, open within the block."""
    log = StepLog(log_file(folder, name), f"{name}: {summary}")
    try:
        yield log
    finally:
        log.close()
