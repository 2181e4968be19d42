"""Whether runs keep the limits of `[budget.NAME]`, and what has grown since which revision.

Each change of a limited number is a line in the history of the project, with the packets of each
function where they were counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.core.escape import escape_line
from buildtool.core.history import BUDGETS, RELEASES, append_history, read_history
from buildtool.core.value import Described, Value, computed
from buildtool.project.budgets import OF_SKELS, Budget
from buildtool.project.model import Project
from buildtool.release.document import project_revision
from buildtool.run.method_counts import QUEUES, MethodCounts

if TYPE_CHECKING:
    from buildtool.run.dsp_calls import DspCalls
    from buildtool.run.profile.profile import Profile

UNITS = {
    "packets": "packets",
    "calls": "calls",
    "bytes": "bytes sent",
    "stack": "bytes of stack",
    "vtcm": "bytes of VTCM",
    "code": "bytes of code",
    "data": "bytes of data",
}
STACK: Mapping[str, str] = {"BUILDTOOL_SIM_STACK": "1"}
"""The variable with which the emulated DSP measures stacks."""
NAMED = 3
"""Functions that are named."""
SHORT = 8
"""Characters of a revision."""
Uses = Mapping[str, Mapping[str, int]]
"""Numbers by the names that budgets can have for them, and by key; -1: it is not exact."""
Functions = Mapping[str, int]
"""Packets by function."""


class Grown(Described):
    """A function that executed more packets than before."""

    name: Annotated[str, "name of the function"]
    packets: Annotated[int, "packets that it executed"]
    before: Annotated[int, "those before; 0 for a new function"]


class BudgetVerdict(Described):
    """What a run needed of one limit."""

    budget: Annotated[str, "NAME of [budget.NAME]"]
    key: Annotated[str, "what is limited", tuple(UNITS)]
    limit: Annotated[int, "the limit"]
    value: Annotated[int | None, "what was needed; null: not measured, or not exactly"]
    why: Annotated[str, 'why it is not judged; "" if it is'] = ""
    exceeded: Annotated[bool, "whether that is more than the limit"] = computed(
        lambda self: self.value is not None and self.value > self.limit
    )
    last: Annotated[int | None, "the last other number, as far as is known"] = None
    until: Annotated[str, "revision of the sources that needed that"] = ""
    since: Annotated[str, "first revision that needed as much as now"] = ""
    grown: Annotated[
        tuple[Grown, ...], "for packets, the functions that executed more since then"
    ] = ()

    def lines(self) -> Iterator[str]:
        """What is said of a limit that is exceeded, or not judged."""
        unit = UNITS[self.key]
        if self.value is None:
            yield f"{self.budget}: the limit of {self.limit:,} {unit} is not judged: {self.why}"
            return
        more = self.value - self.limit
        yield f"{self.budget}: {self.value:,} {unit}, {more:,} more than its limit"
        if self.last is not None:
            yield f"  {self.last:,} until {self.until}, {self.value:,} since {self.since}"
        for row in self.grown[:NAMED]:
            yield f"  {row.name}: {row.packets:,} packets, {row.packets - row.before:,} more"
        if len(self.grown) > NAMED:
            yield f"  … and {len(self.grown) - NAMED} other functions"


def lines_of(verdicts: Sequence[BudgetVerdict], *, in_a_line: bool = False) -> Iterator[str]:
    """What is said of all limits of a run: those exceeded, those not judged, and how many are kept.
    For Markdown each is `in_a_line`."""
    for each in verdicts:
        if each.exceeded or each.value is None:
            first, *rest = each.lines()
            mark = "✗" if each.exceeded else "!"
            lines = [f"{mark} {first}", *rest]
            yield "; ".join(map(str.strip, lines)) if in_a_line else "\n".join(lines)
    kept = [each for each in verdicts if each.value is not None and not each.exceeded]
    if verdicts:
        closest = max(kept, key=lambda each: (each.value or 0) / max(each.limit, 1), default=None)
        yield f"budget: {len(kept)} of {len(verdicts)} limits are kept" + (
            f"; closest: {closest.value:,} of {closest.limit:,} {UNITS[closest.key]}"
            f" in {closest.budget}"
            if closest
            else ""
        )


class BudgetSubject(Value):
    """What was run or built: `what` names it in the history, `where` the device."""

    project: Project
    what: str
    where: str
    release: str
    emulated: bool = True


def uses_of(programs: Collection[str], methods: Iterable[MethodCounts]) -> Uses:
    """What one run of a test or bench with the names `programs` needed in all, and for each method:
    under the name of the method, and as PROGRAM/METHOD."""
    rows: dict[str, list[MethodCounts]] = {program: [] for program in programs}
    for method in methods:
        own = (method.name, *(f"{program}/{method.name}" for program in programs))
        for name in (*programs, *(own if method.name else ())):
            rows.setdefault(name, []).append(method)
    return {name: _sums(found) for name, found in rows.items()}


def uses_of_calls(programs: Collection[str], calls: DspCalls) -> Uses:
    """The same of what the library between program and libcdsprpc has counted on a device: calls,
    with those that open and close skels as on sim, and bytes."""
    own: dict[str, dict[str, int]] = {}
    for method in calls.methods:
        if method.name:
            row = own.setdefault(method.name, {"calls": 0, "bytes": 0})
            row["calls"] += method.calls
            row["bytes"] += method.bytes_in
    if calls.messages:
        own["callbacks of dspqueue"] = {"calls": calls.messages}
    made = sum(method.calls for method in calls.methods) + calls.opened + calls.closed
    sent = sum(method.bytes_in for method in calls.methods)
    found = {program: {"calls": made, "bytes": sent} for program in programs}
    found |= {f"{program}/{name}": row for program in programs for name, row in own.items()}
    return found | own


def _sums(methods: Sequence[MethodCounts]) -> dict[str, int]:
    calls = [one.calls for one in methods if one.method != QUEUES]
    exact = all(one.exact for one in methods)
    stack = max((one.stack for one in methods), default=0)
    return {
        "packets": sum(one.packets for one in methods) if exact else -1,
        "calls": sum(calls or [one.calls for one in methods]),
        "bytes": sum(one.bytes_in for one in methods),
        "vtcm": max((one.vtcm for one in methods), default=0),
        **({"stack": stack} if stack else {}),
    }


def judge(
    subject: BudgetSubject,
    programs: Collection[str],
    uses: Uses,
    profile: Callable[[], Functions] | None = None,
) -> tuple[BudgetVerdict, ...]:
    """The verdicts on all limits for `uses`, and for those of `programs` that it lacks.

    `profile` counts the packets of each function; it is called when a number has changed.
    """
    budgets = subject.project.budgets
    prefixes = tuple(f"{program}/" for program in programs)
    lacking = [name for name in budgets if name in programs or name.startswith(prefixes)]
    names = [name for name in budgets if name in uses or name in lacking]
    limits = [(name, *each) for name in names for each in _limits(budgets[name], programs)]
    if not limits:
        return ()
    values = {
        name: {key: number for _, key, _ in found if (number := uses[name].get(key, -1)) >= 0}
        for name in names
        if name in uses and (found := [each for each in limits if each[0] == name])
    }
    lines = _recorded(subject, values, profile if "packets" in str(values) else None)
    why = "the run has not called it" if uses else "no call of the DSP was measured"
    verdicts = (_verdict(limit, uses, lines, why) for limit in limits)
    return tuple(each if subject.emulated else _on_a_device(each, uses) for each in verdicts)


def _on_a_device(verdict: BudgetVerdict, uses: Uses) -> BudgetVerdict:
    """The verdict with the reason why it is not judged on a device, which counts calls only."""
    if verdict.value is not None:
        return verdict
    counted = verdict.key in ("calls", "bytes")
    if counted and not uses:
        return verdict._replace(why="it is measured on sim, and on a device with --expect-dsp")
    return (
        verdict
        if counted and verdict.budget not in uses
        else verdict._replace(why="it is measured on sim only")
    )


def _limits(budget: Budget, programs: Collection[str]) -> Iterator[tuple[str, int]]:
    for key, limit in budget.limits.items():
        if (key in OF_SKELS) != bool(programs):
            yield key, limit


def _verdict(
    limit: tuple[str, str, int], uses: Uses, lines: Sequence[Mapping[str, Any]], why: str
) -> BudgetVerdict:
    name, key, _ = limit
    value = uses.get(name, {}).get(key)
    if value is None:
        # Programs run again for that; a method that is called uses some.
        why = "the stack of this run was not measured" if name in uses else why
        return BudgetVerdict(*limit, None, why)
    if value < 0:
        return BudgetVerdict(*limit, None, "counts of this run are not exact")
    found = BudgetVerdict(*limit, value)
    known = [line for line in lines if isinstance(line["values"].get(name, {}).get(key), int)]
    others = [at for at, line in enumerate(known) if line["values"][name][key] != value]
    if not (found.exceeded and others and known[others[-1] + 1 :]):
        return found
    before, after = known[others[-1]], known[others[-1] + 1]
    grown = _grown(known[-1], before) if key == "packets" else ()
    last, until = before["values"][name][key], _revision(before)
    return found._replace(last=last, until=until, since=_revision(after), grown=grown)


def wants_stack(project: Project) -> bool:
    """Whether a budget limits stacks, which a run of its own measures: that takes packets."""
    return any(budget.stack for budget in project.budgets.values())


def with_stacks(
    methods: Iterable[MethodCounts], measured: Iterable[MethodCounts]
) -> Iterator[MethodCounts]:
    """`methods` with the stacks that they used in the run that has `measured` these; threads that
    have counted nothing else follow."""
    found = {(one.skel, one.method): one for one in measured}
    for method in methods:
        same = found.pop((method.skel, method.method), None)
        yield method._replace(stack=same.stack if same else 0)
    for one in found.values():
        none = dict.fromkeys(("calls", "packets", "instructions", "hvx", "waiting"), 0)
        yield one._replace(**none, bytes_in=0, bytes_out=0, bytes_copied=0)


def functions_of(profile: Profile | None) -> Functions:
    """The packets of each function; none if they were not counted."""
    found: Counter[str] = Counter()
    for row in profile.functions if profile else ():
        found[row.name] += row.packets or 0
    return {name: packets for name, packets in found.items() if packets}


def _grown(now: Mapping[str, Any], before: Mapping[str, Any]) -> tuple[Grown, ...]:
    if not (now["functions"] and before["functions"]):
        return ()
    rows = (
        Grown(escape_line(name), packets, before["functions"].get(name, 0))
        for name, packets in now["functions"].items()
    )
    more = (row for row in rows if row.packets > row.before)
    return tuple(sorted(more, key=lambda row: (row.before - row.packets, row.name)))


def _revision(line: Mapping[str, Any]) -> str:
    if not line["revision"]:
        return "sources without a revision"
    return f"{line['revision'][:SHORT]}{' with changes' if line['dirty'] else ''}"


def _recorded(
    subject: BudgetSubject,
    values: Mapping[str, Mapping[str, int]],
    profile: Callable[[], Functions] | None,
) -> list[Mapping[str, Any]]:
    """The lines of history about `subject`, the last one with `values`: it is added if these are
    new."""
    state = subject.project.state
    lines = [
        line
        for line in read_history(state, BUDGETS).lines
        if (line.get("what"), line.get("where")) == (subject.what, subject.where)
    ]
    if lines and lines[-1]["values"] == values:
        return lines
    revision, dirty = _source(subject)
    line = {
        "started": round(time.time(), 3),
        "what": subject.what,
        "where": subject.where,
        "release": subject.release,
        "revision": revision,
        "dirty": dirty,
        "values": values,
        "functions": profile() if profile else {},
    }
    append_history(state, BUDGETS, line)
    return [*lines, line]


def _source(subject: BudgetSubject) -> tuple[str | None, bool | None]:
    """The revision by which the release was made first, and whether files differed from it."""
    for line in read_history(subject.project.state, RELEASES).lines:
        if line.get("release") == subject.release:
            return line.get("revision"), line.get("dirty")
    return project_revision(subject.project.root)
