"""`run --watch` over ssh: the time from saving a kernel until its program runs again.

A real ssh server on loopback behind a proxy that delays what goes through it.  Beside it, in turns:
what the parts take, which are Ninja's compile of the kernel in a clone of the project, the transfer
of the skel to a file on the device, and a round trip.  What the program itself takes to print its
first line, under QEMU, is measured by hand and subtracted.

make bench
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).parents[1]))

from measure import BUILDTOOL, as_installed, row

from buildtool.device.transports.ssh import ssh_device
from buildtool.project.model import Tool
from buildtool.sdk.packaged_tools import find_cmake
from tests.device.devices.emulated_board import emulated_board
from tests.remote.proxy import Proxy

AIM = 1.5
PARTS = ("Ninja's compile", "one file's transfer", "one round trip")
KERNEL = "dsp/src/clone_dsp_imp.c"
PROGRAM = "add_executable(hello hello.c)\ninstall(TARGETS hello)\n"


def main() -> None:
    """Print the median times, and the ratio of ours to the sum of the parts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--round-trip", type=float, default=20, help="ms")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        base = Path(folder)
        with emulated_board(base) as server, Proxy(server.port) as proxy:
            server.device.put_tool("sync", ":")  # it would wait for all that this machine writes
            client = server.make_client(base / "client", proxy.port)
            os.environ["PATH"] = client.environment["PATH"]
            root = f"{server.device.home}/bench"
            device = (
                f'[device.board]\ntransport = "ssh"\naddress = "{client.host}"\nroot = "{root}"\n'
            )
            watched, clone = (make_project(base / name, device) for name in ("watched", "clone"))
            for project in (watched, clone):
                edit(project, 0)  # no cache has that
                command(project, "run", "board", "--", "bin/hello")
            proxy.set_delay(options.round_trip / 2000)
            ours, *parts = measure(watched, clone, client.host, root, options.rounds)
            parts.append(options.round_trip / 1000)
            for what, seconds in zip(PARTS, parts, strict=True):
                row(what, [seconds])
            row("a saved kernel runs again: --watch / sum", [ours, sum(parts)], f"<= {AIM}")


def make_project(root: Path, device: str) -> Path:
    """The project of the template, with one more program."""
    root.mkdir()
    command(root, "init", "--template", "hvx", "--name", "clone")
    (root / "devices.toml").write_text(device)
    (root / "host/hello.c").write_text('#include <stdio.h>\nint main(void) { puts("running"); }\n')
    with (root / "host/CMakeLists.txt").open("a") as file:
        file.write(PROGRAM)
    return root


def measure(watched: Path, clone: Path, host: str, root: str, rounds: int) -> list[float]:
    """The median seconds of ours, Ninja's compile, and a transfer, which take turns."""
    tree = next((clone / ".buildtool/build/clone_dsp").glob("*/build.ninja")).parent
    skel = next((clone / ".buildtool/release/sim/").rglob("*_skel.so"))
    ninja = [str(find_cmake(Tool(), Tool()).ninja), "-C", str(tree)]
    device = ssh_device(host)
    device.connect()
    copy, nothing, program = (
        [str(word) for word in device.command(script)]
        for script in (
            f"cat >{root}/copy",
            "true",
            f"exec sh {root}/clone/current/run.sh bin/hello",
        )
    )
    times: list[list[float]] = []
    with watching(watched) as output:
        for number in range(1, rounds + 2):
            time.sleep(0.5)
            started = edit(watched, number)
            assert output.readline() == b"running\n"
            ours = time.perf_counter() - started
            edit(clone, number)
            own = seconds(program) - seconds(nothing)
            times.append([ours - own, seconds(ninja), seconds(copy, skel)])
    return [statistics.median(column) for column in zip(*times[1:], strict=True)]


@contextmanager
def watching(project: Path) -> Iterator[IO[bytes]]:
    """What the program prints that is started again and again, from the second time on."""
    with subprocess.Popen(
        [*BUILDTOOL, "run", "board", "--watch", "--", "bin/hello"],
        cwd=project,
        env=as_installed(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        yield process.stdout
        process.terminate()


def seconds(argv: list[str], file: Path = Path(os.devnull)) -> float:
    """The time of a process that reads `file`."""
    started = time.perf_counter()
    with file.open("rb") as stream:
        subprocess.run(argv, check=True, stdin=stream, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def edit(project: Path, number: int) -> float:
    """Add a function to the kernel; returns when."""
    source = project / KERNEL
    text = source.read_text()
    started = time.perf_counter()
    name = f"{project.name}_{os.getpid()}_{number}"
    source.write_text(f"{text}\nint {name}(void);\nint {name}(void) {{ return {number}; }}\n")
    return started


def command(project: Path, *arguments: str) -> None:
    subprocess.run([*BUILDTOOL, *arguments], cwd=project, env=as_installed(), check=True)


if __name__ == "__main__":
    main()
