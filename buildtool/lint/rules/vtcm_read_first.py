"""VTCM is written before it is read.

It has what its last user left there. On simulators that is zero, so that a kernel which adds to it
is right there and wrong on a device.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from buildtool.lint.c_code.expressions import assigned, bare
from buildtool.lint.c_code.functions import Call, Function, is_name
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "vtcm-read-first",
    __doc__,
    source=("https://github.com/apache/tvm/issues/13144",),
    remedy="Write all of it first, such as with memset.",
    condition="uninitialised-vtcm",
    wrong="""\
int add(compute_res_attr_t *attributes, const int *x, int n)
{
    unsigned int context = HAP_compute_res_acquire(attributes, 0);
    int *sums = HAP_compute_res_attr_get_vtcm_ptr(attributes);

    if (context == 0 || sums == NULL)
        return AEE_ENOMEMORY;
    for (int i = 0; i < n; i++)
        sums[i] += x[i];
    return 0;
}
""",
    right="""\
int add(compute_res_attr_t *attributes, const int *x, int n)
{
    unsigned int context = HAP_compute_res_acquire(attributes, 0);
    int *sums = HAP_compute_res_attr_get_vtcm_ptr(attributes);

    if (context == 0 || sums == NULL)
        return AEE_ENOMEMORY;
    for (int i = 0; i < n; i++)
        sums[i] = x[i];
    return 0;
}
""",
)
MAX_CALLS, MAX_DISTANCE = 100, 2000
"""Calls before, and tokens after the call that are searched."""
_ALLOCATING = ("HAP_request_VTCM", "HAP_request_async_VTCM")
_RETURNING = "HAP_compute_res_attr_get_vtcm_ptr"
_STORING = "HAP_compute_res_attr_get_vtcm_ptr_v2"
_CONDITIONS = ("if", "while")
_COPIES = ("memcpy", "memmove")


def check(subject: Subject) -> Iterator[LintFinding]:
    for function, call in subject.calls(*_ALLOCATING, _RETURNING, _STORING):
        name = _pointer(function, call) if _is_new(function, call) else ""
        read = _first_read(function, call.end + 1, name) if name else None
        if read is not None:
            yield RULE.at(
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
