"""The result of a build: what became of each step, and which files it ships."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from buildtool.core.value import Value
from buildtool.engine.reasons import Reason
from buildtool.engine.record import StepRecord
from buildtool.plan.plan import Plan, Step


class StepOutcome(StrEnum):
    """The outcome of a step."""

    UP_TO_DATE = "up-to-date"
    RESTORED = "restored"
    BUILT = "built"
    FAILED = "failed"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"  # Ctrl-C ended the build before it was done


class StepResult(Value):
    """The result of one step.

    `record` describes the step after the build, None when it failed or was skipped; `reasons` say
    why it was not up to date; `origin` is the cache that it was restored from (`local` or `remote`,
    "" for none); `seconds` is wall time, `error` the exception of a failed step.
    """

    step: Step
    outcome: StepOutcome
    record: StepRecord | None = None
    reasons: tuple[Reason, ...] = ()
    origin: str = ""
    seconds: float = 0.0
    error: Exception | None = None

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """The files that the step ships, by their path in its output directory."""
        if not self.record:
            return {}
        files = {output.path: self.step.output / output.path for output in self.record.outputs}
        return files | {name: Path(path) for name, path in self.record.runtime.items()}

    @property
    def digest(self) -> str:
        """The digest of the step's outputs; "" when it has none."""
        return self.record.digest if self.record else ""

    def as_json(self) -> dict[str, Any]:
        """The part of the result that is kept for `why --last`."""
        return {
            "name": self.step.name,
            "outcome": self.outcome,
            "origin": self.origin,
            "reasons": [reason.as_json() for reason in self.reasons],
        }


class BuildResult(Value):
    """The results of all steps of a plan, in the order of the plan."""

    plan: Plan
    steps: tuple[StepResult, ...]

    @property
    def errors(self) -> dict[str, Exception]:
        """The errors of failed steps, by step."""
        return {result.step.name: result.error for result in self.steps if result.error}
