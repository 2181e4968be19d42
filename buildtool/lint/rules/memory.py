"""Rules about what skels ask of the DSP: votes for power, VTCM and caches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from buildtool.lint.c_functions import (
    TRUE,
    Call,
    Function,
    assigned,
    bare,
    is_name,
    local_pointers,
    number,
    parameters_by_value,
)
from buildtool.lint.finding import LintFinding, rule
from buildtool.lint.subject import Subject


@rule(
    "power-context",
    source=("https://github.com/ggml-org/llama.cpp/pull/23367",),
    remedy="Pass the pointer itself.",
    condition="hmx-power-context",
)
def power_context(subject: Subject) -> Iterator[LintFinding]:
    """HAP_power_set gets the pointer that identifies the client, not the address of that pointer.

    The address of a variable on the stack is another client than the pointer in it: its votes do
    not apply to the client that does the work, and clocks stay low. Nothing fails; matrix products
    took three times as long.
    """
    names, names_of = set[str](), None
    for function, call in subject.calls("HAP_power_set"):
        if function is not names_of:
            names, names_of = parameters_by_value(function) | local_pointers(function), function
        context = bare(function.text(call.arguments[0])) if call.arguments else ()
        if len(context) != 2 or context[0] != "&":
            continue
        name = context[1]
        if name in names:
            yield power_context.at(
                function.code.place(call.at),
                f"HAP_power_set gets the address of `{name}`",
                "it votes for another client than the pointer identifies, without an error",
                f"Pass the pointer: HAP_power_set({name}, …).",
            )


MAX_REQUEST = 400
"""Tokens before a call that are searched for its request."""
_TYPES = ("HAP_power_set_HMX", "HAP_power_set_HMX_v2")


@rule(
    "hmx-power",
    source=("https://github.com/ggml-org/llama.cpp/issues/22352",),
    remedy="Remember that HMX is missing, and use HVX.",
    condition="feature-missing-on-soc",
)
def hmx_power(subject: Subject) -> Iterator[LintFinding]:
    """A program goes on without HMX if the vote to power it up is refused.

    Some SoCs have HMX fused off, or no clock for it to vote for. There HAP_power_set fails, with
    0x80000414 on SM8635, and a skel that takes this for an error does not open at all.
    """
    for function, call in subject.calls("HAP_power_set"):
        if (
            _powers_hmx_up(function, call)
            and not _is_guarded(function, call.at)
            and _failure_leaves(function, call)
        ):
            yield hmx_power.at(
                function.code.place(call.at),
                "a refused vote for HMX is an error",
                "on SoCs without HMX, or without its clock, HAP_power_set fails: 0x80000414",
            )


def _powers_hmx_up(function: Function, call: Call) -> bool:
    """Whether the request of the call was last set to power HMX up."""
    texts, first = function.code.texts, max(function.body[0], call.at - MAX_REQUEST)
    types = [at for at in range(first, call.at) if texts[at].startswith("HAP_power_set_")]
    if not types or texts[types[-1]] not in _TYPES:
        return False
    powers = [
        texts[at + 2]
        for at in range(types[-1], call.at - 2)
        if texts[at] == "power_up" and texts[at + 1] == "="
    ]
    return bool(powers) and powers[-1] in TRUE


def _is_guarded(function: Function, token: int) -> bool:
    """Whether it runs only if a condition about HMX or the arch holds, or if its caller asked for
    HMX."""
    if any("ARCH" in guard and guard[0] != "!" for guard in function.code.guards_at(token)):
        return True
    conditions = [function.text(c.condition) for c in function.controls_of(token)]
    names = [text for condition in conditions for text in condition]
    return any("hmx" in name.lower() for name in (function.name, *names))


def _failure_leaves(function: Function, call: Call) -> bool:
    """Whether the function returns, or ends the program, if the call fails: in an `if` around the
    call, or in the next one if that is about the result."""
    for control in function.controls_after(call.end, 1):
        if control.keyword == "if" and function.leaves(control.body):
            first = control.condition[0]
            result = assigned(function, call.at)
            return first <= call.at or any(
                text in function.text(control.condition) for text in result[-1:]
            )
    return False


@rule(
    "acquire-timeout",
    source=("https://github.com/apache/tvm/pull/10713",),
    remedy="Pass 0 on the simulator.",
    condition="simulator-acquire-hangs",
)
def acquire_timeout(subject: Subject) -> Iterator[LintFinding]:
    """In a project that also runs on hexagon-sim, HAP_compute_res_acquire has no timeout there.

    The simulator has no timer of QuRT: with a timeout other than 0 the call never returns.
    """
    for function, call in subject.calls("HAP_compute_res_acquire") if subject.simulator else ():
        timeout = number(bare(function.text(call.arguments[-1]))) if call.arguments else None
        conditions = [*function.code.guards_at(call.at)]
        for control in function.controls_of(call.at):
            conditions += function.text(control.condition)
        if timeout and not any("sim" in condition.lower() for condition in conditions):
            yield acquire_timeout.at(
                function.code.place(call.at),
                f"HAP_compute_res_acquire has a timeout of {timeout} µs",
                "the project names hexagon-sim, on which the call never returns with a timeout",
            )


MAX_CALLS, MAX_DISTANCE = 100, 2000
"""Calls before, and tokens between an allocation or write and its use, that are searched."""
_ALLOCATING = ("HAP_request_VTCM", "HAP_request_async_VTCM")
_RETURNING = "HAP_compute_res_attr_get_vtcm_ptr"
_STORING = "HAP_compute_res_attr_get_vtcm_ptr_v2"
_CONDITIONS = ("if", "while")
_COPIES = ("memcpy", "memmove")


@rule(
    "vtcm-read-first",
    source=("https://github.com/apache/tvm/issues/13144",),
    remedy="Write all of it first, such as with memset.",
    condition="uninitialised-vtcm",
)
def vtcm_read_first(subject: Subject) -> Iterator[LintFinding]:
    """VTCM is written before it is read.

    It has what its last user left there. On simulators that is zero, so that a kernel which adds to
    it is right there and wrong on a device.
    """
    for function, call in subject.calls(*_ALLOCATING, _RETURNING, _STORING):
        name = _pointer(function, call) if _is_new(function, call) else ""
        read = _first_read(function, call.end + 1, name) if name else None
        if read is not None:
            yield vtcm_read_first.at(
                function.code.place(read),
                f"`{name}` is read before it is written",
                "it is VTCM, which has what its last user left there",
            )


def _is_new(function: Function, call: Call) -> bool:
    """Whether the function acquires the VTCM itself, so that nobody else has written to it."""
    earlier = function.calls_before(call.at, MAX_CALLS)
    return call.name in _ALLOCATING or any(c.name == "HAP_compute_res_acquire" for c in earlier)


def _pointer(function: Function, call: Call) -> str:
    """The variable that gets the address of the VTCM; "" if it is none."""
    if call.name == _STORING:
        stored = bare(function.text(call.arguments[1])) if len(call.arguments) > 1 else ()
        return stored[1] if len(stored) == 2 and stored[0] == "&" else ""
    target = assigned(function, call.at)
    return target[0] if len(target) == 1 else ""


def _first_read(function: Function, start: int, name: str) -> int | None:
    """The token where the memory is read as the first use of it; None if its first use writes, or
    may write."""
    texts, partners = function.code.texts, function.code.partners
    for at in range(start, min(function.body[1] - 1, start + MAX_DISTANCE)):
        if texts[at] != name or texts[at - 1] in (".", "->") or "sizeof" in texts[at - 3 : at]:
            continue
        before, after = texts[at - 1], texts[at + 1]
        is_condition = before == "(" and after == ")" and texts[at - 2] in _CONDITIONS
        if before == "!" or after in ("==", "!=") or is_condition:
            continue  # compared with NULL
        if after == "[":
            return at if _is_read(texts, at, partners[at + 1] + 1) else None
        if before == "*" and not (is_name(texts[at - 2]) or texts[at - 2] in (")", "]")):
            return at if _is_read(texts, at - 1, at + 1) else None
        call = function.calls_before(at, 1)[0]
        if call.name in _COPIES and len(call.arguments) > 1 and at < call.end:
            return at if list(bare(function.text(call.arguments[1]))[:1]) == [name] else None
        return None
    return None


def _is_read(texts: Sequence[str], start: int, end: int) -> bool:
    """Whether the element from `start` to before `end` is read there.  An argument of a call can be
    a reference in C++, as can a new name for the element; those are not."""
    before, after = texts[start - 1], texts[end]
    if after in ("=", ".", "->", "[") or before == "&":
        return False
    if before == "=":
        return texts[start - 3] != "&"
    is_argument = before in ("(", ",") and after in (")", ",")
    return not is_argument or texts[start - 2] in _CONDITIONS


_WRITES = ("memcpy", "memset", "memmove")
_CLEANS = ("qurt_mem_cache_clean", "qurt_mem_cache_clean2")


@rule(
    "invalidate-after-write",
    source=("QuRT qurt_memory.h", "https://github.com/ggml-org/llama.cpp/issues/25876"),
    remedy="Use QURT_MEM_CACHE_FLUSH or QURT_MEM_CACHE_FLUSH_INVALIDATE.",
    condition="stale-cache",
)
def invalidate_after_write(subject: Subject) -> Iterator[LintFinding]:
    """A buffer that the DSP has written is flushed, not invalidated.

    An invalidation discards what the cache has of the buffer, with it the values that were written
    and not yet in memory. The host then reads old values in some lines of the cache, others each
    time.
    """
    for function, call in subject.calls(*_CLEANS):
        arguments = [list(bare(function.text(span))) for span in call.arguments]
        if len(arguments) < 4 or arguments[2] != ["QURT_MEM_CACHE_INVALIDATE"]:
            continue
        name = arguments[0][0] if len(arguments[0]) == 1 else ""
        written = _last_write(function, name, call) if name else 0
        if written:
            yield invalidate_after_write.at(
                function.code.place(call.at),
                f"`{name}` is invalidated after it was written",
                f"what line {function.code.place(written).line} wrote is discarded as far as it"
                " is in the cache only",
            )


def _last_write(function: Function, name: str, call: Call) -> int:
    """The token of the last write to the buffer on the way to `call` since it was flushed; 0 if
    there is none, or if it is not certain that the write runs before."""
    texts, partners, found = function.code.texts, function.code.partners, 0
    for at in range(max(function.body[0], call.at - MAX_DISTANCE), call.at):
        other = function.calls_at.get(at)
        if other and other.name in _WRITES:
            if other.arguments and list(bare(function.text(other.arguments[0]))) == [name]:
                found = at
        elif (other and name in texts[at : other.end]) or texts[at] in _CLEANS:
            found = 0  # it may flush the buffer
        elif texts[at] == name and texts[at - 1] not in (".", "->"):
            if texts[at + 1] == "=":  # another buffer from here on
                found = 0
            elif texts[at + 1] == "[" and partners[at + 1] > at:
                found = at if texts[partners[at + 1] + 1] == "=" else found
    around = [c for c in function.controls_of(found) if c.keyword not in ("for", "while", "do")]
    return found if found and set(around) <= set(function.controls_of(call.at)) else 0
