"""Runs one program of a test suite on a device, and records how that went."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.elf_machine import EM_AARCH64, elf_header
from buildtool.core.errors import NOT_RUN
from buildtool.core.signals import signal_of
from buildtool.deploy.device import Device
from buildtool.deploy.errors import DeviceConnectionError, DeviceError
from buildtool.deploy.run.program import RunRequest
from buildtool.deploy.run.run import Place, new_run, run
from buildtool.testing.launch import VARIABLE
from buildtool.testing.launch_config import GONE, WANTED, LaunchConfig, open_transport
from buildtool.testing.path_map import PathMap
from buildtool.testing.record import CRASHES, Record, new_record_file, write_record
from buildtool.testing.retry import PAUSE_SECONDS, TRIES

# Variables of this machine: programs of a device have other ones.
_HOST_ONLY = ("PATH", "PWD", "OLDPWD", "SHLVL", "_", "LD_LIBRARY_PATH", VARIABLE)


def run_test(config: LaunchConfig, test: str, command: Sequence[str]) -> int:
    """Run `command` of this machine's build tree on the device; returns its exit status, 128+n for
    signal n, `NOT_RUN` if it could not run.

    What is not a program for ARM64 of the tree runs on this machine, and then this does not return.
    """
    paths = PathMap(config.paths)
    program = Path(os.path.normpath(Path(command[0]).absolute()))
    place = paths.path(str(program))
    if not place or not _may_be_for_device(program):
        os.execvp(command[0], list(command))
    records = Path(config.records)
    if not config.transport:
        (records / WANTED).touch()
        return NOT_RUN
    return _Launched(config, paths, test, (place, *command[1:])).run(program)


class _Launched:
    """A program that is started until a try ends with something other than a lost connection."""

    def __init__(
        self, config: LaunchConfig, paths: PathMap, test: str, command: tuple[str, ...]
    ) -> None:
        self.transport = open_transport(config.transport)
        # Its directory is where a device of this machine keeps what belongs to a run.
        self.device = Device(config.device, "", config.records, self.transport)
        self.place = Place(self.device, config.project, config.id, config.boot)
        there = {here: f"{self.place.directory}/{path}" for here, path in config.paths.items()}
        self.there = PathMap(there)
        self.file = new_record_file(Path(config.records), test)
        self.gone = Path(config.records, GONE)
        named = (path for text in command[1:] for path in self.there.named_in(text))
        self.outputs = [Path(path) for path in named if not Path(path).exists()]
        program, *arguments = command
        self.request = RunRequest(
            command=(program, *map(self.there.text, arguments)),
            env={**self._variables(config), **config.variables},
            cwd=paths.path(str(Path.cwd())) or str(Path.cwd()),
            input=False,
        )
        self.record = Record(self.request.command)

    def run(self, program: Path) -> int:
        """Run it; returns its exit status, 128+n for signal n, `NOT_RUN` if it could not run."""
        self._note()
        if program.exists():
            status = self._tries()
        else:
            status = self._fail(
                f"{program} was not built: 'targets' of the component leaves it out"
            )
        if self.record.end in ("exit", "signal"):
            fetched = tuple(str(path) for path in self.outputs if self._fetch(path))
            self._note(fetched=fetched)
        return status

    def _tries(self) -> int:
        tries = 1 if self.gone.exists() else TRIES
        for number in range(1, tries + 1):
            try:
                self.transport.connect()
                return self._run_once()
            except DeviceConnectionError as error:
                why = f"{error.message}: {error.why}".replace("\n", " ")
                self._note(lost=(*self.record.lost, why))
            except DeviceError as error:
                return self._fail(f"{error.message}: {error.why}")
            if number < tries:
                _say(f"the connection was lost, try {number + 1} of {tries} begins")
                time.sleep(PAUSE_SECONDS * number)
        self.gone.touch()
        self._note(end="lost", message=why)
        return NOT_RUN

    def _run_once(self) -> int:
        report = run(self.place, self.request, new_run())
        if report.word == "rebooted":  # the deployment may have outlived that
            self._note(lost=(*self.record.lost, "the device was started again"))
            self.place = self.place._replace(boot="")
            report = run(self.place, self.request, new_run())
        if (status := report.status) is not None:
            number = signal_of(status)
            self._note(end="signal" if number else "exit", status=number or status)
            return status
        if report.word == "directory":
            return self._fail(f"the working directory {report.text[-1000:]} is not on the device")
        if report.word == "missing":
            return self._fail(f"the deployment {self.place.id} is no longer on the device")
        return self._fail(report.text[-1000:] or f"the device reported {report.word!r}")

    def _fail(self, message: str) -> int:
        self._note(end="error", message=message)
        _say(message)
        return NOT_RUN

    def _note(self, **changes: object) -> None:
        self.record = self.record._replace(**changes)
        write_record(self.file, self.record)

    def _variables(self, config: LaunchConfig) -> dict[str, str]:
        """The variables that the test has in addition to those of CTest, with paths of the
        device."""
        found = {
            name: self.there.text(value)
            for name, value in os.environ.items()
            if config.environment.get(name) != value and name not in _HOST_ONLY
        }
        if self.transport.direct:
            crashes = self.file.with_suffix(CRASHES)
            crashes.touch()
            found["BUILDTOOL_SIM_CRASHES"] = str(crashes)
        return found

    def _fetch(self, path: Path) -> bool:
        """Fetch a file that the program has written; whether there is one."""
        with contextlib.suppress(DeviceError, OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self.device.pull(self.there.path(str(path)), path)
            return True
        return False


def _may_be_for_device(program: Path) -> bool:
    """Whether a file is a program for ARM64, or missing."""
    try:
        header = elf_header(program)
    except OSError:
        return True
    return header is not None and header[1] == EM_AARCH64


def _say(text: str) -> None:
    print(f"buildtool: {text}", file=sys.stderr, flush=True)  # noqa: T201 - CTest shows it
