"""Repeats recorded calls with a release on a device, and records them there."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Note
from buildtool.core.trees import make_directory
from buildtool.core.value import Value
from buildtool.deploy.ready import CallRecording, DeviceChoice, Ready, read_facts_of
from buildtool.device.sharing import DeviceLock
from buildtool.project.model import Project
from buildtool.release.slices import LIBRARIES
from buildtool.run.attended import ProgramRun, run_attended
from buildtool.run.dsp_calls import REPLAY_PROGRAM, REPLAYED, counted_release
from buildtool.run.program import NO_VARIABLES, RunRequest
from buildtool.run.recorded.recording import Recording
from buildtool.run.run import Streams

NO_LIMIT = 1 << 40
REFERENCE = "BUILDTOOL_DSP_REFERENCE"
"""The variable with the name of the library in place of the DSP (reference_calls.h)."""


class ReplayFailedError(BuildtoolError):
    """Recorded calls could not be repeated."""

    code = "replay-failed"


class Repeat(Value):
    """How calls are repeated: `chained` if later ones get what earlier ones made in memory that
    both sides see; `timeout` in seconds, 0 for none.  Methods are called on the DSP, or in the
    library `reference` of the release, which is for the ARM64 side and has the entry of the skel.
    """

    choice: DeviceChoice
    chained: bool = False
    timeout: float = 0
    reference: str = ""


@contextlib.contextmanager
def repeated(
    project: Project, ready: Ready, recorded: Recording, repeat: Repeat, lock: DeviceLock
) -> Iterator[Recording]:
    """For the block, the recording of the calls of `recorded`, repeated with the release of `ready`
    beside it on the device.  Raises `ReplayFailedError`, `RunTimeoutError`, `DeviceError` and the
    errors of running zig."""
    device, release, listener = ready.site.device, ready.release, ready.site.listener
    platform = project.targets[release.target].platform
    reference = f"{LIBRARIES}/{repeat.reference}"
    if repeat.reference and all(file.path != reference for file in release.files):
        shipped = [file.path for file in release.files if file.path.startswith(f"{LIBRARIES}/")]
        raise UsageError(
            f"--reference: the release has no {reference}",
            why=f"it has {', '.join(shipped) or f'nothing in {LIBRARIES}/'}",
            remedy="Name a library that a component of the ARM64 side installs there.",
        )
    folder = project.state / "recordings"
    make_directory(folder)
    with contextlib.ExitStack() as stack:
        file = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder))) / "again.calls"
        extended = stack.enter_context(
            counted_release(
                *(release, platform, read_facts_of(device), project.state),
                option="",
                replayed=recorded.path.absolute(),
            )
        )
        beside = Ready(project, device, extended, listener, force=repeat.choice.force)
        beside.go_beside("counted")
        request = RunRequest(
            command=(REPLAY_PROGRAM, REPLAYED, *(("--chained",) if repeat.chained else ())),
            env={REFERENCE: repeat.reference} if repeat.reference else NO_VARIABLES,
            timeout=repeat.timeout,
            input=False,
            dsp_may_crash=True,
            record=CallRecording(file, limit=NO_LIMIT),
        )
        streams = Streams(stdout=sys.stderr.fileno())
        run = ProgramRun(project, beside, request, listener, repeat.choice, lock, streams)
        result = run_attended(run)
        again = Recording(file) if file.is_file() else None
        if again is None or result.status:
            done = f"{len(again.asked) if again else 0} of {len(recorded.asked)} calls"
            why = f"replay-calls ended with {result.status} after {done}"
            if again is None or not again.asked:
                raise ReplayFailedError(
                    f"the calls of {recorded.path} could not be repeated on {device.name}",
                    why=f"{why}{f': {result.dsp_crash}' if result.dsp_crash else ''}",
                    remedy="See what it has printed above.",
                )
            listener(Note(why))
        yield again
