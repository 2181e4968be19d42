"""What a build would do now and why, or what the last one did: each step in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.value import Value
from buildtool.engine.context import Building
from buildtool.engine.decide import Judged, judge
from buildtool.engine.reasons import Reason
from buildtool.engine.result import BuiltStep
from buildtool.plan.plan import Plan

UP_TO_DATE, RESTORED, BUILT, WAITS = "up-to-date", "restored", "built", "waits"


class Explained(Value):
    """A step: its outcome, and why it is not up to date.

    `outcome` is `up-to-date`, `restored`, `built`, `failed`, `skipped` (another one failed), or
    `waits`: for what `origin` names, a step that has to be built first.  Of a restored one `origin`
    is `local` or `remote`.  `nearest` is what keeps it from being restored: what differs from the
    most similar of the `known` states that were built before.
    """

    step: str
    outcome: str
    reasons: tuple[Reason, ...] = ()
    origin: str = ""
    nearest: tuple[Reason, ...] = ()
    known: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.step,
            "outcome": self.outcome,
            "origin": None if self.outcome == WAITS else self.origin or None,
            "waits_for": self.origin if self.outcome == WAITS else None,
            "reasons": [reason.as_json() for reason in self.reasons],
            "nearest": [reason.as_json() for reason in self.nearest],
            "known": self.known,
        }


def explain(plan: Plan, building: Building) -> tuple[Explained, ...]:
    """What carrying `plan` out would do now; nothing is touched."""
    digests: dict[str, str] = {}
    rows = []
    for step in plan.steps:
        waits = [need for need, _ in step.needs if need not in digests]
        if waits:
            rows.append(Explained(step.name, WAITS, origin=waits[0]))
            continue
        judged = judge(step, building, {need: digests[need] for need, _ in step.needs})
        row, digest = _explain(judged, building)
        rows.append(row)
        if digest:
            digests[step.name] = digest
    return tuple(rows)


def _explain(judged: Judged, building: Building) -> tuple[Explained, str]:
    """The step, and the digest of its outputs if these are known without building."""
    name = judged.step.name
    if judged.record and not judged.reasons:
        return Explained(name, UP_TO_DATE), judged.record.digest
    lookup = building.caches.lookup
    if hit := lookup.find(judged.key, judged.roots, building.file_states):
        return Explained(name, RESTORED, judged.reasons, hit.origin), hit.action.digest
    known = lookup.known(judged.key)
    nearest = lookup.nearest(known, judged.roots, building.file_states)
    return Explained(name, BUILT, judged.reasons, "", nearest, len(known)), ""


def note_build(
    state: Path, target: str, steps: Iterable[BuiltStep], not_done: Iterable[Explained]
) -> None:
    """Keep what a build did, for who asks later."""
    rows = [Explained(s.step.name, s.outcome, s.reasons, s.origin) for s in steps]
    rows += not_done
    write_if_changed(_note(state, target), json.dumps([row.as_json() for row in rows]))


def last_build(state: Path, target: str) -> tuple[Explained, ...] | None:
    """What the last build of `target` did; None when none is known of."""
    try:
        return tuple(_read(row) for row in json.loads(read_regular(_note(state, target))))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _note(state: Path, target: str) -> Path:
    return state / "last" / f"{target}.json"


def _read(row: dict[str, Any]) -> Explained:
    found = tuple(
        Reason(*(str(reason[name]) for name in ("kind", "name", "old", "new")))
        for reason in row["reasons"]
    )
    return Explained(str(row["name"]), str(row["outcome"]), found, str(row["origin"] or ""))
