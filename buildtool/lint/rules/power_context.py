"""HAP_power_set gets the pointer that identifies the client, not the address of that pointer.

The address of a variable on the stack is another client than the pointer in it: its votes do not
apply to the client that does the work, and clocks stay low. Nothing fails; matrix products took
three times as long.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.c_code.expressions import bare, local_pointers, parameters_by_value
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "power-context",
    __doc__,
    source=("https://github.com/ggml-org/llama.cpp/pull/23367",),
    remedy="Pass the pointer itself.",
    condition="hmx-power-context",
    wrong="""\
int start(struct context *ctx)
{
    HAP_power_request_t request = {.type = HAP_power_set_HVX};

    request.hvx.power_up = TRUE;
    return HAP_power_set((void *)&ctx, &request);
}
""",
    right="""\
int start(struct context *ctx)
{
    HAP_power_request_t request = {.type = HAP_power_set_HVX};

    request.hvx.power_up = TRUE;
    return HAP_power_set(ctx, &request);
}
""",
)


def check(subject: Subject) -> Iterator[LintFinding]:
    names, names_of = set[str](), None
    for function, call in subject.calls("HAP_power_set"):
        if function is not names_of:
            names, names_of = parameters_by_value(function) | local_pointers(function), function
        context = bare(function.text(call.arguments[0])) if call.arguments else ()
        if len(context) != 2 or context[0] != "&":
            continue
        name = context[1]
        if name in names:
            yield RULE.at(
                function.code.place(call.at),
                f"HAP_power_set gets the address of `{name}`",
                "it votes for another client than the pointer identifies, without an error",
                f"Pass the pointer: HAP_power_set({name}, …).",
            )
