"""What stages tell the screen.  Stages emit events; only `buildtool.cli` draws them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


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
    """A step ended.  `outcome` is `up-to-date`, `configured`, `built` or `failed`; `seconds` is
    wall time."""

    name: str
    outcome: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Warned:
    """The tools behind a step that succeeded had something to say: their text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the user that belongs to no step."""

    text: str


Event = StepStarted | StepOutput | StepFinished | Warned | Note
Listener = Callable[[Event], None]
