"""Looks for the cause after a program has failed: in its output, in the release, on the device."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from buildtool.core.elf.read import ElfError, read_elf
from buildtool.core.value import Value
from buildtool.deploy.check_device import CHECKS, check_device
from buildtool.deploy.ready import Ready
from buildtool.device.board.checks import NO_SESSIONS
from buildtool.device.emulated.device import PLATFORM
from buildtool.device.errors import DeviceError
from buildtool.device.facts import Facts
from buildtool.device.finding import DeviceFinding
from buildtool.device.read_facts import read_facts_board_and
from buildtool.diagnose.explain_log import LogExplainer, LogExplanation
from buildtool.diagnose.knowledge import Knowledge, read_knowledge
from buildtool.diagnose.log_lines import LogLines
from buildtool.run.device_logs import log_variables, logs_in
from buildtool.run.first_finding.choose_finding import choose_finding
from buildtool.run.first_finding.first_finding import FirstFinding
from buildtool.run.first_finding.release_checks import (
    NAMES,
    SystemExports,
    path_faults,
    release_faults,
)
from buildtool.run.program import NO_VARIABLES
from buildtool.toolchains.cdsprpc import Cdsprpc
from buildtool.toolchains.dsp_shells import DeviceShell


class _DeviceState(Value):
    """What one exchange with a device tells: facts, faults, and the logs of the run."""

    facts: Facts
    faults: tuple[DeviceFinding, ...]
    logs: Mapping[str, bytes]


class CauseFinder:
    """Finds the causes of failures on the device of `ready`.

    `run` and `program` name a run of which the device may have logs, of the last `seconds`.  The
    device is asked once, when that is first needed.
    """

    def __init__(self, ready: Ready, *, run: str = "", program: str = "", seconds: float) -> None:
        self._ready = ready
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
    ) -> FirstFinding | None:
        """The cause of a failure with this output, by the names of streams, of a program with the
        variables `env`; None if nothing points to the DSP.  `with_logs` says whether the logs of
        the device are about that program only.

        Raises `DeviceError` when the device does not answer, and `OSError`.
        """
        faults: list[DeviceFinding] = []
        if not self._emulated:
            output = {**output, **(self._state.logs if with_logs else {})}
            faults += self._state.faults
        said = self._explained(output)
        if said.events or said.codes:
            faults += (*path_faults(env), *self._release_faults)
        else:
            faults = [fault for fault in faults if fault.name in NO_SESSIONS]
        checked = NAMES if self._emulated else CHECKS | NAMES
        return choose_finding(said, faults, checked, self._knowledge)

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
        return _DeviceState(facts, faults, logs_in(parts, self._ready, self._seconds).logs)

    @cached_property
    def _release_faults(self) -> tuple[DeviceFinding, ...]:
        platform, system = PLATFORM, SystemExports()
        if not self._emulated:
            facts = self._state.facts
            platform, system = facts.platform, self._system_exports(facts)
        return tuple(release_faults(self._ready, platform, system))

    def _system_exports(self, facts: Facts) -> SystemExports:
        """What the DSP shell and the libcdsprpc of the device export; None of what cannot be read,
        for which what is known of other devices remains."""
        device, found = self._ready.site.device, SystemExports()
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.suppress(DeviceError, ElfError):
                device.pull(facts.shell.path, shell := Path(folder, "shell"))
                if exports := read_elf(shell).exports:
                    found = found._replace(shell=DeviceShell(device.name, exports))
            with contextlib.suppress(DeviceError, ElfError):
                device.pull(facts.cdsprpc.path, library := Path(folder, "library"))
                elf = read_elf(library)
                found = found._replace(cdsprpc=Cdsprpc(elf.soname, elf.exports, device.name))
        return found
