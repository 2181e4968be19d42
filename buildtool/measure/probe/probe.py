"""Probes a device: the ladder of what its DSP needs, and then what the DSP does.

The project that `probe` builds: a program and a skel that check what a DSP does.

Its sources are in `project/`, and are copied into the user's cache, since a build writes beside
them.  One build serves all devices of a platform.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.cache import cache_dir
from buildtool.core.events import Work
from buildtool.core.files import tree_digest, write_if_changed
from buildtool.deploy.check_device import check_device
from buildtool.deploy.contents import deployment
from buildtool.deploy.fit import fitting_arch
from buildtool.device.board import Board
from buildtool.device.card import DIFFERS, OK, Capability, Card, system_files
from buildtool.device.device import Device
from buildtool.device.errors import DeviceFinding
from buildtool.device.facts import CDSP, Facts
from buildtool.measure.probe.capabilities import (
    JUDGES,
    PROGRAM,
    TIMEOUT_SECONDS,
    TIMES,
    Outcome,
    capability,
    run_check,
)
from buildtool.project.keys import arch_number
from buildtool.project.model import Project
from buildtool.project.read import read_project

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready
    from buildtool.testing.session import Session

NOT_OF_SIM = frozenset({"root", "space", "tools"})
"""Findings about the directory of releases, which sim has on this machine."""
NO_DSP = DeviceFinding(
    "no-dsp",
    "the device has no Hexagon DSP that is known",
    "Probe a device with one; if this has one, install the FastRPC packages of the board.",
)
SIGNED = "signed"
"""The argument of its program, and the kind of a process."""
SOURCES = Path(__file__).parent / "project"


def static_rungs(facts: Facts, board: Board, *, emulated: bool) -> tuple[DeviceFinding, ...]:
    """What can be said without running anything: the findings of `devices check` up to the first
    that is wrong, unless the DSP answers nevertheless."""
    findings = check_device(facts, board, "", None)
    findings = tuple(f for f in findings if not (emulated and f.name in NOT_OF_SIM))
    if not (facts.arch or facts.nodes or board.processors):
        findings = (*findings, NO_DSP)
    wrong = next((n for n, finding in enumerate(findings, 1) if finding.remedy), len(findings))
    return findings if facts.capabilities.get("domain_support") else findings[:wrong]


def is_broken(rungs: Sequence[DeviceFinding], facts: Facts) -> bool:
    """Whether nothing can run on the DSP."""
    answers = facts.capabilities.get("domain_support")
    return not answers and any(rung.remedy for rung in rungs)


class Probe:
    """Runs the checks in a session."""

    def __init__(self, session: Session, facts: Facts, *, signed: bool = False) -> None:
        self._session = session
        self._facts = facts
        self._fitting = fitting_arch(facts, session.ready.release)
        self._words = (CDSP, SIGNED) if signed else ()
        self._opened: Outcome | None = None
        self.arch = ""
        """The newest arch whose skel the DSP loads, once `load` has found it."""
        self._refused = ""

    @property
    def release(self) -> str:
        """The id of what runs on the device."""
        return self._session.ready.deployment.id

    def load(self) -> DeviceFinding:
        """Find the newest arch whose skel the DSP loads: whether a session opens."""
        archs = sorted(self._session.ready.release.archs, key=arch_number)
        start = archs.index(self._fitting) if self._fitting else 0
        first = self._open(archs[start])
        for arch in archs[start + 1 :] if not first.problem else ():
            if (newer := self._open(arch)).problem:
                self._refused = _refusal(arch, newer)
                break
        for arch in reversed(archs[:start]) if first.problem else ():
            if not self._open(arch).problem:
                self._refused = _refusal(archs[start], first)
                break
        kind = "in a signed process" if self._words else "with an unsigned skel"
        if self.arch:
            self._use(self.arch)
            return DeviceFinding("session", f"a session {kind} opens")
        return _no_session(self._session.ready, first, kind)

    def capabilities(self, board: Board, work: Work) -> Iterator[Capability]:
        """What the DSP does, after `load` has found an arch; `work` shows the checks."""
        yield from self._loaded(board)
        emulated = self._session.ready.site.device.emulated
        names = [name for name in JUDGES if not (emulated and name in TIMES)]
        for number, name in enumerate(names, 1):
            work.say(f"{number} of {len(names)}: {name}")
            self._use(self.arch)  # a device that was connected again has that of its facts
            yield capability(
                name, run_check(self._session, name, *self._words), self._facts.capabilities
            )

    def _loaded(self, board: Board) -> Iterator[Capability]:
        claims, claimed = self._facts.capabilities, self._facts.arch
        found = "; ".join(filter(None, (self.arch, self._refused)))
        if claimed != self._fitting == self.arch:
            found = f"{self.arch}, the newest of its skels that is not newer"
        right = self._fitting in ("", self.arch)
        number = int(self.arch.removeprefix("v"))
        yield Capability("arch", claimed, found, OK if right else DIFFERS, number)
        allowed = claims.get("unsigned_pd_support")
        said = {None: "", 0: "no"}.get(allowed, "yes")
        if not self._words:
            yield Capability("unsigned-pd", said, "opens", DIFFERS if said == "no" else OK)
        if board.health:
            yield Capability("healthcheck", board.health, "a session opens", DIFFERS)
        units = self._opened.numbers.get("units", (0,))[0] if self._opened else 0
        said = str(claims.get("hvx_support_128b", ""))
        state = OK if units and said in ("", str(units)) else DIFFERS
        yield Capability("hvx-units", said, str(units), state, units)

    def _open(self, arch: str) -> Outcome:
        self._use(arch)
        outcome = run_check(self._session, "arch", *self._words)
        loaded = f"v{outcome.numbers.get('arch', (0,))[0]}"
        if not outcome.problem and loaded != arch:
            outcome = outcome._replace(problem=f"a skel for {loaded} was loaded")
        if not outcome.problem:
            self.arch, self._opened = arch, outcome
        return outcome

    def _use(self, arch: str) -> None:
        """Let the device have the skels of `arch`."""
        ready = self._session.ready
        ready.deployment = deployment(ready.release, arch)


def _no_session(ready: Ready, outcome: Outcome, kind: str) -> DeviceFinding:
    """Why no session opens, as far as the output, the logs and the device tell.

    Raises `DeviceError`."""
    from buildtool.run.cause_finder import CauseFinder  # noqa: PLC0415 - seldom

    output = f"{outcome.problem}\n{outcome.stderr}".encode(errors="replace")
    found = CauseFinder(ready, program=PROGRAM, seconds=TIMEOUT_SECONDS).find({"output": output})
    what = f"no session {kind} opens: {outcome.problem}"
    if not found:
        return DeviceFinding("session", what, "What a log says of it: buildtool explain FILE")
    reason = found.cause or found.text().partition("\n")[0]
    return DeviceFinding("session", f"{what}; {reason}", found.remedy)


def _refusal(arch: str, outcome: Outcome) -> str:
    return (
        f"{arch} is refused: 0x{outcome.code:x}" if outcome.code else f"{arch}: {outcome.problem}"
    )


def card_of(device: Device, facts: Facts, board: Board, rungs: Sequence[DeviceFinding]) -> Card:
    """The card of `device` as of now, on which nothing has run."""
    cdsprpc, shell = system_files(device, facts)
    return Card(
        device=device.name,
        date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        release="",
        model=facts.model,
        soc=facts.soc,
        platform=facts.platform,
        cdsprpc=cdsprpc,
        shell=shell,
        firmware=tuple(sorted({build for build in board.firmware.values() if build})),
        rungs=tuple(rungs),
        capabilities=(),
    )


def probe_project() -> Project:
    """The project, in the user's cache; raises `OSError` if it cannot be written there."""
    # Other versions of buildtool have another directory.
    directory = cache_dir() / "probe" / tree_digest([SOURCES])[:8]
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            write_if_changed(directory / path.relative_to(SOURCES), path.read_bytes())
    return read_project(directory / "buildtool.toml")
