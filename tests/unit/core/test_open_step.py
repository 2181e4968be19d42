"""How a step has ended is told once, also when it does not end well."""

from __future__ import annotations

import pytest

from buildtool.core.events import Event, StepFinished, StepStarted, open_step


@pytest.mark.parametrize(
    ("error", "outcome"), [(None, "built"), (OSError, "failed"), (KeyboardInterrupt, "interrupted")]
)
def test_how_a_step_has_ended(error: type[BaseException] | None, outcome: str) -> None:
    events: list[Event] = []

    def work() -> None:
        with open_step("host/demo", "building", events.append) as step:
            if error:
                raise error
            step.outcome = "built"

    if error:
        with pytest.raises(error):
            work()
    else:
        work()

    started, finished = events
    assert started == StepStarted("host/demo", "building")
    assert isinstance(finished, StepFinished)
    assert (finished.name, finished.outcome) == ("host/demo", outcome)
