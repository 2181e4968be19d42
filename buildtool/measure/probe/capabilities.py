"""What the outcome of each check says about a DSP: a claim of libcdsprpc, and a finding.

Runs the checks of the program `device-probe` on a device, and reads what it prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.device.card import ABSENT, DIFFERS, OK, UNTESTED, Capability
from buildtool.device.errors import DeviceConnectionError
from buildtool.measure.statistics import median_interval
from buildtool.project.runs import CAPABILITIES
from buildtool.run.program import RunRequest

if TYPE_CHECKING:
    from buildtool.testing.session import Ran, Session

PROGRAM = "bin/device-probe"
ALARM = 14  # SIGALRM, with which the program ends itself when a step does not return
LIMIT_SECONDS = 20  # of a step: LIMIT_SECONDS of main.c
TIMEOUT_SECONDS = 120.0
MAX_BYTES = 1 << 20
_LINE = re.compile(r"([a-z_]{1,20}) (-?\d{1,20}(?: \d{1,20}){0,5000})", re.ASCII)
_STEP = re.compile(r"step ([\w-]{1,40})", re.ASCII)
_MISSING = re.compile(r"missing (\w{1,40})", re.ASCII)
SHOWN = 200
_FAILED = re.compile(r"failed [\w-]{1,40} 0x([0-9a-f]{8})", re.ASCII)
MIB = 1 << 20
SMALL = 16
TICKS_MHZ = 19.2  # HAP_perf_get_qtimer_count
Claims = Mapping[str, int]
"""The answers of libcdsprpc, by the names of `facts.CAPABILITIES`."""
HALF_32 = 0x5000
"""32.0 in fp16."""
_HMX_PRODUCTS = {
    (True, True): "ones by ones is 32 in fp16 and in int8",
    (False, True): "ones by ones is not 32 in fp16: the float half is fused off; int8 is right",
    (True, False): "ones by ones is not 32 in int8; fp16 is right",
    (False, False): "ones by ones is not 32, in fp16 and in int8: HMX is fused off",
}
_HMX_STEPS = {
    "power": "HAP_power_set",
    "acquire": "HAP_compute_res_acquire",
    "lock": "HAP_compute_res_hmx_lock",
}
_PER_HANDLE = (("open files", 0.1), ("KiB here", 1), ("bytes of heap on the DSP", 8))
TIMES = frozenset({"latency", "bandwidth", "clock"})


class Outcome(Value):
    """The end of a check.

    `numbers` are those that it printed, by name; `missing` is a function that libcdsprpc lacks, ""
    if it has all.  `code` is that of the function that failed, 0 if none has; `problem` says in
    words why there is no result, "" if there is one.
    """

    numbers: dict[str, tuple[int, ...]]
    missing: str = ""
    code: int = 0
    problem: str = ""
    stderr: str = ""

    @property
    def says(self) -> str:
        """The last line on standard error."""
        return self.stderr.strip().rpartition("\n")[2][:SHOWN]

    def number(self, name: str) -> int:
        """The number `name`; raises `LookupError` if it was not printed."""
        return self.numbers[name][0]


def run_check(session: Session, name: str, *dsp: str) -> Outcome:
    """Run the check `name`, once: it may be what ends the connection to the device.  `dsp` are its
    further arguments: the DSP, and "signed".

    Raises `DeviceError` when nothing can run there."""
    request = RunRequest((PROGRAM, name, *dsp), timeout=TIMEOUT_SECONDS)
    try:
        return read_outcome(session.run(request, limit=MAX_BYTES, tries=1))
    except DeviceConnectionError as error:
        return Outcome({}, problem=f"the connection was lost: {error.message}")


def read_outcome(ran: Ran) -> Outcome:
    """The outcome in the output of the program, which may be anything."""
    numbers: dict[str, tuple[int, ...]] = {}
    step, missing, code = "", "", 0
    for line in ran.stdout.splitlines():
        if found := _STEP.fullmatch(line):
            step = found[1]
        elif found := _MISSING.fullmatch(line):
            missing = missing or found[1]
        elif found := _FAILED.fullmatch(line):
            code = int(found[1], 16)
        elif found := _LINE.fullmatch(line):
            numbers[found[1]] = tuple(map(int, found[2].split()))
    problem = _problem(ran, step, code)
    return Outcome(numbers, missing, code, problem, ran.stderr)


def _problem(ran: Ran, step: str, code: int) -> str:
    if ran.dsp_crash:
        return ran.dsp_crash
    if code:
        return f"{step} fails with 0x{code:x}"
    if ran.signal == ALARM:
        return f"{step} has not returned within {LIMIT_SECONDS} s"
    if ran.signal is None and ran.status is None:
        return f"it was in {step or 'no step'} after {TIMEOUT_SECONDS:.0f} s"
    if ran.signal is not None:
        return f"signal {ran.signal} ended the program in {step}"
    return f"the program ended with status {ran.status}" if ran.status else ""


Judge = Callable[[Outcome, Claims], tuple[str, str, str, float]]
"""Returns claim, finding, state and number for a check that ended well."""


def capability(name: str, outcome: Outcome, claims: Claims) -> Capability:
    """What the outcome of the check `name` says."""
    unit = CAPABILITIES[name]
    if outcome.missing:
        return Capability(name, "no", f"libcdsprpc lacks {outcome.missing}", ABSENT, unit=unit)
    if outcome.problem:
        said = f": {outcome.says}" if outcome.says else ""
        return Capability(name, "yes", f"{outcome.problem}{said}", DIFFERS, unit=unit)
    try:
        claimed, found, state, value = JUDGES[name](outcome, claims)
    except LookupError as error:
        return Capability(name, "yes", f"the check printed no number {error}", DIFFERS, unit=unit)
    return Capability(name, claimed, found, state, value, unit)


def _state(right: bool) -> str:
    return OK if right else DIFFERS


def _hvx(outcome: Outcome, claims: Claims) -> tuple[str, str, str, float]:
    wrong, runs = outcome.number("wrong"), outcome.number("runs")
    elements = outcome.number("elements") * runs
    found = f"{runs} runs: all of {elements:,} elements are right"
    if wrong:
        found = f"{wrong:,} elements are wrong, in {outcome.number('wrong_runs')} of {runs} runs"
    claimed = {0: "no", None: ""}.get(claims.get("hvx_support_128b"), "yes")
    return claimed, found, _state(elements > 0 and not wrong and claimed != "no"), 0


def _vtcm(outcome: Outcome, claims: Claims) -> tuple[str, str, str, float]:
    total, acquired = outcome.number("total"), outcome.number("acquired")
    wrong, nonzero = outcome.number("wrong"), outcome.number("nonzero")
    known = "vtcm_page" in claims and "vtcm_count" in claims
    said = claims.get("vtcm_page", 0) * claims.get("vtcm_count", 0)
    claimed = f"{said / MIB:g} MiB" if known else ""
    held = f"{acquired / MIB:g} of {total / MIB:g} MiB acquired"
    if wrong:
        return claimed, f"{held}, {wrong:,} bytes wrong", DIFFERS, 0
    if acquired < total:
        return claimed, f"{held}: others use it", UNTESTED, acquired / MIB
    found = f"{held} and right; {'was not zero' if nonzero else 'was zero'}"
    return claimed, found, _state(acquired > 0 and (not known or said == total)), acquired / MIB


def _hmx(outcome: Outcome, claims: Claims) -> tuple[str, str, str, float]:
    depth = claims.get("hmx_support_depth")
    claimed = {None: "", 0: "no"}.get(depth, "yes")
    refused = next((step for step in _HMX_STEPS if outcome.number(step)), "")
    if not refused:
        # Units that are fused off retire instructions and write zeros.
        right = outcome.number("half") == HALF_32, outcome.number("byte") == 32
        found = _HMX_PRODUCTS[right]
        return claimed, found, _state(claimed != "no") if all(right) else _absent(claimed), 0
    found = f"{_HMX_STEPS[refused]} fails with {_hex(outcome.number(refused))}"
    return claimed, found, _absent(claimed), 0


def _absent(claimed: str) -> str:
    return DIFFERS if claimed == "yes" else ABSENT


def _zero_copy(outcome: Outcome, _: Claims) -> tuple[str, str, str, float]:
    if outcome.number("found"):
        return "yes", f"HAP_mmap_get fails with {_hex(outcome.number('found'))}", DIFFERS, 0
    wrong = outcome.number("wrong") + outcome.number("wrong_here")
    static = outcome.number("static")
    without = (
        f"with FASTRPC_MAP_STATIC {_hex(static)}" if static else "FASTRPC_MAP_STATIC works, too"
    )
    right = f"{wrong:,} words are wrong" if wrong else "works"
    return "yes", f"{right}; {without}", _state(not wrong), 0


def _unmap(outcome: Outcome, _: Claims) -> tuple[str, str, str, float]:
    if not outcome.number("found"):
        return "yes", "a buffer is still mapped after fastrpc_munmap", DIFFERS, 0
    total = outcome.number("turns") * outcome.number("bytes") / MIB
    return "yes", f"{total:,.0f} MiB mapped and unmapped in turn", OK, 0


def _map_size(outcome: Outcome, _: Claims) -> tuple[str, str, str, float]:
    size, allowed = outcome.number("bytes") / MIB, outcome.number("allowed") / MIB
    code = outcome.number("code")
    end = f"more fails with {_hex(code)}" if code else f"no more than {allowed:,.0f} MiB is tried"
    state = UNTESTED if not size and not code else _state(size > 0)
    return "", f"{size:,.0f} MiB; {end}", state, size


def _dspqueue(outcome: Outcome, _: Claims) -> tuple[str, str, str, float]:
    right, packets = outcome.number("right"), outcome.number("packets")
    return "yes", f"{right} of {packets} packets answered", _state(0 < packets == right), 0


def _sessions(outcome: Outcome, _: Claims) -> tuple[str, str, str, float]:
    opened = outcome.number("opened")
    grown = {
        "open files": outcome.number("files"),
        "KiB here": outcome.number("kib"),
        "bytes of heap on the DSP": outcome.number("heap"),
    }
    # A KiB or a block of the heap for each handle; the processes' own caches grow by less.
    left = [f"{grown[name]:,} {name}" for name, per in _PER_HANDLE if grown[name] >= per * opened]
    found = f"{opened:,} handles leave {', '.join(left) or 'nothing'} behind"
    return "yes", found, _state(opened > 0 and not left), 0


def _latency(outcome: Outcome, _: Claims) -> tuple[str, str, str, float]:
    times = [nanoseconds / 1000 for nanoseconds in outcome.numbers["nanoseconds"]]
    return _measured(times, "us", f"{len(times):,} empty calls")


def _bandwidth(outcome: Outcome, _: Claims) -> tuple[str, str, str, float]:
    size = outcome.number("bytes")
    times = [time for time in outcome.numbers["nanoseconds"] if time > 0]
    rates = [size * 1000 / time for time in times]
    return _measured(rates, "MB/s", f"{len(rates)} copies of {size / MIB:g} MiB")


def _measured(values: list[float], unit: str, what: str) -> tuple[str, str, str, float]:
    if not values:
        return "", "nothing was measured", UNTESTED, 0
    middle, low, high = median_interval(values)
    found = f"median {middle:,.1f} {unit} ({low:,.1f} to {high:,.1f}), {what}"
    return "", found, OK, middle


def _clock(outcome: Outcome, _: Claims) -> tuple[str, str, str, float]:
    pairs = zip(outcome.numbers["cycles"], outcome.numbers["ticks"], strict=False)
    clocks = [TICKS_MHZ * cycles / ticks if ticks else 0 for cycles, ticks in pairs]
    if len(clocks) != 2 or not all(clocks):
        return "", "the counters of the DSP stand still", UNTESTED, 0
    return "", f"{clocks[0]:,.0f} MHz, {clocks[1]:,.0f} with a vote", OK, clocks[1]


def _hex(code: int) -> str:
    """A code as logs show it; those of HAP_power_set are small negative numbers."""
    return str(code) if -SMALL < code < 0 else f"0x{code & 0xFFFFFFFF:x}"


JUDGES: Mapping[str, Judge] = {
    "hvx-integer": _hvx,
    "hvx-float": _hvx,
    "vtcm": _vtcm,
    "hmx": _hmx,
    "zero-copy": _zero_copy,
    "unmap": _unmap,
    "map-size": _map_size,
    "dspqueue": _dspqueue,
    "sessions": _sessions,
    "latency": _latency,
    "bandwidth": _bandwidth,
    "clock": _clock,
}
"""By check.  Those of `TIMES` mean nothing on an emulated device."""
