"""What stages tell the screen.  Stages emit events; only `buildtool.cli` draws them."""

from __future__ import annotations

from collections.abc import Callable

from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value


class BuildStarted(Value):
    """Steps follow, so many; `BuildFinished` ends them."""

    steps: int


class StepStarted(Value):
    """A step begins.  `name` is the step's name in the plan, `summary` says what it does."""

    name: str
    summary: str


class StepOutput(Value):
    """One line that the tool behind the running step printed."""

    name: str
    line: str


class StepFinished(Value):
    """A step ended, or was found to have nothing to do.

    `outcome` is `up-to-date`, `restored`, `configured`, `built` or `failed`; `seconds` is wall
    time.
    """

    name: str
    outcome: str
    seconds: float


class StepSkipped(Value):
    """A step was not started because another failed: `needed`, or "" when it needs none that did
    and the build did not go on."""

    name: str
    needed: str


class StepFailed(Value):
    """What went wrong in one of several steps that failed."""

    name: str
    error: BuildtoolError


class BuildFinished(Value):
    """All steps that were to run have ended, well or not."""


class Warned(Value):
    """The tools behind a step that succeeded had something to say: their text."""

    name: str
    text: str


class Note(Value):
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
