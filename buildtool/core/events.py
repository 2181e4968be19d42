"""What stages tell the screen.  Stages emit events; only `buildtool.cli` draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from buildtool.core.errors import BuildtoolError


class BuildStarted(NamedTuple):
    """Steps follow, so many; `BuildFinished` ends them."""

    steps: int


class StepStarted(NamedTuple):
    """A step begins.  `name` is the step's name in the plan, `summary` says what it does."""

    name: str
    summary: str


class StepOutput(NamedTuple):
    """One line that the tool behind the running step printed."""

    name: str
    line: str


class StepFinished(NamedTuple):
    """A step ended, or was found to have nothing to do.

    `outcome` is `up-to-date`, `restored`, `configured`, `built` or `failed`; `seconds` is wall
    time.
    """

    name: str
    outcome: str
    seconds: float


class StepSkipped(NamedTuple):
    """A step was not started because another failed: `needed`, or "" when it needs none that did
    and the build did not go on."""

    name: str
    needed: str


class StepFailed(NamedTuple):
    """What went wrong in one of several steps that failed."""

    name: str
    error: BuildtoolError


class BuildFinished(NamedTuple):
    """All steps that were to run have ended, well or not."""


class Warned(NamedTuple):
    """The tools behind a step that succeeded had something to say: their text."""

    name: str
    text: str


class Note(NamedTuple):
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
