"""What a screen shows for given events, with a simulated clock."""

from __future__ import annotations

import io

from buildtool.cli.screen import Screen
from buildtool.core.events import Event, Note
from tests.unit.cli.terminal import Terminal

LIVE = "\r\x1b[K"
TICK = Note("the screen's own clock ticks")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def drawn(*events: Event | float, quiet: bool = False, verbose: bool = False) -> str:
    """The output of the events to a file; a number stands for seconds that pass."""
    return _fed(io.StringIO(), events, quiet=quiet, verbose=verbose)


def live(
    *events: Event | float, columns: int = 80, quiet: bool = False, verbose: bool = False
) -> str:
    """The output of the events to a terminal."""
    return _fed(Terminal(), events, columns=columns, quiet=quiet, verbose=verbose)


def _fed(
    stream: io.StringIO,
    events: tuple[Event | float, ...],
    *,
    quiet: bool = False,
    verbose: bool = False,
    columns: int = 80,
) -> str:
    clock = Clock()
    screen = Screen(
        quiet=quiet, verbose=verbose, stream=stream, clock=clock, columns=lambda: columns, tick=0
    )
    for event in events:
        if isinstance(event, float):
            clock.now += event
        elif event is TICK:
            screen.tick()
        else:
            screen(event)
    return stream.getvalue()
