"""The result of a build: which files each step ships."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from buildtool.core.value import Value
from buildtool.engine.reasons import Reason
from buildtool.plan.plan import CMakeStep, Plan


class BuiltStep(Value):
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


class Built(Value):
    """All finished steps of a plan."""

    plan: Plan
    steps: tuple[BuiltStep, ...]
