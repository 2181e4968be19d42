"""Deploying over ssh and adb, against rsync, scp, adb push and bare commands, at several delays.

Real servers on loopback, behind a proxy that delays what goes through it and counts it.

make bench
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from buildtool.deploy.contents import Deployment, Known, Site, deployment
from buildtool.deploy.push import Push
from buildtool.device.device import Device
from buildtool.device.transports.adb import adb_device
from buildtool.device.transports.ssh import ssh_device
from buildtool.device.transports.transport import Transport
from buildtool.release.slices import Release, ReleaseFile, in_slices
from buildtool.run.program import RunRequest
from buildtool.run.run import start_on_device
from buildtool.run.session import new_run
from tests.remote.adbd import AdbServer
from tests.remote.proxy import Proxy
from tests.remote.sshd import SshServer

MIB = 1 << 20
FILES = 500
COLD = 100 * MIB
RUN_SCRIPT = Path(__file__).parents[1] / "buildtool" / "release" / "run.sh"


@dataclass
class Line:
    """A device behind a proxy: commands of others, and of ours."""

    name: str
    transport: Transport
    proxy: Proxy
    environment: Mapping[str, str]
    place: str
    """A directory on the device."""
    bare: list[str]
    """The command that runs `true` there."""
    copies: Mapping[str, Callable[[Path, str], list[str]]]
    """Commands that copy a directory to a path on the device."""


def main() -> None:
    """Print a table for each delay."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--round-trip", type=float, nargs="*", default=[0, 20, 100], help="ms")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, ExitStack() as stack:
        base = Path(folder)
        lines = [stack.enter_context(ssh_line(base)), stack.enter_context(adb_line(base))]
        for delay in options.round_trip:
            for line in lines:
                line.proxy.set_delay(delay / 2000)
                print(f"\n{line.name}, round trip {delay:g} ms")
                print(f"{'':<40}{'ms':>9}{'ratio':>8}{'trips':>7}{'kB up':>9}{'kB down':>9}")
                table(line, base, options.rounds)


def table(line: Line, base: Path, rounds: int) -> None:
    line.transport.connect()
    small, large = base / "small", base / "large"
    random.seed(1)
    make(small, {f"lib/{n:03}.bin": random.randbytes(10_000) for n in range(FILES)})
    device = Device("bench", "t", line.place, line.transport)
    project = f"{line.place}/ours"
    site = Site(device, project, base / "known.json", "", lambda _: None)
    deployed = release(small)
    known = push(device, project, deployed, Known())

    def ours() -> None:
        report = start_on_device(site, deployed, RunRequest(("/bin/true",)), new_run())
        assert report.text == "0", report

    compare(
        line,
        rounds,
        {"nothing changed: run": ours, f"{line.name} true": command(line, line.bare)},
    )

    counter = iter(range(1 << 30))
    state = {"known": known}

    def edit() -> None:
        (small / "lib" / "250.bin").write_bytes(random.randbytes(10_000))
        next(counter)

    def deploy() -> None:
        state["known"] = push(device, project, release(small), state["known"])

    others = {
        name: command(line, copy(small, f"{line.place}/{name.split()[0]}-small"))
        for name, copy in line.copies.items()
        if name != "scp"
    }
    for other in others.values():
        other()
    compare(line, rounds, {"one of 500 files changed: deploy": deploy, **others}, before=edit)

    make(large, {f"lib/{n}.bin": random.randbytes(COLD // 8) for n in range(8)})

    def cold() -> None:
        push(device, f"{line.place}/cold", release(large), Known())

    def wipe() -> None:
        device.exec(f"rm -rf {line.place}/cold {line.place}/*-large*; mkdir -p {line.place}")

    others = {
        name: command(line, copy(large, f"{line.place}/{name.split()[0]}-large"))
        for name, copy in line.copies.items()
    }
    compare(line, 2, {"cold, 100 MiB: deploy": cold, **others}, before=wipe)


def compare(
    line: Line,
    rounds: int,
    actions: Mapping[str, Callable[[], None]],
    before: Callable[[], None] = lambda: None,
) -> None:
    """Print the median time of each action, its ratio to the first, and what went over the line."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    traffic = {}
    for _ in range(rounds):
        for name, action in actions.items():
            before()
            line.proxy.reset_traffic()
            started = time.perf_counter()
            action()
            times[name].append(time.perf_counter() - started)
            traffic[name] = line.proxy.traffic()
    first = statistics.median(next(iter(times.values())))
    for name, values in times.items():
        seen, took = traffic[name], statistics.median(values)
        print(
            f"{name:<40}{took * 1000:>9.1f}{first / took:>8.2f}{seen.round_trips:>7}"
            f"{seen.up / 1000:>9.1f}{seen.down / 1000:>9.1f}",
            flush=True,
        )


def command(line: Line, argv: list[str]) -> Callable[[], None]:
    def act() -> None:
        done = subprocess.run(
            argv, env=line.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (argv, done.stderr)

    return act


def make(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in {**files, "run.sh": RUN_SCRIPT.read_bytes()}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o755 if name == "run.sh" else 0o644)


def release(folder: Path) -> Deployment:
    files = [
        ReleaseFile(
            str(file.relative_to(folder)),
            file.stat().st_mode & 0o777,
            file.stat().st_size,
            hashlib.sha256(file.read_bytes()).hexdigest(),
        )
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    ]
    return deployment(Release("bench", folder, folder, in_slices(files, [], [])), "")


def push(device: Device, project: str, what: Deployment, known: Known) -> Known:
    site = Site(device, project, Path(os.devnull), "gzip", print)
    Push(site, what).run(known.id, known.contents)
    return Known(what.id, what.contents)


@contextmanager
def ssh_line(base: Path) -> Iterator[Line]:
    with SshServer(base / "ssh") as server, Proxy(server.port) as proxy:
        client = server.make_client(base / "ssh-client", proxy.port)
        os.environ["PATH"] = client.environment["PATH"]
        shared = ["-S", str(base / "s"), "-o", "ControlMaster=no"]
        master = ["ssh", "-M", "-N", "-f", "-S", str(base / "s"), client.host]
        subprocess.run(master, env=client.environment, check=True, stdin=subprocess.DEVNULL)
        try:
            place = str(server.device.home / "bench")
            yield Line(
                "ssh",
                ssh_device(client.host),
                proxy,
                client.environment,
                place,
                ["ssh", *shared, client.host, "true"],
                {
                    "rsync -a --delete": lambda folder, to: [
                        *("rsync", "-a", "--delete", "-e", " ".join(["ssh", *shared])),
                        *("--mkpath", f"{folder}/", f"{client.host}:{to}/"),
                    ],
                    "scp": lambda folder, to: [
                        *(
                            "scp",
                            "-qr",
                            "-o",
                            f"ControlPath={base / 's'}",
                            "-o",
                            "ControlMaster=no",
                        ),
                        *(str(folder), f"{client.host}:{to}"),
                    ],
                },
            )
        finally:
            subprocess.run(
                ["ssh", *shared, "-O", "exit", client.host],
                env=client.environment,
                capture_output=True,
                check=False,
            )


@contextmanager
def adb_line(base: Path) -> Iterator[Line]:
    with AdbServer(base / "adb") as server, Proxy(server.ports[0], device=server.device) as proxy:
        serial = server.connect(proxy.port)
        os.environ |= {k: v for k, v in server.environment.items() if k != "PATH"}
        adb = shutil.which("adb", path=server.environment["PATH"]) or ""
        os.environ["PATH"] = f"{Path(adb).parent}:{os.environ['PATH']}"
        push_to = [adb, "-s", serial, "push"]
        yield Line(
            "adb",
            adb_device(serial),
            proxy,
            {**server.environment, "PATH": os.environ["PATH"]},
            "/data/local/tmp/bench",
            [adb, "-s", serial, "shell", "true"],
            {
                "adb push": lambda folder, to: [*push_to, str(folder), to],
                "adb push --sync": lambda folder, to: [
                    *push_to,
                    "--sync",
                    f"{folder}/.",
                    f"{to}-s",
                ],
            },
        )


if __name__ == "__main__":
    main()
