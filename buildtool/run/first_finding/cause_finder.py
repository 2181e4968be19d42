"""Looks for the cause after a program has failed: in its output, in the release, on the device."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from buildtool.core.elf.read import Elf, ElfError, read_elf
from buildtool.core.value import Value
from buildtool.deploy.check_device import CHECKS, check_device
from buildtool.deploy.ready import Ready
from buildtool.device.board.checks import OF_FILES
from buildtool.device.emulated.device import PLATFORM
from buildtool.device.facts import Facts
from buildtool.device.finding import DeviceFinding
from buildtool.device.read_facts import read_facts_board_and
from buildtool.diagnose.explain_log import LogExplainer, LogExplanation
from buildtool.diagnose.knowledge import Knowledge, read_knowledge
from buildtool.diagnose.log_lines import LogLines
from buildtool.project.model import Project
from buildtool.run.device_logs import log_variables, logs_in
from buildtool.run.first_finding.choose_finding import choose_finding, failed_call, skels_in
from buildtool.run.first_finding.first_finding import FirstFinding
from buildtool.run.first_finding.release_checks import (
    NAMES,
    ReleaseFault,
    SystemExports,
    path_faults,
    release_faults,
)
from buildtool.run.method_counts import FailedCall, with_parameters
from buildtool.run.program import NO_VARIABLES
from buildtool.toolchains.cdsprpc import Cdsprpc
from buildtool.toolchains.dsp_shells import DeviceShell

_PRINT = 'cat -- "${QEMU_LD_PREFIX:-}$1"'
"""Prints a file of the system, which is an emulated one below that directory on some devices."""


class _DeviceState(Value):
    """What one exchange with a device tells: facts, the faults that the `checks` found, and the
    logs of the run."""

    facts: Facts
    checks: frozenset[str]
    faults: tuple[DeviceFinding, ...]
    logs: Mapping[str, bytes]


class CauseFinder:
    """Finds the causes of failures on the device of `ready`.

    `run` and `program` name a run of which the device may have logs, of the last `seconds`.  IDL
    files of `project` have the names of methods.  The device is asked once, when that is first
    needed.
    """

    def __init__(
        self,
        ready: Ready,
        *,
        run: str = "",
        program: str = "",
        seconds: float,
        project: Project | None = None,
    ) -> None:
        self._ready = ready
        self._project = project
        self._run = run
        self._program = program
        self._seconds = seconds
        # Its logs are part of the output of programs, and its system is not that of a board.
        self._emulated = ready.site.device.transport.direct

    def find(
        self,
        output: Mapping[str, bytes],
        env: Mapping[str, str] = NO_VARIABLES,
        *,
        with_logs: bool = True,
        failed: Sequence[FailedCall] = (),
    ) -> FirstFinding | None:
        """The cause of a failure with this output, by the names of streams, of a program with the
        variables `env`; None if nothing points to the DSP.  `with_logs` says whether the logs of
        the device are about that program only.  `failed` are calls of methods of which the emulated
        device knows that they failed.

        Raises `DeviceError` when the device does not answer, and `OSError`.
        """
        faults: list[DeviceFinding] = []
        if not self._emulated:
            faults += self._state.faults
        if with_logs:
            output = {**output, **self.logs}
        said = self._explained(output)
        if said.events or said.codes:
            skels = skels_in(said)
            faults += path_faults(env)
            faults += (f for f in self._release_faults if not skels or f.about in skels | {""})
        checked = NAMES if self._emulated else self._state.checks | NAMES
        calls = failed_call(failed, output, said)
        if calls and self._project:
            calls = with_parameters(self._project, calls)
        return choose_finding(said, faults, checked, self._knowledge, calls)

    @property
    def logs(self) -> Mapping[str, bytes]:
        """The logs of the device by name; none of one whose logs are part of the output."""
        return {} if self._emulated else self._state.logs

    def _explained(self, logs: Mapping[str, bytes]) -> LogExplanation:
        explainer = LogExplainer(self._knowledge)
        for name, data in logs.items():
            explainer.read(LogLines(name, io.BytesIO(data)))
        return explainer.explanation()

    @cached_property
    def _knowledge(self) -> Knowledge:
        return read_knowledge()

    @cached_property
    def _state(self) -> _DeviceState:
        variables = log_variables(self._ready, self._run, self._program, self._seconds)
        device = self._ready.site.device
        facts, board, parts = read_facts_board_and(device, "logs", variables)
        faults = tuple(f for f in check_device(facts, board, "", None) if f.remedy)
        checks = CHECKS - OF_FILES if board.emulated else CHECKS
        return _DeviceState(facts, checks, faults, logs_in(parts, self._ready, self._seconds).logs)

    @cached_property
    def _release_faults(self) -> tuple[ReleaseFault, ...]:
        platform, system = PLATFORM, SystemExports()
        if not self._emulated:
            facts = self._state.facts
            platform, system = facts.platform, self._system_exports(facts)
        return tuple(release_faults(self._ready, platform, system))

    def _system_exports(self, facts: Facts) -> SystemExports:
        """What the DSP shell and the libcdsprpc of the device export; None of what cannot be read,
        for which what is known of other devices remains."""
        name, found = self._ready.site.device.name, SystemExports()
        if (shell := self._read_elf(facts.shell.path)) and shell.exports:
            found = found._replace(shell=DeviceShell(name, shell.exports))
        if library := self._read_elf(facts.cdsprpc.path):
            found = found._replace(cdsprpc=Cdsprpc(library.soname, library.exports, name))
        return found

    def _read_elf(self, path: str) -> Elf | None:
        """A file of the device's system; None if it is no ELF file."""
        data = self._ready.site.device.exec(_PRINT, {}, [path]).stdout if path else b""
        with tempfile.NamedTemporaryFile("w+b") as stream, contextlib.suppress(ElfError):
            stream.write(data)
            stream.flush()
            return read_elf(Path(stream.name))
        return None
