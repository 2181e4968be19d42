"""`buildtool run --watch`: build, push and run, again after each change of an input."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from buildtool.cli.screen import Screen
from buildtool.cli.show import as_error, show_error
from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Event, Note, ProgramStarts, StepFinished
from buildtool.core.processes.interrupts import signals_as_interrupt
from buildtool.core.value import Value
from buildtool.deploy.ready import DeviceChoice, target_on
from buildtool.device.configuration import FILE_NAME, open_device, user_file
from buildtool.device.transports.transport import Transport
from buildtool.engine.options import Options
from buildtool.engine.result import StepOutcome
from buildtool.flow.devices import run_program
from buildtool.flow.preparation import with_choice
from buildtool.flow.targets import make_plan
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import Plan
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.read import find_project
from buildtool.run.program import RunRequest
from buildtool.watch.watch import Inputs, Read, Watch, places_of, project_inputs, target_inputs

if TYPE_CHECKING:
    from buildtool.run.session import WaitingSession

Paths = tuple[str, ...]
SHOWN = 3
"""Changed paths that a line names."""
READ_AFTER = 0.3
"""Seconds after the start of a program at which its inputs are read: both take processor time."""
MOST_REPEATS = 3
DONE = (StepOutcome.BUILT, StepOutcome.RESTORED)


class InputsChangedError(Exception):
    """An input changed before the program was started."""


class RepeatedRun(Value):
    """The arguments of `run_program` in each turn; `request_of` returns a project's program."""

    device: str
    request_of: Callable[[Project], RunRequest]
    choice: DeviceChoice
    options: Options | None


def run_watching(project: Project, run: RepeatedRun, screen: Screen) -> NoReturn:
    """Run a program until Ctrl-C, again after each change.

    Raises `KeyboardInterrupt`, and what is wrong with the command line.
    """
    run.request_of(project)
    target_on(project, run.device, run.choice)
    device = None if run.device == BUILT_IN_TARGET else open_device(run.device, project)
    with signals_as_interrupt(), Watch(lambda text: screen(Note(text))) as watch:
        loop = _Loop(project, run, screen, watch, device.transport if device else None)
        changed: Paths = ()
        while True:
            loop.turn(changed)
            changed = loop.wait()


class _Loop:
    """The turns, one after the other; while a program runs, this decides whether it has to end."""

    def __init__(
        self,
        project: Project,
        run: RepeatedRun,
        screen: Screen,
        watch: Watch,
        transport: Transport | None,
    ) -> None:
        self._transport = transport
        self._project, self._run, self._screen, self._watch = project, run, screen, watch
        self._inputs: Inputs | None = None  # of the last build, when they have been read
        self._project_inputs = self._read_project()
        self._reached = False  # whether the last turn has started a program
        self._is_new = self._failed = False
        self._repeats = 0
        self._changed: Paths = ()  # what the turn is for
        self._pending: Paths = ()  # what the next turn is for
        self._found = self._started = time.monotonic()
        self._done: list[str] = []
        self._timer = threading.Timer(READ_AFTER, watch.nudge)
        self._read_inputs()

    def turn(self, changed: Paths) -> None:
        """Build, push and run once, since these inputs have changed."""
        self._changed, self._pending, self._done = changed, (), []
        self._is_new, self._failed, self._started = True, False, self._found
        self._project_inputs = self._read_project()
        ended = ""
        try:
            self._project = find_project(self._project.root)
            request = self._run.request_of(self._project)._replace(stop=self, input=False)
            with self._session() as session:
                result = run_program(
                    self._project,
                    self._run.device,
                    request._replace(session=session),
                    choice=self._run.choice,
                    listener=self._listen,
                    options=self._run.options,
                )
        except InputsChangedError:
            return
        except (BuildtoolError, OSError) as error:
            self._failed, self._reached = True, False
            show_error(as_error(error), as_json=False)
        else:
            self._reached = True
            if not self._pending:
                status = f"exit status {result.status} after {result.seconds:.1f} s"
                crash = ", and the DSP process crashed" if result.dsp_crash else ""
                ended = f"{result.command[0]}: {status}{crash}"
        finally:
            self._timer.cancel()
        # Looks first: what changes after the message is then seen as one burst.
        self._pending = self._pending or self._look()
        waits = "" if self._pending else "waiting for changes"
        if text := "; ".join(filter(None, (ended, waits))):
            self._say(text)

    def wait(self) -> Paths:
        """Wait until inputs have changed; returns their paths."""
        while not (changed := self._pending or self._look()):
            self._watch.wait()
        return changed

    def fileno(self) -> int:
        """The descriptor of a `Stop`, which can be read when something may have changed."""
        return self._watch.fileno()

    def wanted(self) -> str:
        """The signal of a `Stop`: INT when inputs have changed since they were built."""
        self._pending = self._look()
        return "INT" if self._pending else ""

    def _look(self) -> Paths:
        """The inputs that have changed since the turn began.

        After a failure every file in the directories that are watched counts: the compiler may miss
        a file that no step has read before.  What changed during the turn may have been changed by
        the build itself: then at most `MOST_REPEATS` turns follow.
        """
        self._found = time.monotonic()
        paths = self._watch.changed()
        is_first, self._is_new = self._is_new, False
        if is_first:
            self._read_inputs()
        if self._failed or not self._inputs:
            left = tuple(path for path in paths if Path(path).exists())  # others were temporary
            changed, is_own = tuple(map(self._shown, left or paths)), is_first
        elif paths or is_first:
            states = FileStates(self._project.state / "state" / "digests")
            changed, is_own = self._inputs.changed(states), False
            if is_first and not changed:
                changed, is_own = self._inputs.late, True
        else:
            return ()
        self._repeats = self._repeats + 1 if changed and is_own else 0
        return changed if self._repeats <= MOST_REPEATS else ()

    @contextlib.contextmanager
    def _session(self) -> Iterator[WaitingSession | None]:
        """A session for the program while it is built, when the device was reached before."""
        if not self._transport or not self._reached:
            yield None
            return
        from buildtool.run.session import open_session

        with open_session(self._transport) as session:
            yield session

    def _read_project(self) -> Read:
        devices = (self._project.root / FILE_NAME, user_file())
        states = FileStates(self._project.state / "state" / "digests")
        return project_inputs(self._project, devices, states)

    def _read_inputs(self) -> None:
        """Read what the steps have read, and watch that; without a plan, as before."""
        with contextlib.suppress(BuildtoolError, OSError):
            plan = _plan(self._project, self._run)
            self._inputs = target_inputs(plan, self._project_inputs)
            self._watch.watch(places_of(plan, self._inputs))

    def _listen(self, event: Event) -> None:
        match event:
            case ProgramStarts():
                self._before_start()
            case StepFinished(name, outcome, seconds) if self._changed and outcome in DONE:
                self._done.append(f"{outcome} {name}")  # for one line before the start
                if not self._screen.verbose:
                    event = StepFinished(name, StepOutcome.UP_TO_DATE, seconds)
        self._screen(event)

    def _before_start(self) -> None:
        """Report the build.  Raises `InputsChangedError` when it is outdated."""
        if self._watch.is_ready() and (changed := self._look()):
            self._pending = changed
            raise InputsChangedError
        if self._changed:
            shown = ", ".join(self._changed[:SHOWN])
            more = len(self._changed) - SHOWN
            done = ", ".join(self._done) or "nothing to build"
            self._say(
                f"{shown}{f' and {more} more' if more > 0 else ''} changed: {done},"
                f" {time.monotonic() - self._started:.2f} s"
            )
        self._timer = threading.Timer(READ_AFTER, self._watch.nudge)  # `wanted` is called then
        self._timer.start()

    def _shown(self, path: str) -> str:
        return path.removeprefix(f"{self._project.root}/")

    def _say(self, text: str) -> None:
        self._screen(Note(text))


def _plan(project: Project, run: RepeatedRun) -> Plan:
    """The plan of what `run_program` builds."""
    choice = run.choice
    target = target_on(project, run.device, choice)
    return make_plan(with_choice(project, target, choice), target)
