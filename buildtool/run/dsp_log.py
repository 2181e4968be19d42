"""Log messages of a device's DSP about a crash of a program's process there."""

from __future__ import annotations

import contextlib
import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from buildtool.core.escape import escape
from buildtool.deploy.site import Site
from buildtool.device.errors import DeviceError
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready
    from buildtool.run.on_device import RunResult

NAME_CHARACTERS = 15
"""Of a program's name that processes on the DSP have: that of the Linux kernel for its process."""
FIND = 'grep -F -- "$1" "$2"'
READ = 'tail -c "$1" "$2"'
MAX_BYTES = 1 << 18
"""Of a log, from its end, in which crashes are searched."""


def logged_crash(site: Site, run: str, program: str) -> str:
    """How the process of `program` on the DSP crashed in `run`, in a line; "" if its log, which is
    kept with `--farf`, does not say so or cannot be read.

    A line of it is: Process "/frpc/f05afd00 NAME" crashed in thread "worker" due to ….
    """
    mark = f' {posixpath.basename(program)[:NAME_CHARACTERS]}" crashed '
    log = f"{site.project}/logs/{run}/dsp.log"
    with contextlib.suppress(DeviceError):  # the program has ended well; the log is an extra
        found = site.device.exec(FIND, {}, [mark, log]).stdout.decode(errors="replace")
        if line := found.partition("\n")[0]:
            return f"the DSP process crashed: {escape(line.partition(mark)[2].strip())}"
    return ""


def explain_kept_log(project: Project, ready: Ready, result: RunResult) -> tuple[str, ...]:
    """The texts of `explain_logged_crashes` for the log that a run with `--farf` has kept."""
    log = f"{ready.site.project}/logs/{result.run}/dsp.log"
    try:
        read = ready.site.device.exec(READ, {}, [str(MAX_BYTES), log]).stdout
    except DeviceError:  # the program has ended; the explanation is an extra
        return ()
    return explain_logged_crashes(project, ready, result.command[0], {"dsp.log": read})


def explain_logged_crashes(
    project: Project, ready: Ready, program: str, logs: Mapping[str, bytes]
) -> tuple[str, ...]:
    """A text of some lines for each crash of the process of `program` on the DSP that one of the
    `logs` has, with the debug information of the release."""
    from buildtool.diagnose.explain_block import crash_text, explain_block  # noqa: PLC0415
    from buildtool.diagnose.host_calls import crashes_in_lines  # noqa: PLC0415

    process = posixpath.basename(program)[:NAME_CHARACTERS]
    debug = ready.release.debug
    directories = [debug / "dsp" / ready.deployment.arch, debug]
    return tuple(
        crash_text(explain_block(block, call, directories, project))
        for name, data in logs.items()
        for block, call in crashes_in_lines(name, data.decode(errors="replace").splitlines())
        if block.process in (process, "")
    )
