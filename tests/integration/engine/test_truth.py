"""After any edits and any damage, a build has the same outputs as one from scratch; a first look
never says that there is nothing to do if there is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from buildtool.cache.maintenance import clear
from buildtool.cache.store import Store
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import time_between_changes
from tests.caches import SLOW, share
from tests.conftest import LONG
from tests.integration.engine.clone import Clone, Outputs
from tests.integration.engine.edits import Act, Checkout, Do, Edit, Harm, edited, sequence
from tests.integration.engine.scratch import Scratch
from tests.integration.engine.sources import COMPONENTS, FIRST, State

FIRST_LOOK = """
import contextlib, pathlib, sys
from buildtool import first_look
from buildtool.cli import main
from buildtool.flow.preparation import known_release, made_release
from buildtool.project.read import find_project
first_look._SETTLED_NS = 0
project = find_project(pathlib.Path())
with contextlib.ExitStack() as stack:
    asked = project, project.header.default_target, lambda _: None, None, stack
    sys.exit({})
"""
SEQUENCES = 200 if LONG else 4


@dataclass
class Compared:
    """The outputs of a build (None: it failed) `after` some acts, and those from scratch."""

    after: tuple[str, ...]
    made: Mapping[str, Outputs] | None
    error: str
    truth: Mapping[str, Future[Outputs | None]]

    def check(self) -> None:
        truth = {component: future.result() for component, future in self.truth.items()}
        made = self.made if self.made is not None else truth if None in truth.values() else {}
        wrong = [component for component in COMPONENTS if made.get(component) != truth[component]]
        assert not wrong, "\n".join(
            (f"{wrong} not as from scratch, after", *self.after, self.error)
        )


@dataclass
class Story:
    """One clone, and the sequences of acts that are applied to it one after the other."""

    clone: Clone
    scratch: Scratch
    states: list[State] = field(default_factory=list)
    good: list[State] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)

    def go_on(self, begin: int, acts: Sequence[Act]) -> None:
        """Check out the buildable state number `begin`, do `acts`, build, and record the outputs
        for comparison."""
        self.history.append(f"state {begin}:")
        self.clone.check_out(self.good[begin % len(self.good)] if self.good else FIRST)
        for act in acts:
            self.history.append(self.happen(act))
        state = dict(self.clone.state)
        error = self.build()
        made = None if error else self.clone.outputs()
        truth = {component: self.scratch(state, component) for component in COMPONENTS}
        self.compared.append(Compared(tuple(self.history), made, str(error or ""), truth))
        if not error:
            self.good.append(state)
            assert self.build() is None
            assert set(self.clone.outcomes.values()) == {"up-to-date"}, "\n".join(self.history)
            self.record()

    def record(self) -> None:
        """Let first looks know a build with nothing to do, the second one of this user."""
        for _ in range(2):
            time_between_changes()
            recorded = "first_look.recorded(['build'], main)"
            done = self.first_look(f"{recorded} or made_release(*asked) is None")
            assert done.returncode == 0, done.stderr
        time_between_changes()

    def is_repeated(self) -> bool:
        """Whether the first look of a build or of a run says that there is nothing to do."""
        looks = "(known_release(*asked) is not None, first_look.repeat(['build']))"
        done = self.first_look(f"7 * any({looks})")
        assert done.returncode in (0, 7), done.stderr
        return done.returncode == 7

    def first_look(self, call: str) -> CompletedProcess[str]:
        """Call a function of `first_look` in a process that trusts files that have just changed."""
        return subprocess.run(
            [sys.executable, "-c", FIRST_LOOK.format(call), "build"],
            cwd=self.clone.root,
            env={**os.environ, **self.clone.environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def happen(self, act: Act) -> str:
        match act:
            case Edit():
                self.clone.check_out(edited(self.clone.state, act), act.manner)
            case Checkout():
                state = self.states[act.number % len(self.states)]
                self.clone.check_out(state, act.manner)
            case Harm():
                return f"{act}: {self.clone.harm(act)}"
            case Do("touch"):
                self.clone.touch()
            case Do("clear"):
                clear(Store(self.clone.cache / "actions"))
            case Do("clone"):
                self.clone.another()
            case Do("move"):
                self.clone.move()
            case Do("unpack"):
                self.clone.unpack()
            case Do("unpack cache"):
                self.clone.unpack_cache()
            case Do("build"):
                return f"{act}: {self.build() or self.clone.outcomes}"
        return str(act)

    def build(self) -> BuildtoolError | None:
        if self.clone.state not in self.states:
            self.states.append(dict(self.clone.state))
        repeated = self.is_repeated()
        try:
            self.clone.build_here()
        except BuildtoolError as error:
            assert not repeated, "\n".join(self.history)
            return error
        outcomes = set(self.clone.outcomes.values())
        assert not repeated or outcomes == {"up-to-date"}, "\n".join(self.history)
        return None


def test_random_acts_leave_a_build_that_makes_what_one_from_scratch_makes(
    tmp_path: Path, scratch: Scratch
) -> None:
    cache = share(tmp_path / "cache", (*SLOW, "emulator"))
    story = Story(Clone(tmp_path / "clones/first", cache), scratch)
    story.go_on(0, [])

    @settings(max_examples=SEQUENCES, phases=[Phase.generate])
    @given(st.integers(0, 1 << 64))  # a seed: lists from hypothesis are too similar
    def happen(seed: int) -> None:
        story.go_on(seed, sequence(seed))

    happen()
    for compared in story.compared:
        compared.check()
    assert sum(compared.made is not None for compared in story.compared) > SEQUENCES / 2
