"""A build that is killed or interrupted at any moment leaves no process and no wrong output."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

from tests.caches import empty
from tests.conftest import LONG
from tests.integration.engine.clone import Clone
from tests.integration.engine.edits import Edit, edited
from tests.integration.engine.processes import end, left, start, wait_until_it_builds
from tests.integration.engine.scratch import Scratch
from tests.integration.engine.sources import FIRST, State

MOMENTS = 75 if LONG else 6
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGINT)
CHANGED = ("common/level.h", "host/table.txt", "host/config.h.in", "dsp/b/lib/CMakeLists.txt")


def other() -> State:
    state = FIRST
    for name in CHANGED:
        state = edited(state, Edit("number", name, 3))
    return state


def test_the_build_after_one_that_was_ended_is_right(tmp_path: Path, scratch: Scratch) -> None:
    moments = random.Random(0 if not LONG else None)
    clone = Clone(tmp_path / "a clone")
    clone.check_out(FIRST)
    clone.build_here()
    lasts = 2.0  # seconds, until builds have been measured
    cut = set()
    for turn in range(MOMENTS):
        state, number = (other(), FIRST)[turn % 2], SIGNALS[turn % 4]
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
        assert process.returncode in (0, -signal.SIGKILL, 128 + signal.SIGINT), output
        assert "Traceback" not in output
        if process.returncode:
            cut.add(number)
        clone.build_here()
        assert clone.outputs() == scratch.whole(state), f"{number.name} after {moment} s"
        lasts = (lasts + took) / 2 if not process.returncode else lasts
    assert cut == {*SIGNALS}
