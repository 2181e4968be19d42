"""Run the tools of a step: their output goes to its log, their failures become errors.

The log has each command, its output and its exit status, and errors name it.

A configuration can need the results of programs which run only on the device.  For a check of
try_run() or check_*_source_runs(), CMake asks for cache entries with the results when it
cross-compiles.  CMake 3.25 crashes when it asks for those of check_*_source_runs(), after it has
created `TRY_RUN_RESULTS`.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from buildtool.core.escape import without_colours
from buildtool.core.files import open_own
from buildtool.core.processes.process import Completed, ToolError, capture
from buildtool.core.value import Value
from buildtool.drivers.cmake.tree_files import TRY_RUN_RESULTS
from buildtool.plan.plan import CMakeStep
from buildtool.plan.step_driver import log_file
from buildtool.toolchains.cdsprpc import missing_symbols_remedy
from buildtool.toolchains.unsupported_flags import UnsupportedFeature, explain_failure

if TYPE_CHECKING:
    from buildtool.toolchains.unsupported_flags import UnsupportedRule

UMASK = 0o022
"""The umask of all tools: the permissions of what ships must not depend on who builds it."""


class StepTools(Value):
    """Runs tools for `step`, with `environment`, and writes their output to `log`.

    `on_output` gets each line that they print.
    """

    step: CMakeStep
    environment: Mapping[str, str]
    log: StepLog
    on_output: Callable[[str], None]

    def run(self, argv: Sequence[str | Path]) -> Completed:
        """Run `argv` in the source directory; once more if a damaged zig cache made it fail."""
        done = self._run_once(argv)
        if done.status > 0 and "ZIG" in self.step.profile.places:
            from buildtool.cache.zig_cache import repair  # noqa: PLC0415 - loaded by now

            if repair(Path(self.environment["ZIG_GLOBAL_CACHE_DIR"]), done.output):
                return self._run_once(argv)
        return done

    def run_checked(self, argv: Sequence[str | Path], action: str) -> Completed:
        """Run `argv`, which is the `action` ("configuring"); raises as `check` does."""
        self.on_output(action)  # CMake prints nothing while it checks compilers
        return self.check(self.run(argv), action)

    def check(self, done: Completed, action: str) -> Completed:
        """Return `done` if it succeeded; raises `ToolError` or `IdlFileError` if not."""
        if done.status == 0:
            return done
        from buildtool.drivers.cmake.error_excerpt import idl_failure  # noqa: PLC0415
        from buildtool.drivers.cmake.tool_messages import diagnostics  # noqa: PLC0415 - most tools succeed

        if failure := try_run_failure(self.step, done):
            raise failure
        if error := idl_failure(done.output):
            error.diagnostics = diagnostics(f"error: {error.message}")
            raise error
        return self.log.check(
            done,
            f"{action} {self.step.summary}",
            directories=(self.step.tree, self.step.source),
            remedy=self._remedy(done.output),
        )

    @property
    def unsupported(self) -> tuple[UnsupportedRule, ...]:
        """The features that the profile's compiler does not support in such a component; () for the
        compiler that a toolchain file of the component chooses, since they are unknown."""
        rules = () if self.step.toolchain_file else self.step.profile.unsupported
        if not self.step.programs:
            return rules
        return tuple(
            rule for rule in rules if not (isinstance(rule, UnsupportedFeature) and rule.in_skels)
        )

    def _remedy(self, output: str) -> str:
        from buildtool.drivers.cmake.failure_hints import failure_hints  # noqa: PLC0415 - most tools succeed

        step, cdsprpc = self.step, self.step.profile.cdsprpc
        return (
            explain_failure(self.unsupported, output)
            or (missing_symbols_remedy(output, cdsprpc) if cdsprpc else "")
            or failure_hints(output, step.arch or "")
            or f"The build tree is {step.tree}; fix what the tool reports and build again."
        )

    def _run_once(self, argv: Sequence[str | Path]) -> Completed:
        return self.log.capture(
            argv, env=self.environment, cwd=self.step.source, on_line=self.on_output, umask=UMASK
        )


_ASKS = r"(?i)try_run\(\) invoked in cross-compiling mode, [^\n]*\n((?: +\S+ \(advanced\)\n)+)"
_NAME = r"(\S+) \(advanced\)"
_CHECK = r"Performing Test (\w+)"


def try_run_failure(step: CMakeStep, done: Completed) -> ToolError | None:
    """The error if CMake failed because it needs such results; None for any other failure."""
    checks = re.findall(_CHECK, done.output)
    names = re.findall(_NAME, "".join(re.findall(_ASKS, f"{done.output}\n")))
    if done.status < 0 and (step.tree / TRY_RUN_RESULTS).is_file():
        names += checks[-1:]
    entries: dict[str, str] = {}
    for name in names:
        check = name.partition("_EXITCODE")[0]
        if check in checks:
            entries[check] = "true"
        else:
            entries[name] = '"…"' if name.endswith("__TRYRUN_OUTPUT") else "0"
    if not entries:
        return None
    table = "dsp" if step.programs else "skel" if step.arch else "host"
    defines = ", ".join(f"{name} = {value}" for name, value in entries.items())
    return ToolError(
        f"configuring {step.summary} needs the result of a program that only a device can run",
        why="try_run() or check_*_source_runs() compiled it, and CMake has no value of"
        f" {', '.join(entries)}",
        remedy=f"Set what it returns on the device, here for a success: defines = {{ {defines} }}"
        f" in [{table}.{step.component}].",
    )


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
        from buildtool.drivers.cmake.error_excerpt import error_excerpt  # noqa: PLC0415
        from buildtool.drivers.cmake.tool_messages import diagnostics  # noqa: PLC0415 - most tools succeed

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
