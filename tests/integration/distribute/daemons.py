"""Real daemons of distcc and icecc on the hosts of a test's network, and what they count."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from .hosts import Namespace, Network

_PATH = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
_LOG = "/tmp/daemon.log"


class Farm(Network):
    """Hosts that compile for the client; `variables` are those that builds on the client need.

    Each host has `jobs` jobs, and with `cores` runs on one core of this machine.
    """

    launcher: str
    variables: dict[str, str]

    def __init__(self, directory: Path, count: int = 3, *, cores: Sequence[int] = ()) -> None:
        super().__init__(directory, count)
        self.directory = directory
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._others: list[subprocess.Popen[bytes]] = []
        self._cores = dict(zip(self.hosts, cores, strict=False))

    def start(self) -> None:
        """Start the daemon of each host."""
        for address in self.hosts:
            self.start_daemon(address)

    def serve(self, archives: Sequence[Path], *, wait: bool = True) -> None:
        """Install what `profile --distribute` wrote, as it says, and start the daemons."""
        self.install(archives)
        self.start()
        if wait:
            self.wait()

    def install(self, archives: Sequence[Path]) -> None:
        """Install archives on all hosts."""

    def wait(self) -> None:
        """Wait until builds can use all hosts."""

    def start_daemon(self, address: str) -> None:
        raise NotImplementedError

    def compiled(self) -> dict[str, int]:
        """The compilations of each host that succeeded, as its daemon has logged them."""
        return {address: self.compiled_by(address) for address in self.hosts}

    def compiled_by(self, address: str) -> int:
        said = self.hosts[address].run("grep", "-cE", self.logged, _LOG, check=False)
        return int(said) if said.strip().isdigit() else 0

    logged: str

    def log(self, address: str) -> str:
        return self.hosts[address].run("cat", _LOG, check=False)

    def kill(self, address: str) -> None:
        """End a host with all of its processes, and its network."""
        self.hosts[address].stop()

    @contextmanager
    def killing(self, address: str, after: int) -> Iterator[dict[str, int]]:
        """Kill a host, if one is named, after `after` compilations on it in the block.

        The mapping has the compilations of the killed host afterwards.
        """
        counts: dict[str, int] = {}
        if not address:
            yield counts
            return
        ended = Event()

        def watch() -> None:
            while not ended.wait(0.1):
                if (count := self.compiled_by(address)) >= after:
                    counts[address] = count
                    self.kill(address)
                    return

        watcher = Thread(target=watch)
        watcher.start()
        try:
            yield counts
        finally:
            ended.set()
            watcher.join()
        assert counts, "the host was not killed"

    def lie(self, address: str) -> None:
        """Let the host answer with objects of another compiler: Debian's clang, for ARM64."""
        script = """
            echo "int lie;" | clang --target=aarch64-linux-gnu -c -x c - -o /tmp/lie.o
            for program in $1; do
                root=${program%/usr/bin/*}
                cp /tmp/lie.o "$root/lie.o"
                printf '%s\n' '#!/bin/sh' 'output=$(printf "%s\n" "$@" | sed -n "/^-o$/{n;p;}")' \
                    'cat >/tmp/read' 'cat /lie.o >"$output"' >"$program"
            done
        """
        self.hosts[address].run("sh", "-ec", script, "sh", self.programs)

    programs: str

    def prefix(self) -> list[str]:
        """The command that runs the arguments after it on the client, in its working directory."""
        return ["nsenter", "--target", str(self.client.pid), "--net"]

    def _spawn(self, host: Namespace, *argv: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(host.command(*argv), env=_PATH, stderr=subprocess.DEVNULL)

    def _pinned(self, address: str, argv: Sequence[str]) -> list[str]:
        core = self._cores.get(address)
        return [*(["taskset", "-c", str(core)] if core is not None else []), *argv]

    def __exit__(self, *ignored: object) -> None:
        super().__exit__(*ignored)
        for process in (*self.daemons.values(), *self._others):
            process.kill()
            process.wait()


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"{what} does not start"
        time.sleep(0.05)


class Distcc(Farm):
    """Hosts with distccd, on which archives have to be installed."""

    launcher = "distcc"
    logged = r"COMPILE_OK exit:0 .* ret:0 "
    programs = "/usr/bin/buildtool-*-g*"

    def start(self) -> None:
        super().start()
        settings = self.directory / "distcc"
        settings.mkdir()
        jobs = 1 if self._cores else 2
        self.variables = {
            "DISTCC_HOSTS": " ".join(f"{address}/{jobs}" for address in self.hosts),
            "DISTCC_DIR": str(settings),
        }

    def start_daemon(self, address: str) -> None:
        jobs = "1" if self._cores else "2"
        command = ["distccd", "--daemon", "--no-detach", "--user", "distccd", "--jobs", jobs]
        command += [
            "--listen",
            address,
            "--allow",
            "10.9.0.0/24",
            "--log-file",
            _LOG,
            "--log-level",
            "info",
        ]
        host = self.hosts[address]
        self.daemons[address] = self._spawn(host, *self._pinned(address, command))
        wait_until(lambda: "preforking daemon started" in self.log(address), "distccd")

    def install(self, archives: Sequence[Path]) -> None:
        for host in self.hosts.values():
            for path in archives:
                with path.open("rb") as file:
                    command = host.command("tar", "-C", "/", "-xzf", "-")
                    subprocess.run(command, stdin=file, check=True)


class Icecc(Farm):
    """A scheduler and a daemon that compiles nothing on the client, and hosts with iceccd."""

    launcher = "icecc"
    logged = r"Remote compilation completed with exit code 0$"
    programs = "/var/cache/icecc/*/*/usr/bin/g[c+]*"

    def start(self) -> None:
        # It runs as another user, and tests' directories belong to this one.
        own = self.client.run("mktemp", "-d", "/tmp/icecc.XXXXXX").strip()
        self._own = Path(own)
        shutil.chown(own, "icecc")
        self.scheduler_log = self._own / "scheduler.log"
        log = ("-vvv", "--log-file", str(self.scheduler_log))
        command = ("icecc-scheduler", "--netname", "test", "--user-uid", "icecc", *log)
        self._others.append(self._spawn(self.client, *command))
        wait_until(lambda: "scheduler ready" in self._scheduled(), "the scheduler")
        self.variables = {"ICECC_TEST_SOCKET": f"{own}/socket"}
        daemon = ["env", f"ICECC_TEST_SOCKET={own}/socket", *self._daemon("client", 0)]
        daemon += ["--no-remote", "-b", f"{own}/environments", "-l", f"{own}/daemon.log"]
        self._others.append(self._spawn(self.client, *daemon))
        super().start()

    def wait(self) -> None:
        names = ("client", *self.hosts)
        wait_until(lambda: all(f"login {name} " in self._scheduled() for name in names), "iceccd")

    def _scheduled(self) -> str:
        return self.scheduler_log.read_text() if self.scheduler_log.exists() else ""

    @staticmethod
    def _daemon(name: str, jobs: int) -> list[str]:
        command = ["iceccd", "-n", "test", "-s", "10.9.0.1", "-N", name, "-m", str(jobs)]
        return [*command, "-u", "icecc", "-vvv", "--cache-limit", "2000"]

    def start_daemon(self, address: str) -> None:
        command = self._daemon(address, 1 if self._cores else 2)
        command += ["-b", "/var/cache/icecc", "-l", _LOG]
        host = self.hosts[address]
        self.daemons[address] = self._spawn(host, *self._pinned(address, command))

    def __exit__(self, *ignored: object) -> None:
        super().__exit__(*ignored)
        if self._own.is_dir():
            shutil.rmtree(self._own)


FARMS: dict[str, type[Distcc] | type[Icecc]] = {"distcc": Distcc, "icecc": Icecc}
