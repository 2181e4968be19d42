"""Runs one program of a test suite on a device, and records how that went."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from buildtool.core.elf_machine import EM_AARCH64, elf_header
from buildtool.core.files import write_if_changed
from buildtool.core.value import Value
from buildtool.deploy.device import Device
from buildtool.deploy.errors import DeviceConnectionError, DeviceError
from buildtool.deploy.run.program import RunRequest
from buildtool.deploy.run.run import Place, new_run, run
from buildtool.deploy.transports.transport import Transport
from buildtool.testing.launch_config import LaunchConfig, open_transport
from buildtool.testing.path_map import PathMap

TRIES = 4
"""How often a program is started whose connection is lost."""
PAUSE_SECONDS = 0.5  # before the second try; before later ones more
NOT_RUN = 125
# Variables of this machine: programs of a device have other ones.
_HOST_ONLY = ("PATH", "PWD", "OLDPWD", "SHLVL", "_", "LD_LIBRARY_PATH", "BUILDTOOL_LAUNCH")


class Record(Value):
    """How a program ended.

    `test` is the name of the test, `command` its command line on the device.  `end` is `exit`,
    `signal`, `lost` (the connection was lost in every try), `error` (it could not be started;
    `message` says why) or `started` for a program that has not ended, such as one that CTest
    killed.  `status` is its exit status or signal.  `lost` has a line for each lost connection.
    """

    test: str
    command: tuple[str, ...]
    started: float
    end: str = "started"
    status: int = 0
    message: str = ""
    lost: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()


def run_test(config: LaunchConfig, test: str, command: Sequence[str]) -> int:
    """Run `command` of this machine's build tree on the device; returns its exit status, 128+n for
    signal n, 125 if it could not run.

    What is not a program for ARM64 of the tree runs on this machine, and then this does not return.
    """
    paths = PathMap(config.paths)
    program = os.path.normpath(Path(command[0]).absolute())
    place = paths.path(program)
    if not place or not _is_for_arm64(Path(program)):
        os.execvp(command[0], list(command))
    if not Path(program).exists():
        _say(f"{program} has not been built: 'targets' in buildtool.toml may leave it out")
        return NOT_RUN
    if not config.transport:
        Path(config.wanted).touch()
        return NOT_RUN
    transport = open_transport(config.transport)
    # Where a device of this machine keeps what belongs to a run.
    device = Device(config.device, "", config.records, transport)
    where = Place(device, config.project, config.id, config.boot)
    there = PathMap({here: f"{where.directory}/{path}" for here, path in config.paths.items()})
    request = RunRequest(
        command=(place, *map(there.text, command[1:])),
        env=dict(_variables(config, there)),
        cwd=paths.path(str(Path.cwd())) or str(Path.cwd()),
        input=False,
    )
    outputs = [path for text in command[1:] for path in there.named_in(text)]
    outputs = [path for path in outputs if not Path(path).exists()]
    launched = _Launched(where, request, Record(test, request.command, time.time()))
    file = Path(config.records, f"{new_run()}.json")
    _write(file, launched.record)
    for record in launched.tries(transport):
        _write(file, record)
    if launched.record.end in ("exit", "signal"):
        fetched = [path for path in outputs if _fetch(device, there.path(path), Path(path))]
        if fetched:
            _write(file, launched.record._replace(fetched=tuple(fetched)))
    return launched.status


class _Launched:
    """A program that is started until a try ends with something other than a lost connection."""

    def __init__(self, place: Place, request: RunRequest, record: Record) -> None:
        self.place = place
        self.request = request
        self.record = record
        self.status = NOT_RUN

    def tries(self, transport: Transport) -> Iterator[Record]:
        """Run it; yields the record after each try."""
        for number in range(1, TRIES + 1):
            try:
                transport.connect()
                self._run_once()
            except DeviceConnectionError as error:
                why = f"{error.message}: {error.why}".replace("\n", " ")
                lost = (*self.record.lost, why)
                end = "lost" if number == TRIES else "started"
                self.record = self.record._replace(end=end, lost=lost, message=why)
                yield self.record
                if number < TRIES:
                    _say(f"the connection was lost, try {number + 1} of {TRIES} begins")
                    time.sleep(PAUSE_SECONDS * number)
                continue
            except DeviceError as error:
                self._fail(f"{error.message}: {error.why}")
            yield self.record
            return

    def _run_once(self) -> None:
        report = run(self.place, self.request, new_run())
        if report.word == "rebooted":
            # The directory of the deployment may have outlived the boot.
            lost = (*self.record.lost, "the device was started again")
            self.record = self.record._replace(lost=lost)
            self.place = self.place._replace(boot="")
            report = run(self.place, self.request, new_run())
        if report.word == "exit" and report.text.isdecimal():
            self.status = int(report.text)
            number = self.status - 128
            by_signal = 0 < number < signal.NSIG and number in _SIGNALS
            self.record = self.record._replace(
                end="signal" if by_signal else "exit",
                status=number if by_signal else self.status,
                message="",
            )
        elif report.word == "directory":
            self._fail(f"the working directory {report.text[-1000:]} is not on the device")
        elif report.word == "missing":
            self._fail(f"the deployment {self.place.id} is no longer on the device")
        else:
            self._fail(report.text[-1000:] or f"the device reported {report.word!r}")

    def _fail(self, message: str) -> None:
        self.record = self.record._replace(end="error", message=message)
        _say(message)


def _variables(config: LaunchConfig, there: PathMap) -> Iterator[tuple[str, str]]:
    """The variables that the test has in addition to those of CTest, with paths of the device."""
    for name, value in os.environ.items():
        if config.environment.get(name) != value and name not in _HOST_ONLY:
            yield name, there.text(value)


def _is_for_arm64(program: Path) -> bool:
    try:
        header = elf_header(program)
    except OSError:
        return True  # it is missing here: the device has what was built
    return header is not None and header[1] == EM_AARCH64


def _fetch(device: Device, path: str, target: Path) -> bool:
    """Fetch a file that the program has written; whether there is one."""
    with contextlib.suppress(DeviceError, OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        device.pull(path, target)
        return True
    return False


def _write(file: Path, record: Record) -> None:
    with contextlib.suppress(OSError):  # the test matters more
        write_if_changed(file, json.dumps(record._asdict()))


def _say(text: str) -> None:
    print(f"buildtool: {text}", file=sys.stderr, flush=True)  # noqa: T201 - CTest shows it


_SIGNALS = frozenset(signal.valid_signals())
