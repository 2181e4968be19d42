"""Log messages of a device's DSP about a crash of a program's process there."""

from __future__ import annotations

import contextlib
import posixpath

from buildtool.core.escape import escape
from buildtool.deploy.site import Site
from buildtool.device.errors import DeviceError

NAME_CHARACTERS = 15
"""Of a program's name that processes on the DSP have: that of the Linux kernel for its process."""
FIND = 'grep -F -- "$1" "$2"'


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
