"""What stages tell the screen.  Stages emit events; only `buildtool.cli` draws them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from buildtool.core.errors import BuildtoolError


@dataclass(frozen=True, slots=True)
class BuildStarted:
    """Steps follow, so many; `BuildFinished` ends them."""

    steps: int


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step begins.  `name` is the step's name in the plan, `summary` says what it does."""

    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class StepOutput:
    """One line that the tool behind the running step printed."""

    name: str
    line: str


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A step ended.  `outcome` is `up-to-date`, `restored`, `configured`, `built` or `failed`;
    `seconds` is wall time."""

    name: str
    outcome: str
    seconds: float


@dataclass(frozen=True, slots=True)
class StepSkipped:
    """A step was not started because another failed: `needed`, or "" when it needs none that did
    and the build did not go on."""

    name: str
    needed: str


@dataclass(frozen=True, slots=True)
class StepFailed:
    """What went wrong in one of several steps that failed."""

    name: str
    error: BuildtoolError


@dataclass(frozen=True, slots=True)
class BuildFinished:
    """All steps that were to run have ended, well or not."""


@dataclass(frozen=True, slots=True)
class Warned:
    """The tools behind a step that succeeded had something to say: their text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the user that belongs to no step."""

    text: str


Event = (
    BuildStarted
    | StepStarted
    | StepOutput
    | StepFinished
    | StepSkipped
    | StepFailed
    | BuildFinished
    | Warned
    | Note
)
Listener = Callable[[Event], None]
