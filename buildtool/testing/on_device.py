"""Runs the programs of a test suite on a device, and records how that went.

Which paths a program on the emulated device looks for in vain is known from QEMU's log.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.elf.file import EM_AARCH64, EM_HEXAGON, elf_header
from buildtool.core.processes.interrupts import signal_of
from buildtool.core.value import Value
from buildtool.deploy.contents import Deployment, Site
from buildtool.device.errors import DeviceConnectionError, DeviceError
from buildtool.run.method_counts import read_failed_calls, read_method_counts
from buildtool.run.program import RUNNER_PATH, RunRequest
from buildtool.run.run import Streams, start_on_device
from buildtool.run.session import new_run
from buildtool.testing.ctest.launch import ERROR, EXIT, HERE, SIGNAL, VARIABLE
from buildtool.testing.ctest.launch_server import Launch
from buildtool.testing.ctest.results import ProgramRecords
from buildtool.testing.ctest.tests import ListedTest
from buildtool.testing.deployment import PathMap
from buildtool.testing.program_servers import LOADER_SKEL, WARM_VARIABLE, ProgramServers
from buildtool.testing.session import TRIES, pause, retried

# Variables of this machine: programs of a device have other ones.
_HOST_ONLY = ("PATH", "PWD", "OLDPWD", "SHLVL", "_", "LD_LIBRARY_PATH", VARIABLE)

CRASHES = frozenset(
    signal.Signals[f"SIG{name}"]
    for name in ("ABRT", "BUS", "FPE", "ILL", "KILL", "SEGV", "SYS", "TERM", "TRAP")
)
"""The signals that statuses of 128+n stand for.  Programs do return statuses above 128, but seldom
one of these."""
MOST_SECONDS = 5.0
"""The time that a program has: programs open their files early."""
MOST_PATHS = 1000
# QEMU's lines such as `12 openat(AT_FDCWD,"data/a.txt",O_RDONLY) = -1 errno=2 (No such file …)`.
# Those of several threads may be in one.  Source: linux-user/strace.c.
_CALL = rb'(?:openat|newfstatat|faccessat2?|statx)\(AT_FDCWD,"([^"\n]+)"|chdir\("([^"\n]+)"\) = 0'


class TestPlace(Value):
    """Where the programs of a suite run, and how.

    `deployment` is that of the tests; without it nothing runs.  `paths` are directories of
    this machine, each with the one relative to the deployment that mirrors it; `environment` is
    that of CTest, from which the variables of a test are told; each program gets `variables` in
    addition.
    `tests` are the tests by name, those without a TIMEOUT have `timeout` seconds.
    """

    __test__ = False  # pytest collects classes of this name

    site: Site
    deployment: Deployment | None
    paths: Mapping[str, str]
    environment: Mapping[str, str]
    variables: Mapping[str, str]
    tests: Mapping[str, ListedTest]
    timeout: float


class LaunchedPrograms:
    """Runs programs of test launchers; several threads may share it."""

    def __init__(self, where: TestPlace, records: ProgramRecords) -> None:
        self.where = where
        self.records = records
        self.paths = PathMap(where.paths)
        self.wanted = False
        """Whether a program should run, and there is no device."""
        self.gone = False
        """Whether the device could not be reached in any try."""
        self.servers: ProgramServers | None = None
        if where.deployment and where.site.device.emulated:
            site, deployed = where.site, where.deployment

            release = site.release(deployed.id)
            env = {WARM_VARIABLE: f"{release}/dsp/{deployed.arch}/{LOADER_SKEL}"}

            def start(command: tuple[str, ...], streams: Streams) -> object:
                request = RunRequest(command, env)
                return start_on_device(site, deployed, request, new_run(), streams)

            self.servers = ProgramServers(Path(release), start)

    def close(self) -> None:
        """End what was started for programs; none may run."""
        if self.servers:
            self.servers.close()

    def run(self, launch: Launch) -> str:
        """Run a program; returns the answer to its test launcher.  What is not a program for ARM64
        of the build tree has to run on this machine."""
        program = Path(os.path.normpath(Path(launch.cwd, launch.command[0])))
        if not self.paths.path(str(program)) or not _may_be_for_device(program):
            return HERE
        if self.where.deployment:
            return _LaunchedProgram(self, self.where.deployment, launch, program).run()
        self.wanted = True
        return f"{ERROR} it has to run on a device"


class _LaunchedProgram:
    """A program that is started until a try ends with something other than a lost connection."""

    def __init__(
        self, programs: LaunchedPrograms, deployment: Deployment, launch: Launch, program: Path
    ) -> None:
        self.programs = programs
        self.site = programs.where.site
        self.deployment = deployment
        self.launch = launch
        self.program = program
        self.transport = self.site.device.transport
        self.records = programs.records
        self.number = self.records.add(launch.test)
        self.lost: tuple[str, ...] = ()
        paths = programs.where.paths
        # On this machine a script has its files where it put them.
        self.in_place = launch.by_script and self.transport.direct
        directory = self.site.release(deployment.id)
        mapped = {} if self.in_place else paths
        self.there = PathMap({here: f"{directory}/{path}" for here, path in mapped.items()})
        named = (path for text in launch.command[1:] for path in self.there.named_in(text))
        self.outputs = [Path(path) for path in named if not Path(path).exists()]
        arguments = (self.there.argument(text, launch.cwd) for text in launch.command[1:])
        command = [programs.paths.path(str(program)), *arguments]
        if _is_for_dsp(program):
            command = [RUNNER_PATH, f"{directory}/{command[0]}", *command[1:]]
        self.request = RunRequest(
            command=tuple(command),
            env={**self._variables(), **programs.where.variables},
            cwd=(not self.in_place and programs.paths.path(launch.cwd)) or launch.cwd,
            input=launch.by_script,
            stop=launch.launcher,
        )

    def run(self) -> str:
        """Run it; returns the answer to its test launcher."""
        if not self.program.exists():
            self._say(f"{self.program} is missing")
            return self._fail("its program was not built: 'targets' of the component leaves it out")
        try:
            tries = 1 if self.programs.gone else TRIES
            return retried(self._run_once, self._after_loss, tries)
        except DeviceConnectionError as error:
            self.programs.gone = True
            self._note(end="lost", message=_in_a_line(error))
            return f"{ERROR} {_in_a_line(error)}"
        except DeviceError as error:
            return self._fail(f"{error.message}: {error.why}")

    def _after_loss(self, error: DeviceConnectionError, tries: int) -> None:
        self._note_lost(_in_a_line(error))
        if tries < TRIES and not self.programs.gone:
            self._say(f"the connection was lost, try {tries + 1} of {TRIES} begins")
            pause(error, tries)

    def _run_once(self) -> str:
        self.transport.connect()
        started = time.monotonic()
        streams = Streams(self.launch.stdin, self.launch.stdout, self.launch.stderr)
        if servers := self.programs.servers:
            status = servers.run(self.request, streams)
            if status is not None:
                return self._ended(status, time.monotonic() - started)
        report = start_on_device(self.site, self.deployment, self.request, new_run(), streams)
        if report.word == "rebooted":  # the deployment may have outlived that
            self._note_lost("the device was started again")
            self.site = self.site._replace(boot="")
            report = start_on_device(self.site, self.deployment, self.request, new_run(), streams)
        if (status := report.status) is not None:
            return self._ended(status, time.monotonic() - started)
        if report.word == "directory":
            return self._fail(f"the working directory {report.text[-1000:]} is not on the device")
        if report.word == "missing":
            return self._fail(f"the deployment {self.deployment.id} is no longer on the device")
        return self._fail(report.text[-1000:] or f"the device reported {report.word!r}")

    def _ended(self, status: int, seconds: float) -> str:
        number = signal_of(status)
        answer = f"{SIGNAL} {number}" if number in CRASHES else f"{EXIT} {status}"
        if self.launch.launcher.has_stopped:  # CTest has ended the test launcher, and says why
            return answer
        end, value = ("signal", number) if number else ("exit", status)
        counts = self.records.files(self.number)[1]
        methods, failed = read_method_counts(counts), read_failed_calls(counts)
        self._note(end=end, status=value, seconds=seconds, methods=methods, failed=failed)
        self._note(fetched=tuple(str(path) for path in self.outputs if self._fetch(path)))
        if self.transport.direct and self._fails(status):
            left = self._timeout() - seconds
            missing = missing_paths(
                *(self.site, self.deployment, self.request, self.records.folder), seconds=left / 2
            )
            self._note(missing=missing)
        return answer

    def _fails(self, status: int) -> bool:
        """Whether a test with this exit status fails, as far as that is known here."""
        listed = self.programs.where.tests.get(self.launch.test)
        return bool(status and listed and not listed.will_fail and status != listed.skip_status)

    def _timeout(self) -> float:
        where = self.programs.where
        return where.tests[self.launch.test].timeout or where.timeout

    def _fail(self, message: str) -> str:
        self._note(end="error", message=message)
        return f"{ERROR} {message}"

    def _note(self, **changes: object) -> None:
        self.records.change(self.number, **changes)

    def _note_lost(self, why: str) -> None:
        self.lost = (*self.lost, why)
        self._note(lost=self.lost)

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):  # its reader has gone
            os.write(self.launch.stderr, f"buildtool: {text}\n".encode(errors="surrogateescape"))

    def _variables(self) -> dict[str, str]:
        """The variables that the test has in addition to those of CTest, with paths of the
        device."""
        usual = self.programs.where.environment
        found = {
            name: self.there.text(value)
            for name, value in self.launch.environment.items()
            if usual.get(name) != value and name not in _HOST_ONLY
        }
        if self.transport.direct:
            crashes, counts = map(str, self.records.files(self.number))
            found |= {"BUILDTOOL_SIM_CRASHES": crashes, "BUILDTOOL_SIM_COUNTS": counts}
        return found

    def _fetch(self, path: Path) -> bool:
        """Fetch a file that the program has written; whether there is one."""
        with contextlib.suppress(DeviceError, OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self.site.device.pull(self.there.path(str(path)), path)
            return True
        return False


def _in_a_line(error: DeviceConnectionError) -> str:
    return f"{error.message}: {error.why}".replace("\n", " ")


def _may_be_for_device(program: Path) -> bool:
    """Whether a file is a program for ARM64 or the DSP, or missing."""
    try:
        header = elf_header(program)
    except OSError:
        return True
    return header is not None and header[1] in (EM_AARCH64, EM_HEXAGON)


def _is_for_dsp(program: Path) -> bool:
    with contextlib.suppress(OSError):
        header = elf_header(program)
        return header is not None and header[1] == EM_HEXAGON
    return False


def missing_paths(
    site: Site, deployment: Deployment, request: RunRequest, folder: Path, seconds: float
) -> tuple[str, ...]:
    """The absolute paths that do not exist on the emulated device and that the program of
    `request` opens or asks about.

    For that the program runs once more, for at most `seconds`, and writes to /dev/null.
    """
    if seconds < 1:
        return ()
    with (
        tempfile.TemporaryDirectory(dir=folder) as name,
        open(os.devnull, "wb") as null,  # noqa: PTH123 - it has no other properties of a path
    ):
        logs = Path(name)
        variables = {
            "BUILDTOOL_SIM_CRASHES": str(logs / "crashes"),
            "QEMU_STRACE": "1",
            "QEMU_LOG_FILENAME": f"{logs}/%d.log",  # one for each process
        }
        again = request._replace(
            env={**request.env, **variables}, timeout=min(seconds, MOST_SECONDS)
        )
        with contextlib.suppress(DeviceError):  # it takes too long; what it has opened is known
            start_on_device(
                site, deployment, again, new_run(), Streams(None, null.fileno(), null.fileno())
            )
        start = posixpath.join(site.release(deployment.id), request.cwd)
        paths = (path for log in sorted(logs.glob("*.log")) for path in _paths(log, start))
        missing = (path for path in dict.fromkeys(paths) if not os.path.lexists(path))
        return tuple(path for path, _ in zip(missing, range(MOST_PATHS), strict=False))


def _paths(log: Path, directory: str) -> Iterator[str]:
    """The absolute paths in a log of QEMU of a process that starts in `directory`."""
    with log.open("rb") as stream:
        for line in stream:
            for opened, entered in re.findall(_CALL, line):
                path = os.path.normpath(posixpath.join(directory, os.fsdecode(opened or entered)))
                if entered:
                    directory = path
                else:
                    yield path
