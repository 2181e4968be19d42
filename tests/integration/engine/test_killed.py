"""A build that is killed or interrupted at any moment leaves no process and no wrong output."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

from tests.caches import empty
from tests.conftest import LONG
from tests.integration.engine import sources
from tests.integration.engine.clone import Clone
from tests.integration.engine.edits import Edit, edited
from tests.integration.engine.processes import end, left, start, wait_until_it_builds
from tests.integration.engine.scratch import Scratch
from tests.integration.engine.sources import FIRST, State, alone

TURNS = range(75) if LONG else (0, 3)
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGINT)
CHANGED = ("common/level.h", "host/table.txt", "host/config.h.in", "dsp/b/lib/CMakeLists.txt")

COMPONENTS = sources.COMPONENTS if LONG else ("host",)
BASE = FIRST if LONG else alone(FIRST, "host")  # whose build runs the most programs


def other() -> State:
    state = BASE
    for name in CHANGED:
        state = edited(state, Edit("number", name, 3))
    return state


def test_the_build_after_one_that_was_ended_is_right(tmp_path: Path, scratch: Scratch) -> None:
    moments = random.Random(0 if not LONG else None)
    clone = Clone(tmp_path / "a clone")
    clone.check_out(BASE)
    clone.build_here()
    lasts = 2.0  # seconds, until builds have been measured
    cut = set()
    for turn in TURNS:
        state, number = (other(), BASE)[turn % 2], SIGNALS[turn % 4]
        empty(clone.cache)
        clone.check_out(state)
        begun = time.monotonic()
        process = start(clone.root)
        if number == signal.SIGINT:
            wait_until_it_builds(process)
        moment = moments.uniform(0, lasts) if number in cut else 0  # each signal ends one for sure
        time.sleep(moment)
        output = end(process, number)
        took = time.monotonic() - begun

        assert left(clone.root) == [], f"{number.name} after {moment} s"
        # `python -m` ends itself by SIGINT instead of with 130 if code that `exec` runs was
        # interrupted (CPython's unhandled_keyboard_interrupt): shells see the same.
        ended = (0, -signal.SIGKILL, -signal.SIGINT, 128 + signal.SIGINT)
        assert process.returncode in ended, output
        assert "Traceback" not in output
        if process.returncode:
            cut.add(number)
        clone.build_here()
        for name in COMPONENTS:
            made, right = clone.outputs()[name], scratch(state, name).result()
            assert made == right, f"{name}: {number.name} after {moment} s"
        lasts = (lasts + took) / 2 if not process.returncode else lasts
    assert cut == {*SIGNALS}
