"""The result of a build: which files each step ships."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from buildtool.build.plan import CMakeStep, Plan
from buildtool.build.reasons import Reason


class BuiltStep(NamedTuple):
    """One finished step: its outcome (`up-to-date`, `restored`, `built`), its time in seconds, and
    what it ships.

    `files` are by their path in the output directory, `digest` is that of all of them together;
    `reasons` say why it was not up to date, `origin` which cache it was restored from.
    """

    step: CMakeStep
    outcome: str
    seconds: float
    files: Mapping[str, Path]
    digest: str = ""
    reasons: tuple[Reason, ...] = ()
    origin: str = ""

    def as_json(self) -> dict[str, object]:
        return {
            **self.step.as_json(),
            "outcome": self.outcome,
            "origin": self.origin,
            "seconds": round(self.seconds, 3),
            "outputs": [str(path) for path in self.files.values()],
        }


class Built(NamedTuple):
    """All finished steps of a plan."""

    plan: Plan
    steps: tuple[BuiltStep, ...]

    def as_json(self) -> dict[str, object]:
        return {"target": self.plan.target, "steps": [step.as_json() for step in self.steps]}
