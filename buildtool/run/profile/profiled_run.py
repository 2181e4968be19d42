"""Runs that are profiled: by the DSP of the emulated device, or by a profiler that the device has,
`simpleperf` or `perf`.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from buildtool.core.lock import held_temporary_directory
from buildtool.core.value import Value
from buildtool.device.emulated.device import packet_plugin, plugin_option
from buildtool.device.errors import DeviceError
from buildtool.diagnose.module_files import DebugFiles
from buildtool.run.profile.module_code import ModuleCode
from buildtool.run.profile.profile import UNKNOWN, FunctionProfile, Profile, Stack, make_profile
from buildtool.run.profile.recording import read_recording

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready
    from buildtool.run.on_device import RunResult

PREFIX = "buildtool-profile-"
FREQUENCY = "997"
"""Samples in a second of processor time."""
FIND = """
for tool in simpleperf perf /data/local/tmp/simpleperf; do
    command -v "$tool" && break
done
"""
# Profilers do not all end with the status of the program.
RUN = '"$@"; echo "$?" >"$0.status"'
READ = """
cat "$1.status" || exit
case $2 in
    */simpleperf) "$2" report-sample --show-callchain -i "$1" ;;
    *) "$2" script -i "$1" ;;
esac 2>/dev/null | head -c "$3"
rm -f -- "$1" "$1.status"
"""
MAX_BYTES = 64 << 20
"""Of the text of a profile."""
READ_SECONDS = 300.0
MAX_FRAMES = 200
_PERF_FRAME = re.compile(r"\s+([0-9a-f]{1,16}) (.{1,1000}?)(?: \(([^()]{1,1000})\))?$")


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


class Frame(Value):
    """A function, and the file with its code; `address` is that in the file, -1 if unknown."""

    name: str
    file: str
    address: int = -1


Frames = tuple[Frame, ...]
"""Of a sample: the innermost first."""


class HostProfiler:
    """The profiler of the device, for the run with this name; raises `DeviceError` without one."""

    def __init__(self, ready: Ready, run: str) -> None:
        self._ready = ready
        self._file = f"{ready.site.project}/logs/{run}.profile"
        device = ready.site.device
        self._tool = device.exec(FIND).stdout.decode(errors="replace").strip()
        if not self._tool.startswith("/"):
            raise DeviceError(
                f"{device.name} has no profiler: neither simpleperf nor perf",
                why="--profile uses that of the device for its ARM64 side",
                remedy="Install one: apt-get install linux-perf, on a phone push simpleperf of the"
                " NDK to /data/local/tmp; or profile the skels on the emulated device: sim"
                " --profile",
            )

    @property
    def words(self) -> tuple[str, ...]:
        """What starts the program."""
        is_simple = PurePosixPath(self._tool).name == "simpleperf"
        frequency = "-f" if is_simple else "-F"
        record = (self._tool, "record", "-g", frequency, FREQUENCY, "-o", self._file)
        return (*record, "sh", "-c", RUN, self._file)

    def profiled(self, result: RunResult) -> RunResult:
        """The result of the run with its profile, and with the exit status of the program."""
        read = self._ready.site.device.exec(
            READ, {}, [self._file, self._tool, str(MAX_BYTES)], timeout=READ_SECONDS
        )
        status, _, text = read.stdout.decode(errors="replace").partition("\n")
        name = PurePosixPath(self._tool).name
        if not (status.isascii() and status.isdecimal() and len(status) <= 3):
            raise DeviceError(
                f"{name} on {self._ready.site.device.name} did not start the program",
                why=f"its exit status is {result.status}",
                remedy="Run it there by hand; /proc/sys/kernel/perf_event_paranoid may forbid it.",
            )
        samples = simpleperf_samples(text) if name == "simpleperf" else perf_samples(text)
        release = self._ready.release
        code = {
            file.path.rpartition("/")[2]: ModuleCode(None, release.debug / f"{file.path}.debug")
            for file in release.files
            if file.path.startswith(("bin/", "lib/"))
        }
        return result._replace(status=int(status), profile=host_profile(samples, code, name))


def perf_samples(text: str) -> Iterator[Frames]:
    """The samples that `perf script` prints: a line, the frames below it, and an empty line."""
    frames: list[Frame] = []
    for line in text.split("\n"):
        if found := _PERF_FRAME.match(line[:4096]):
            name = re.sub(r"\+0x[0-9a-f]{1,16}$", "", found[2])
            frames.append(Frame(name, found[3] or ""))
        elif not line.strip() and frames:
            yield tuple(frames[:MAX_FRAMES])
            frames = []


def simpleperf_samples(text: str) -> Iterator[Frames]:
    """Those that `simpleperf report-sample --show-callchain` prints: blocks of `key: value`."""
    for block in re.split(r"^sample:", text, flags=re.MULTILINE)[1:]:
        frames = []
        words = {"vaddr_in_file": "", "file": ""}
        for line in block.split("\n"):
            key, _, value = line.strip().partition(": ")
            if key in words:
                words[key] = value
            elif key == "symbol":
                address = re.fullmatch(r"(?:0x)?([0-9a-f]{1,16})", words["vaddr_in_file"])
                frames.append(Frame(value, words["file"], int(address[1], 16) if address else -1))
        if frames:
            yield tuple(frames[:MAX_FRAMES])


def host_profile(samples: Iterator[Frames], code: Mapping[str, ModuleCode], tool: str) -> Profile:
    """The profile of these samples; `code` has names of functions that the device does not know."""
    stacks: Counter[Stack] = Counter()
    own: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for frames in samples:
        functions = [_function(frame, code) for frame in frames]
        stacks[tuple(name for _, name in reversed(functions))] += 1
        own[functions[0]] += 1
        total.update(set(functions))
    rows = (
        FunctionProfile(module, name, own[module, name], count)
        for (module, name), count in total.items()
    )
    return Profile(
        functions=tuple(sorted(rows, key=lambda row: (-row.self_samples, row.name))),
        stacks=stacks,
        samples=stacks.total(),
        outside=0,
        uncounted=f"{tool} samples the ARM64 side",
        packets={},
        at={},
        unsampled_threads=0,
        is_cut=False,
        code={},
        tool=tool,
    )


def _function(frame: Frame, code: Mapping[str, ModuleCode]) -> tuple[str, str]:
    module = frame.file.rpartition("/")[2].strip("[]") or UNKNOWN
    known = code[module].function_at(frame.address) if module in code else None
    name = frame.name.strip()
    unknown = not name or "unknown" in name or name.startswith(f"{module}[")
    return module, known.name if known and unknown else f"[{module}]" if unknown else name
