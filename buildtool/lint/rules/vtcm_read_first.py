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
_CHANGES = frozenset(("+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--"))
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
    if call.name != _STORING:
        target: Sequence[str] = assigned(function, call.at)
        return target[0] if len(target) == 1 else ""
    target = bare(function.text(call.arguments[1])) if len(call.arguments) > 1 else ()
    return target[1] if len(target) == 2 and target[0] == "&" and is_name(target[1]) else ""


def _first_read(function: Function, start: int, name: str) -> int | None:
    """The token where the memory is read as the first use of it; None if its first use writes, or
    may write."""
    texts, partners = function.code.texts, function.code.partners
    for at in range(start, min(function.body[1] - 1, start + MAX_DISTANCE)):
        if texts[at] != name or texts[at - 1] in (".", "->"):
            continue
        before, after = texts[at - 1], texts[at + 1]
        if before == "!" or after in ("==", "!="):
            continue  # compared with NULL
        if before in ("if", "(") and after == ")" and texts[at - 2] in ("if", "while"):
            continue
        if after == "[" and partners[at + 1] > at:
            return _read_at(texts, partners[at + 1] + 1, at, texts[at - 1])
        if before == "*" and not (is_name(texts[at - 2]) or texts[at - 2] in (")", "]")):
            return _read_at(texts, at + 1, at, texts[at - 2])
        for call in reversed(function.calls_before(at, 1)):
            if call.name in _COPIES and len(call.arguments) > 1 and at < call.end:
                source = bare(function.text(call.arguments[1]))
                return at if list(source[:1]) == [name] else None
        return None
    return None


def _read_at(texts: Sequence[str], after: int, at: int, before: str) -> int | None:
    """`at`, if the element that ends before `after` is read there; `before` precedes it."""
    following = texts[after]
    if following in _CHANGES or before in ("++", "--"):
        return at
    # An assignment writes; of an address, a member or another element it is not known.
    return None if following in ("=", ".", "->", "[") or before == "&" else at
