"""Rules about skels that vote for power."""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.c_functions import (
    TRUE,
    Call,
    Function,
    assigned,
    bare,
    local_pointers,
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


MAX_DISTANCE = 400
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
    texts, first = function.code.texts, max(function.body[0], call.at - MAX_DISTANCE)
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
