"""`run --record-calls`: what a program asks of the DSP, with inputs and outputs, in a file.

The library that counts calls (`dsp_calls.py`) writes it on the device; its layout is that of
device/calls/recording.h.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from buildtool.core.errors import UsageError
from buildtool.core.events import Note
from buildtool.deploy.ready import CallRecording, Ready
from buildtool.device.errors import DeviceError
from buildtool.diagnose.method_names import SkelMethods
from buildtool.project.model import Project
from buildtool.project.runs import MESSAGES
from buildtool.release.slices import Release

VARIABLE = "BUILDTOOL_RECORD"
"""The variable with the path of the file on the device; others, that begin so, have the limits."""
DEFAULT_LIMIT = 2 << 30
FILL = "BUILDTOOL_SIM_FILL"
"""The variable with which the emulated device fills outputs before each call (shell.h): what a
method does not write is the same in each run, and known."""


def file_of_recording(project: str, run: str) -> str:
    """The path on the device of the recording of a run, in the directory `project`."""
    return f"{project}/logs/{run}.calls-recorded"


def variables(record: CallRecording, project: str, run: str) -> dict[str, str]:
    """The variables of the program that is recorded."""
    return {
        VARIABLE: file_of_recording(project, run),
        f"{VARIABLE}_LIMIT": str(record.limit or DEFAULT_LIMIT),
        f"{VARIABLE}_FIRST": str(record.first or ""),
        f"{VARIABLE}_METHODS": ",".join(record.methods),
        FILL: "1",
    }


def numbered(project: Project, release: Release, record: CallRecording) -> CallRecording:
    """`record` with the numbers of its methods, whose C names it has.  Raises `UsageError` for a
    name that no IDL file of the project has."""
    if not record.methods:
        return record
    numbers = _numbers(project, release)
    for name in record.methods:
        if name not in numbers:
            raise UsageError(
                f"--record-methods: there is no method {name!r}",
                why="no skel of the release has an IDL file with it",
                remedy=f"Take some of: {', '.join(sorted(numbers))}",
            )
    return record._replace(methods=tuple(numbers[name] for name in record.methods))


def _numbers(project: Project, release: Release) -> Mapping[str, str]:
    methods = SkelMethods(project)
    numbers = {MESSAGES: MESSAGES}
    skels = {PurePosixPath(file.path).name for file in release.files if file.path.endswith(".so")}
    for skel in sorted(skels):
        number = 0
        while names := methods(skel, number):
            numbers[names.name] = f"{skel}:{number}"
            number += 1
    return numbers


@contextlib.contextmanager
def recorded_calls(ready: Ready, record: CallRecording, run: str) -> Iterator[None]:
    """Run the program in the block; then its recording comes here, also when it did not end in time
    or was interrupted, and is removed from the device."""
    device, path = ready.site.device, file_of_recording(ready.site.project, run)
    try:
        yield
    finally:
        try:
            device.pull(path, record.file)
            device.exec('rm -f -- "$1"', arguments=[path])
        except DeviceError as error:
            ready.site.listener(Note(f"no calls were recorded: {error}"))
