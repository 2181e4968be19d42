"""`buildtool diverge`: the first call of the DSP whose results are not the recorded ones."""

from __future__ import annotations

import contextlib

from buildtool.core.events import Listener
from buildtool.engine.options import Options
from buildtool.flow.preparation import lock_of, release_on_device
from buildtool.project.model import Project
from buildtool.run.recorded.compare import compare
from buildtool.run.recorded.differences import Divergence
from buildtool.run.recorded.recording import Recording
from buildtool.run.recorded.repeat import Repeat, repeated


def diverge(
    project: Project,
    device_name: str,
    recorded: Recording,
    repeat: Repeat,
    *,
    listener: Listener,
    options: Options,
    revision: str = "",
    type_: str = "",
) -> Divergence:
    """Build, repeat the calls of `recorded` on a device with the project, or with that of a
    `revision`, and compare the results.  `type_` is that of numbers in octets and in memory."""
    with contextlib.ExitStack() as stack:
        found = project
        if revision:
            from buildtool.measure.revisions import checked_out

            found = stack.enter_context(checked_out(project, revision, listener))
        choice = repeat.choice
        ready = stack.enter_context(
            release_on_device(found, device_name, choice, listener, options)
        )
        purpose = f"recorded calls of {project.name}"
        lock = stack.enter_context(lock_of(ready.site.device, purpose, choice, listener))
        again = stack.enter_context(repeated(found, ready, recorded, repeat, lock))
        return compare(
            project,
            recorded,
            again,
            type_=type_,
            same_inputs=True,
            reference=bool(repeat.reference),
        )
