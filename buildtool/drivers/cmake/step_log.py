"""The log of a step: each command, all that it printed, how it ended; and errors that name it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from buildtool.core.escape import without_colours
from buildtool.core.files import open_own
from buildtool.core.process import Completed, ToolError, capture


class StepLog:
    """The file that a step's output goes to as it comes.

    It is begun anew when the step runs its first command: the log of a step that had nothing to
    do is still the one of when it was built.  A log that cannot be written costs the log only.
    `timeout` is how long a command may take, in seconds; None: as long as it does.
    """

    def __init__(self, path: Path, title: str, timeout: float | None = None) -> None:
        self.path = path
        self.title = title
        self.timeout = timeout
        self._stream: TextIO | None = None
        self._begun = False

    def capture(
        self,
        argv: Sequence[str | Path],
        *,
        env: Mapping[str, str],
        cwd: Path,
        on_line: Callable[[str], None] = lambda _: None,
        umask: int = -1,
    ) -> Completed:
        """Run `argv` as `core.process.capture` does, and write down what happens."""

        def listen(line: str) -> None:
            self._write(line := without_colours(line))
            on_line(line)

        started = time.monotonic()
        self._write(f"\n$ {Completed(tuple(map(str, argv)), 0, '').command}   (in {cwd})")
        end = "was interrupted"
        try:
            done = capture(
                argv, env=env, cwd=cwd, timeout=self.timeout, on_line=listen, umask=umask
            )
            end = f"exit status {done.status}" if done.status >= 0 else f"signal {-done.status}"
        finally:
            self._write(f"({end} after {time.monotonic() - started:.1f} s)")
        return done._replace(output=without_colours(done.output))

    def check(
        self, done: Completed, what: str, *, remedy: str = "", directories: Sequence[Path] = ()
    ) -> Completed:
        """Return `done` when it succeeded; else raise `ToolError` with what matters of its output
        and the path of the log.  `directories` are those that it may name files in."""
        if done.status == 0:
            return done
        from buildtool.drivers.cmake.diagnostics import diagnostics  # noqa: PLC0415 - most tools succeed
        from buildtool.drivers.cmake.error_excerpt import shortened  # noqa: PLC0415

        how = (
            f"exit status {done.status}" if done.status > 0 else f"killed by signal {-done.status}"
        )
        whole = f"the whole log: {self.path}" if self._stream else ""
        why = [shortened(done.output) or f"{Path(done.argv[0]).name} said nothing", whole]
        error = ToolError(f"{what} failed ({how})", why="\n".join(filter(None, why)), remedy=remedy)
        error.diagnostics = diagnostics(done.output, directories)
        raise error

    def _write(self, text: str) -> None:
        if not self._begun:
            self._begun = True
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


def log_file(folder: Path, name: str) -> Path:
    """Where the log of the step `name` is."""
    return folder / f"{name.replace('/', '-')}.log"


@contextlib.contextmanager
def step_log(folder: Path, name: str, summary: str) -> Iterator[StepLog]:
    """The log of the step `name` in `folder`: `skel/scale/v73` → `skel-scale-v73.log`."""
    log = StepLog(log_file(folder, name), f"{name}: {summary}")
    try:
        yield log
    finally:
        log.close()
