"""Records a profile of a run on the emulated device."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.held_temporary import held_temporary_directory
from buildtool.device.emulated.device import packet_plugin, plugin_option
from buildtool.diagnose.module_files import DebugFiles
from buildtool.run.profile.module_code import ModuleCode
from buildtool.run.profile.profile import Profile, make_profile
from buildtool.run.profile.recording import read_recording

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready

PREFIX = "buildtool-profile-"


class ProfiledRun:
    """The variables with which a program is profiled, and what was recorded."""

    def __init__(self, ready: Ready, file: Path) -> None:
        """Raises the errors of finding and running zig."""
        emulated = ready.site.device.emulated
        assert emulated, "only the emulated device records profiles"
        self._ready, self._file = ready, file
        self._shell = emulated.emulator.shell
        plugin, self._uncounted = packet_plugin(emulated)
        self.variables: Mapping[str, str] = {
            "BUILDTOOL_SIM_PROFILE": str(file),
            **({"BUILDTOOL_SIM_PLUGIN": plugin_option(plugin, file)} if plugin else {}),
        }

    def profile(self) -> Profile:
        """The profile, after all DSP processes have ended."""
        deployment, debug = self._ready.deployment, self._ready.release.debug
        code = {
            Path(file.path).name: ModuleCode(
                deployment.directory / file.path, debug / f"{file.path}.debug"
            )
            for file in deployment.files
            if file.path.startswith("dsp/") and ".so" in Path(file.path).name
        }
        recording = read_recording(self._file)
        return make_profile(
            recording, code, ModuleCode(self._shell), DebugFiles(debug), self._uncounted
        )


@contextlib.contextmanager
def profiled_run(ready: Ready) -> Iterator[ProfiledRun]:
    """What records a profile of the program that runs in the block."""
    with held_temporary_directory(PREFIX) as folder:
        file = folder / "profile"
        file.touch(mode=0o600)
        yield ProfiledRun(ready, file)
