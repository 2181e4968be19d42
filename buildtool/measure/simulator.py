"""Samples of a bench of a program for the DSP in `hexagon-sim`, which counts cycles.

`dsp/simulator/main.c` says what the program's output looks like in that of the simulator.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool import _data
from buildtool.core.errors import UsageError
from buildtool.core.processes.process import ToolError, capture, check
from buildtool.deploy.contents import deployment
from buildtool.device.errors import DeviceError
from buildtool.measure.sample import Sampler
from buildtool.project.benches import Metric
from buildtool.project.model import Project
from buildtool.release.slices import Release
from buildtool.run.program import RunRequest, variables
from buildtool.sdk.hexagon_simulator import HEXAGON_SIM, HexagonSimulator
from buildtool.testing.session import Ran

MAIN, ALL = "simulated cycles", "all simulated cycles"
LIBRARY = "libbuildtool_simulator.so"
# Source: how the SDK links libraries for run_main_on_hexagon, which public scripts quote.
LINK = ("-shared", "-Wl,-Bsymbolic")
PREFIX = "dsp/"
_WRITTEN = re.compile(r"buildtool ([12])([|.])(.*)", re.DOTALL)
_END = re.compile(r"buildtool end (-?\d{1,10}) (\d{1,20})", re.ASCII)
# What hexagon-sim prints last.  Source: logs in public repositories, such as those in ELD's "Linker
# Plugin Examples" (v68) and of a tutorial's programs (v60).
_TOTAL = re.compile(r"^\s*Total: Insns=\d+ Pcycles=(\d{1,20})", re.ASCII | re.MULTILINE)
SHOWN_LINES = 5


class SimulatorSampler(Sampler):
    """Takes samples of the bench `name` of `project` with the programs for the DSP in `release`."""

    def __init__(
        self,
        project: Project,
        name: str,
        simulator: HexagonSimulator,
        release: Release,
        folder: Path,
    ) -> None:
        """Programs run in a directory of `folder`.  Raises `UsageError` and `ToolError`."""
        self.bench = project.benches[name]
        self.parameters = variables(self.bench.parameters)
        self.metrics = {MAIN: Metric(unit="cycles"), ALL: Metric(unit="cycles")}
        self.metrics |= {
            metric: project.metrics[metric]
            for metric in self.bench.metrics
            if project.metrics[metric].exact
        }
        self._project = project
        self._simulator = simulator
        self._built = release
        self._library = folder / LIBRARY
        self._folder = folder / "release"
        self._fetched = folder / "output"
        source, made = _data.path("dsp"), folder / "main.o"
        compiler = (simulator.compiler, f"-m{simulator.arch}", "-G0", "-fpic")
        includes = (f"-I{source / 'program'}", "-O2", "-c", source / "simulator" / "main.c")
        for words in ((*includes, "-o", made), (*LINK, made, "-o", self._library)):
            done = capture((*compiler, *words), env=os.environ)
            check(done, "compiling the library that starts programs")

    @property
    def place(self) -> Mapping[str, Any]:
        release, arch = self._built, self._simulator.arch
        return {
            "device": HEXAGON_SIM,
            "target": release.target,
            "release": release.id,
            "deployment": deployment(release, arch).id,
            "arch": arch,
            "soc": "",
        }

    @property
    def device(self) -> None:
        return None

    def _run(self, request: RunRequest, *, afresh: bool = False) -> tuple[Ran, Mapping[str, float]]:
        program, *arguments = request.command
        assignments = [f"{key}={value}" for key, value in request.env.items()]
        file = f"{program.removeprefix(PREFIX).removesuffix('.so')}.so"
        words = [LIBRARY, *assignments, file, *arguments]
        if not program.startswith(PREFIX) or any(re.search(r"\s|^$", word) for word in words):
            raise UsageError(
                f"{HEXAGON_SIM} cannot run {shlex.join([*assignments, *request.command])}",
                why="it runs programs of [dsp.NAME] alone, with words that are not empty and have"
                " no spaces",
                remedy='Measure a program = "dsp/NAME", or measure on sim or on a device.',
            )
        programs = self._built.directory / PREFIX / self._simulator.arch
        if not (programs / file).is_file():
            raise DeviceError(
                f"the release has no {file} for {self._simulator.arch}",
                remedy="Correct the program of the bench, or let CMake build it.",
            )
        if afresh:
            shutil.rmtree(self._folder, ignore_errors=True)
            shutil.copytree(programs, self._folder)
            shutil.copy(self._library, self._folder)
            (self._folder / request.cwd).mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        # Files are read from the directory of --usefs, but written into the working directory, as
        # the authors of a public runner for SDK 6 found.
        command = self._simulator.command(self._folder, words)
        try:
            done = capture(
                command, env=os.environ, cwd=self._folder / request.cwd, timeout=request.timeout
            )
        except ToolError:
            return Ran(None, None, "", "", time.monotonic() - started), {}
        return _read(done.output, done.status, time.monotonic() - started)

    def _release(self) -> str:
        return str(self._folder)

    def _fetch_output(self) -> None:
        try:
            shutil.copy(self._output(), self._fetched)
        except OSError as error:
            raise DeviceError(str(error), why=str(error.strerror)) from error


def _read(output: str, status: int, seconds: float) -> tuple[Ran, Mapping[str, float]]:
    """What the program did, and its cycles.  Raises `DeviceError` if it was not even started."""
    head, begun, rest = f"\n{output}\n".partition("\nbuildtool begin\n")
    if not begun:
        lines = head.strip().splitlines()[-SHOWN_LINES:]
        raise DeviceError(
            f"{HEXAGON_SIM} did not start the program: its exit status is {status}",
            why="\n".join(lines) or "it printed nothing",
            remedy="Start a program of the SDK's examples in it.  If a library such as"
            " libncurses.so.5 is missing, install that.",
        )
    streams = {"1": "", "2": ""}
    ended, total = None, _TOTAL.search(rest)
    for line in rest.split("\n"):
        if ended := _END.fullmatch(line):
            break
        written = _WRITTEN.fullmatch(line)
        stream, end, text = written.groups() if written else ("1", "|", line)
        streams[stream] += text + ("\n" if end == "|" else "")
    if not ended or not total:
        what = "main did not return" if not ended else "the simulator printed no cycles"
        last = next(filter(None, reversed([line.strip() for line in rest.splitlines()])), "")
        crash = f"{what}: {last!r}"
        return Ran(1, None, streams["1"], streams["2"], seconds, dsp_crash=crash), {}
    returned = int(ended[1]) or status
    cycles = {MAIN: float(ended[2]), ALL: float(total[1])}
    return Ran(returned, None, streams["1"], streams["2"], seconds), cycles
