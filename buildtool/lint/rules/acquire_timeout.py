"""In a project that also runs on hexagon-sim, HAP_compute_res_acquire has no timeout there.

The simulator has no timer of QuRT: with a timeout other than 0 the call never returns.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.c_code.expressions import bare, number
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "acquire-timeout",
    __doc__,
    source=("https://github.com/apache/tvm/pull/10713",),
    remedy="Pass 0 on the simulator.",
    condition="simulator-acquire-hangs",
    wrong="""\
/* Tests run on hexagon-sim. */
unsigned int acquire(compute_res_attr_t *attributes)
{
    return HAP_compute_res_acquire(attributes, 100000);
}
""",
    right="""\
/* Tests run on hexagon-sim. */
unsigned int acquire(compute_res_attr_t *attributes)
{
#ifdef ON_SIMULATOR
    return HAP_compute_res_acquire(attributes, 0);
#else
    return HAP_compute_res_acquire(attributes, 100000);
#endif
}
""",
)


def check(subject: Subject) -> Iterator[LintFinding]:
    for function, call in subject.calls("HAP_compute_res_acquire") if subject.simulator else ():
        timeout = number(bare(function.text(call.arguments[-1]))) if call.arguments else None
        conditions = [*function.code.guards_at(call.at)]
        for control in function.controls_of(call.at):
            conditions += function.text(control.condition)
        if timeout and not any("sim" in condition.lower() for condition in conditions):
            yield RULE.at(
                function.code.place(call.at),
                f"HAP_compute_res_acquire has a timeout of {timeout} µs",
                "the project names hexagon-sim, on which the call never returns with a timeout",
            )
