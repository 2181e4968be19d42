"""`buildtool probe --all`: what each DSP of a device does, in an unsigned and in a signed process.

The checks are those of `buildtool probe`, and three that need more than a session: a crash in
another process, two directories of skels, and sessions at once.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

from buildtool.core.events import Work
from buildtool.core.value import Described
from buildtool.deploy.contents import deployment
from buildtool.deploy.fit import fitting_arch
from buildtool.device.board import BASE, Board
from buildtool.device.board_checks import FAULTS
from buildtool.device.card import OK, UNTESTED, system_files
from buildtool.device.device import Device
from buildtool.device.errors import DeviceFinding
from buildtool.device.facts import CDSP, DOMAINS, Facts, of_domain
from buildtool.device.script import Parts, printable, script
from buildtool.measure.probe.capabilities import TIMES, Outcome, capability, run_check
from buildtool.project.keys import arch_number

if TYPE_CHECKING:
    from buildtool.testing.session import Session

SCRIPT = "versions"
"""The script that prints the versions of a device which are not among its facts."""
UNSIGNED, SIGNED = "unsigned", "signed"
YES, NO, UNKNOWN = "yes", "no", "unknown"
MAX_PACKAGES = 40
FASTRPC_TEST = "fastrpc_test."
"""How the names of its tests begin among capabilities."""
FASTRPC_TEST_SECONDS = 120
MAX_FASTRPC_TESTS = 32
_FASTRPC_TEST = re.compile(
    rb"^\[(PASS|SKIP|FAIL)\] (?:lib)?(\S{1,60}?)\.so(?: \((.{1,80})\))?$", re.M
)
TOO_OLD = re.compile(r"the DSP is (v\d\d), for which there is no skel")
OF_LOGS = frozenset({"selinux", "sessions-exhausted"})
"""Findings about what the kernel logged at any time, also before another image was installed."""


class Version(Described):
    """A part of the image of a device."""

    kind: Annotated[
        str,
        "what it is",
        ("library", "shell", "firmware", "kernel", "package"),
    ]
    name: Annotated[str, "its path; name of the package; Linux"]
    version: Annotated[
        str, 'name of its build, version of the package or of the kernel; "" if unknown'
    ]
    sha256: Annotated[str, 'sha256 of its bytes; "" if it is unknown'] = ""


class Row(Described):
    """What a process of a DSP can do, or cannot."""

    domain: Annotated[str, "name of the DSP"]
    process: Annotated[str, "kind of the process", (UNSIGNED, SIGNED)]
    capability: Annotated[str, "name of the capability"]
    state: Annotated[str, "whether it has it", (YES, NO, UNKNOWN)]
    found: Annotated[str, "what was seen"]
    value: Annotated[float, "its number, in `unit`; 0 if it has none"] = 0
    unit: Annotated[str, 'unit of `value`; "" for none'] = ""
    at_least: Annotated[bool, "whether the check ended before the DSP could do no more"] = False


class Qualification(Described):
    """What the DSPs of a device do, and the versions of what they need."""

    device: Annotated[str, "name of the device"]
    date: Annotated[str, "when it was probed, in UTC (RFC 3339)"]
    image: Annotated[str, "digest of all versions: equal images have equal ones"]
    model: Annotated[str, '"" if it is unknown']
    soc: Annotated[str, '"" if it is unknown']
    platform: Annotated[str, "platform of the device", ("ubuntu-aarch64", "android")]
    release: Annotated[str, 'id of the release that ran there; "" if a rung is broken before']
    versions: Annotated[tuple[Version, ...], "parts of its image, as far as the device tells them"]
    findings: Annotated[tuple[DeviceFinding, ...], "what `devices check` finds wrong"]
    rows: Annotated[
        tuple[Row, ...],
        "what each process can do; only `session` of one in which the skel cannot be opened",
    ]


def blank(
    device: Device, facts: Facts, board: Board, parts: Parts, rungs: Iterable[DeviceFinding]
) -> Qualification:
    """The document about `device` as of now, on which nothing has run."""
    versions = tuple(sorted(_versions(device, facts, board, parts)))
    text = json.dumps([version.as_json() for version in versions])
    return Qualification(
        device=device.name,
        date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        image=hashlib.sha256(text.encode()).hexdigest()[:12],
        model=facts.model,
        soc=facts.soc,
        platform=facts.platform,
        release="",
        versions=versions,
        findings=tuple(f for f in rungs if f.remedy and f.name in FAULTS.keys() - OF_LOGS),
        rows=(),
    )


def _versions(device: Device, facts: Facts, board: Board, parts: Parts) -> Iterator[Version]:
    cdsprpc, shell = system_files(device, facts)
    libraries = dict(board.libraries) | ({cdsprpc.path: cdsprpc.sha256} if cdsprpc.path else {})
    shells = {path: text.partition(b"\n")[::2] for path, text in parts.of("any_shell").items()}
    if shell.path and shell.path not in shells:  # that of sim is no file of the device
        shells[shell.path] = b"", shell.sha256.encode()
    for path, sha256 in libraries.items():
        yield Version("library", path, "", sha256.partition(" ")[0])
    for path, (build, digest) in shells.items():
        ours = tuple(f"{folder}/" for folder in board.configured)
        if not ours or not path.startswith(f"{BASE}/") or path.startswith(ours):  # not of others
            yield Version("shell", path, printable(build), printable(digest).partition(" ")[0])
    for path, name in board.firmware.items():
        yield Version("firmware", path, name)
    if device.emulated:
        return  # its kernel and packages are those of this machine
    if kernel := parts.text("kernel_version"):
        yield Version("kernel", "Linux", printable(kernel.encode()).removeprefix("Linux "))
    for line in parts.lines("packages")[:MAX_PACKAGES]:
        name, _, version = printable(line.encode()).partition(" ")
        if version := version.removeprefix("- "):  # opkg writes NAME - VERSION
            yield Version("package", name, version)


class Process:
    """Runs the checks in a session, in processes of the kind `process` on the DSP `domain`."""

    def __init__(self, session: Session, facts: Facts, domain: str, process: str) -> None:
        self._session = session
        self._facts = facts
        self._row = Row(domain, process, "", NO, "")
        self._opening: list[float] = []

    def rows(self, work: Work) -> Iterator[Row]:
        """What it can do; `work` shows the checks."""
        say = f"{self._row.domain} {self._row.process}"
        work.say(f"{say}: session")
        arch, opened = self._open()
        if opened.problem:
            state = NO if arch else UNKNOWN
            yield self._row._replace(capability="session", state=state, found=opened.problem)
            return
        yield self._row._replace(
            capability="session",
            state=YES,
            found=f"a skel for {arch} opens",
            value=int(arch[1:]),
        )
        units = opened.numbers.get("units", (0,))[0]
        for name in CHECKS:
            if not (self._session.ready.site.device.emulated and name in TIMES):
                work.say(f"{say}: {name}")
                row = self._checked(name)
                yield row._replace(value=units) if name.startswith("hvx") else row
        yield self._row._replace(
            capability="opening",
            state=YES,
            found=f"the shortest of {len(self._opening)}",
            value=round(min(self._opening), 3),
            unit="ms",
        )

    def _open(self) -> tuple[str, Outcome]:
        """The newest arch whose skel opens, and how; the last one that was tried if none does; ""
        if all skels are for newer DSPs."""
        ready = self._session.ready
        facts = of_domain(self._facts, self._row.domain)
        archs = sorted(ready.release.archs, key=arch_number, reverse=True)
        arch, outcome = (
            "",
            Outcome({}, problem=f"the DSP is {facts.arch}, for which there is no skel"),
        )
        for arch in (
            archs if not facts.arch else filter(None, (fitting_arch(facts, ready.release),))
        ):
            ready.deployment = deployment(ready.release, arch)
            outcome = self._run("arch")
            if not outcome.problem:
                break
        return arch, outcome

    def _run(self, check: str) -> Outcome:
        words = (self._row.domain, *((SIGNED,) if self._row.process == SIGNED else ()))
        outcome = run_check(self._session, check, *words)
        self._opening += [time / 1e6 for time in outcome.numbers.get("opening", ())]
        return outcome

    def _checked(self, name: str) -> Row:
        outcome = self._run(name)
        row = self._row._replace(capability=name)
        if judge := OWN.get(name):
            try:
                return row._replace(**judge(outcome))
            except LookupError as error:
                found = outcome.problem or f"the check printed no number {error}"
                return row._replace(found=found)
        claims = self._facts.capabilities if self._row.domain == CDSP else {}
        seen = capability(name, outcome, claims)
        works = {OK: YES, UNTESTED: UNKNOWN}.get(seen.state, NO)
        value, found = seen.value, seen.found
        if name == "latency" and works == YES:
            times = outcome.numbers["nanoseconds"]
            value, found = min(times) / 1000, f"the shortest of {len(times):,} empty calls"
        if name == "map-size":
            row = row._replace(at_least=not outcome.numbers.get("code", (1,))[0])
        if name in ("vtcm", "hmx") and works == NO and not outcome.problem:
            works = YES if seen.value else NO  # it is there, although another size was claimed
        return row._replace(state=works, found=found, value=round(value, 3), unit=seen.unit)


Found = Mapping[str, str | float | bool]


def _restart(outcome: Outcome) -> Found:
    crash, survives, again = (outcome.number(name) for name in ("crash", "survives", "again"))
    if crash:
        return {"found": "the process does not crash", "state": UNKNOWN}
    wrong = []
    if not survives:
        wrong.append("the process of another program ends with it: the DSP restarts")
    if again:
        wrong.append("no session opens after it")
    return {
        "found": f"after a crash, {' and '.join(wrong)}" if wrong else "others go on after a crash",
        "state": NO if wrong else YES,
    }


def _search(outcome: Outcome) -> Found:
    if outcome.problem:
        found = f"a skel in the first of two directories is not what opens: {outcome.problem}"
        return {"found": found, "state": NO}
    outcome.number("first")
    return {"found": "the first directory that has a skel wins", "state": YES}


def _parallel(outcome: Outcome) -> Found:
    if outcome.problem:
        return {"found": outcome.problem, "state": NO}
    count, code = outcome.number("parallel"), outcome.number("code")
    end = f"one more: 0x{code & 0xFFFFFFFF:x}" if code else "no more are tried"
    return {
        "found": f"{count} in one program; {end}",
        "state": YES,
        "value": count,
        "at_least": not code,
    }


OWN: Mapping[str, Callable[[Outcome], Found]] = {
    "restart": _restart,
    "search": _search,
    "parallel": _parallel,
}
"""What the outcome of each check says that `buildtool probe` alone does not make."""
CHECKS = (
    *("hvx-integer", "hvx-float", "hmx", "vtcm", "dspqueue", "zero-copy", "map-size", "search"),
    *("parallel", "restart", "latency", "clock"),
)
"""In this order: the one that crashes a process comes after those of what works."""


def fastrpc_test_rows(device: Device, facts: Facts, domain: str, process: str) -> Iterator[Row]:
    """What the fastrpc_test that is installed on the device says of its own tests; nothing without
    one.  Source: qualcomm/fastrpc at 29851fde, test/fastrpc_test.c, which knows DSPs up to the
    CDSP, and has skels for v68 and v75."""
    number, arch = DOMAINS.index(domain), of_domain(facts, domain).arch
    if device.emulated or number > DOMAINS.index(CDSP) or (arch and arch_number(arch) < 0x68):
        return
    skels = "v75" if arch and arch_number(arch) >= 0x75 else "v68"
    system = "android" if facts.platform == "android" else "linux"
    words = ["-d", str(number), "-U", str(int(process == UNSIGNED)), "-t", system, "-a", skels]
    done = device.exec(
        script("parts", "fastrpc_test"),
        {"seconds": str(FASTRPC_TEST_SECONDS)},
        words,
        timeout=FASTRPC_TEST_SECONDS + 30,
    )
    states = {b"PASS": YES, b"SKIP": UNKNOWN, b"FAIL": NO}
    for result, name, why in _FASTRPC_TEST.findall(done.stdout)[:MAX_FASTRPC_TESTS]:
        found = printable(why) or result.decode().lower()
        yield Row(domain, process, FASTRPC_TEST + printable(name), states[result], found)


def processes(facts: Facts) -> list[tuple[str, str]]:
    """The DSPs of a device, the CDSP first, each with the kinds of its processes."""
    domains = sorted(facts.domains or {CDSP: ""}, key=lambda domain: (domain != CDSP, domain))
    return [(domain, process) for domain in domains for process in (UNSIGNED, SIGNED)]
