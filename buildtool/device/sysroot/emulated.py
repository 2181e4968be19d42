"""The files of the emulated device that a sysroot is made of.

Its libraries are links to files of this machine, and its shell lies in the cache: both are shown
where a board would have them.
"""

from __future__ import annotations

from buildtool.device.emulated.device import CONFIGURATION, EmulatedDevice
from buildtool.device.sysroot.directory import Files

SHELL = "/usr/lib/rfsa/adsp/cdsp/fastrpc_shell_unsigned_3"


def files_of(device: EmulatedDevice) -> Files:
    """The files of `device` that a sysroot is made of."""
    configuration = device.root / CONFIGURATION
    libraries = sorted(device.root.glob("lib/*.so*"))
    return Files(
        source=f"sim ({device.soc.name})",
        files={
            **{f"/lib/{library.name}": library.resolve() for library in libraries},
            f"/{CONFIGURATION}": configuration,
            SHELL: device.emulator.shell,
        },
    )
