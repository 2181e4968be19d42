"""Looks for the cause after a program has failed: in its output, in the release, on the device.

Chooses the first finding from what logs say and what checks have found.
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from buildtool.core.elf.read import Elf, ElfError, read_elf
from buildtool.core.escape import escape
from buildtool.core.value import Value
from buildtool.deploy.check_device import CHECKS, check_device
from buildtool.deploy.ready import Ready
from buildtool.device.board_checks import NO_SESSIONS, OF_FILES
from buildtool.device.emulated.device import PLATFORM
from buildtool.device.errors import DeviceFinding
from buildtool.device.facts import Facts
from buildtool.device.read_facts import read_facts_board_and
from buildtool.diagnose.explain_log import Evidence, Finding, LogExplainer, LogExplanation
from buildtool.diagnose.knowledge import (
    ANY_ERROR,
    NOWHERE,
    Condition,
    Knowledge,
    find_code,
    read_knowledge,
)
from buildtool.diagnose.line_patterns import CRASHED, LogLines
from buildtool.diagnose.method_names import SkelMethods
from buildtool.project.model import Project
from buildtool.run.device_logs import log_variables, logs_in
from buildtool.run.first_finding import FirstFinding
from buildtool.run.method_counts import FailedCall, with_parameters
from buildtool.run.program import NO_VARIABLES
from buildtool.run.release_checks import (
    NAMES,
    ReleaseFault,
    SystemExports,
    path_faults,
    release_faults,
)
from buildtool.toolchains.cdsprpc import Cdsprpc
from buildtool.toolchains.system_libraries import DeviceShell

_PRINT = 'cat -- "${QEMU_LD_PREFIX:-}$1"'
"""Prints a file of the system, which is an emulated one below that directory on some devices."""
_SKEL = re.compile(r"\blib[\w.+-]{1,100}_skel\.so\b", re.ASCII)
# Source: qualcomm/fastrpc, src/fastrpc_apps_user.c, remote_handle64_invoke.
_FAILED = re.compile(
    r"Error (0x8000[0-9a-f]{4}): remote_handle64_invoke failed for module (\S{1,200}?), handle"
    r" \w{1,18}, method (\d{1,3}) on domain"
)
NOT_OWN = CRASHED | {0x80000414}
"""Codes that FastRPC and generated code return themselves."""
METHOD_ERROR, MISMATCH, DIGEST = "method-error", "idl-mismatch", "idl-digest"
SHOWN = 160
"""Characters of a line of a log that are shown."""


class _DeviceState(Value):
    """What one exchange with a device tells: facts, the faults that the `checks` found, and the
    logs of the run."""

    facts: Facts
    checks: frozenset[str]
    faults: tuple[DeviceFinding, ...]
    logs: Mapping[str, bytes]


class CauseFinder(Value):
    """Finds the causes of failures on the device of `ready`, which is asked once, when needed.

    `run` and `program` name a run of which the device may have logs, of the last `seconds`.  IDL
    files of `project` have the names of methods.
    """

    ready: Ready
    run: str = ""
    program: str = ""
    seconds: float = 0
    project: Project | None = None

    @property
    def emulated(self) -> bool:
        """Whether its logs are part of the output of programs, and its system not a board's."""
        return self.ready.site.device.transport.direct

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
        if not self.emulated:
            faults += self._state.faults
        if with_logs:
            output = {**output, **self.logs}
        said = self._explained(output)
        if said.events or said.codes:
            skels = skels_in(said)
            faults += path_faults(env)
            faults += (f for f in self._release_faults if not skels or f.about in skels | {""})
        checked = NAMES if self.emulated else self._state.checks | NAMES
        calls = failed_call(failed, output, said)
        if calls and self.project:
            calls = with_parameters(SkelMethods(self.project), calls)
        return choose_finding(said, faults, checked, self._knowledge, calls)

    @property
    def logs(self) -> Mapping[str, bytes]:
        """The logs of the device by name; none of one whose logs are part of the output."""
        return {} if self.emulated else self._state.logs

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
        variables = log_variables(self.ready, self.run, self.program, self.seconds)
        device = self.ready.site.device
        facts, board, parts = read_facts_board_and(device, "logs", variables)
        faults = tuple(f for f in check_device(facts, board, "", None) if f.remedy)
        checks = CHECKS - OF_FILES if board.emulated else CHECKS
        return _DeviceState(facts, checks, faults, logs_in(parts, self.ready, self.seconds).logs)

    @cached_property
    def _release_faults(self) -> tuple[ReleaseFault, ...]:
        platform, system = PLATFORM, SystemExports()
        if not self.emulated:
            facts = self._state.facts
            platform, system = facts.platform, self._system_exports(facts)
        return tuple(release_faults(self.ready, platform, system))

    def _system_exports(self, facts: Facts) -> SystemExports:
        """What the DSP shell and the libcdsprpc of the device export; None of what cannot be read,
        for which what is known of other devices remains."""
        name, found = self.ready.site.device.name, SystemExports()
        if (shell := self._read_elf(facts.shell.path)) and shell.exports:
            found = found._replace(shell=DeviceShell(name, shell.exports))
        if library := self._read_elf(facts.cdsprpc.path):
            found = found._replace(cdsprpc=Cdsprpc(library.soname, library.exports, name))
        return found

    def _read_elf(self, path: str) -> Elf | None:
        """A file of the device's system; None if it is no ELF file."""
        data = self.ready.site.device.exec(_PRINT, {}, [path]).stdout if path else b""
        with tempfile.NamedTemporaryFile("w+b") as stream, contextlib.suppress(ElfError):
            stream.write(data)
            stream.flush()
            return read_elf(Path(stream.name))
        return None


def choose_finding(
    said: LogExplanation,
    faults: Sequence[DeviceFinding],
    checked: Collection[str],
    knowledge: Knowledge,
    failed: Sequence[FailedCall] = (),
) -> FirstFinding | None:
    """The cause of a failure whose logs say `said`; None if nothing points to the DSP.

    `faults` are what checks have found, the surest first; `checked` are the names of all checks
    that were done, `failed` the calls that failed.
    """
    found = {fault.name: fault for fault in reversed(faults)}
    first = said.causes[0].condition.name if said.causes else ANY_ERROR
    other = first not in (MISMATCH, ANY_ERROR)
    # Stub and skel agree, so the code is the method's own and no sign of a mismatch.
    if failed and not other and DIGEST in checked and DIGEST not in found:
        return _own_error(failed[-1], said, knowledge)
    if first != ANY_ERROR:
        return _named_cause(said.causes[0], found)
    shown = _first_line(said)
    suspected = [*_suspected(said, knowledge)]
    # The logs name no cause: a check that finds one of those of their codes and symptoms does.
    for condition in suspected if shown else ():
        if fault := _fault_of(condition, found):
            return FirstFinding(fault.name, fault.what, shown, fault.remedy)
    # No log shows it: it is named, but not called the cause.
    if fault := next((fault for fault in faults if fault.name in NO_SESSIONS), None):
        return FirstFinding(fault.name, "", fault.what, fault.remedy)
    if said.causes:
        return _named_cause(said.causes[0], found)
    if not shown:
        return None
    excluded = dict.fromkeys(name for condition in suspected for name in condition.checks)
    return FirstFinding(
        "", "", shown, _next(said), tuple(name for name in excluded if name in checked)
    )


def failed_call(
    known: Sequence[FailedCall], output: Mapping[str, bytes], said: LogExplanation
) -> Sequence[FailedCall]:
    """Of the calls that failed, the one whose code the program printed, or the device logged; () if
    there is none."""
    text = b"\n".join(output.values()).decode(errors="replace").lower()
    for call in reversed(known):
        signed = call.code - 2**32 if call.code >= 2**31 else call.code
        if re.search(rf"(?<![\w.])(?:0x0*{call.code:x}|{call.code}|{signed})(?![\w.])", text):
            return (call,)
    findings = (*said.causes, *said.symptoms, *said.consequences)
    for evidence in (each for finding in findings for each in finding.evidence):
        if (line := _FAILED.search(evidence.text)) and (code := int(line[1], 16)) not in NOT_OWN:
            return (FailedCall(line[2].rpartition("/")[2], int(line[3]), code),)
    return ()


def _named_cause(cause: Finding, found: Mapping[str, DeviceFinding]) -> FirstFinding:
    """The cause that a line of a log names, in the words of a check that finds it too."""
    known, shown = cause.condition, _shown(cause.evidence[0])
    if fault := _fault_of(known, found):
        return FirstFinding(fault.name, fault.what, shown, fault.remedy)
    return FirstFinding(known.name, known.meaning, shown, _remedy(known))


def _own_error(call: FailedCall, said: LogExplanation, knowledge: Knowledge) -> FirstFinding:
    code = find_code(call.code, knowledge.content)
    named = f"{' or '.join(code.names)} ({code.text.split(' ')[0]})" if code.names else code.text
    lengths = f"; {call.lengths}" if call.lengths else ""
    refused = any(cause.condition.name == ANY_ERROR for cause in said.causes)
    also = ", and the emulated device logged an error" if refused else ""
    return FirstFinding(
        METHOD_ERROR,
        f"{call.called} itself returned {named}{also}{lengths}",
        next((_shown(f.evidence[0]) for f in said.causes), _first_line(said))
        or f"{call.skel}: the emulated DSP noted it",
        f"Look where the code of {call.name or call.called} returns it: stub and skel agree.",
    )


def _fault_of(condition: Condition, found: Mapping[str, DeviceFinding]) -> DeviceFinding | None:
    return next((found[name] for name in condition.checks if name in found), None)


def _shown(evidence: Evidence) -> str:
    text = escape(evidence.text.strip())
    text = text if len(text) <= SHOWN else f"{text[:SHOWN].rpartition(' ')[0]} …"
    return f"{evidence.log}:{evidence.line}: {text}"


def _first_line(said: LogExplanation) -> str:
    """The first line that shows a failure of the DSP, "" if none does."""
    lines = [finding.evidence[0] for finding in (*said.symptoms, *said.consequences)]
    lines += [evidence for code, evidence in said.codes if code.side != NOWHERE]
    return next(map(_shown, lines), "")


def _suspected(said: LogExplanation, knowledge: Knowledge) -> Iterator[Condition]:
    """The conditions that have the codes of the logs, those of symptoms first."""
    for finding in (*said.symptoms, *said.consequences):
        yield finding.condition
    for code in sorted(said.all_codes):
        yield from knowledge.with_code(code)


def _remedy(condition: Condition) -> str:
    """What to do; with several causes, how to tell them apart."""
    if len(condition.causes) == 1:
        return condition.causes[0].remedy
    return f"What tells its causes apart: buildtool explain {condition.name}"


def _next(said: LogExplanation) -> str:
    code = next((code for code, _ in said.codes if code.side != NOWHERE), None)
    symptom = next((f.condition for f in said.symptoms), None)
    if code is None and symptom is None:
        return "What the lines of a log mean: buildtool explain FILE"
    name = f"0x{code.value:x}" if code else symptom.name if symptom else ""
    return f"Its causes, and how to tell them apart: buildtool explain {name}"


def skels_in(said: LogExplanation) -> frozenset[str]:
    """The names of skels in the lines that show failures."""
    findings = (*said.causes, *said.symptoms, *said.consequences)
    lines = [evidence.text for finding in findings for evidence in finding.evidence]
    lines += [evidence.text for _, evidence in said.codes]
    return frozenset(name for line in lines for name in _SKEL.findall(line))
