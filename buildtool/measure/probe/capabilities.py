"""What the outcome of each check says about a DSP: a claim of libcdsprpc, and a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from buildtool.device.card import ABSENT, DIFFERS, OK, UNTESTED, Capability
from buildtool.measure.probe.checks import Outcome
from buildtool.measure.statistics import median_interval
from buildtool.project.requirements import CAPABILITIES

MIB = 1 << 20
SMALL = 16
TICKS_MHZ = 19.2  # HAP_perf_get_qtimer_count
Claims = Mapping[str, int]
"""The answers of libcdsprpc, by the names of `facts.CAPABILITIES`."""
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


_PER_HANDLE = (("open files", 0.1), ("KiB here", 1), ("bytes of heap on the DSP", 8))


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
TIMES = frozenset({"latency", "bandwidth", "clock"})
