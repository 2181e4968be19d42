"""The result of a build: which files each step ships."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from buildtool.build.plan import CMakeStep, Plan


@dataclass(frozen=True, slots=True)
class BuiltStep:
    """One finished step: its outcome (`up-to-date`, `built`), its time, and what it ships."""

    step: CMakeStep
    outcome: str
    seconds: float
    files: Mapping[str, Path]

    def as_json(self) -> dict[str, object]:
        return {
            **self.step.as_json(),
            "outcome": self.outcome,
            "seconds": round(self.seconds, 3),
            "outputs": [str(path) for path in self.files.values()],
        }


@dataclass(frozen=True, slots=True)
class Built:
    """All finished steps of a plan."""

    plan: Plan
    steps: tuple[BuiltStep, ...]

    def as_json(self) -> dict[str, object]:
        return {"target": self.plan.target, "steps": [step.as_json() for step in self.steps]}
