"""`run --forward`: a server on the device is reachable here while it runs, and no longer."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.device.remote.served import CMAKE, FILE, SERVER, Place, Serving, placed, serving
from tests.project import Project
from tests.remote.sshd import free_port

INVERTED = bytes(range(255, -1, -1))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("served"))
    project.lay_out({"buildtool.toml": FILE, "host/CMakeLists.txt": CMAKE, "host/served.c": SERVER})
    project.succeeds("build")
    return project


@pytest.fixture(scope="module")
def _connections() -> Iterator[Path]:
    """A directory for sockets whose path is short; the shared connection ends with its server."""
    with tempfile.TemporaryDirectory(prefix="ssh-") as directory:
        yield Path(directory)


@pytest.fixture(autouse=True)
def runtime_directory(_connections: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(_connections))
    return _connections


@pytest.fixture(scope="module", params=["sim", "ssh", pytest.param("adb", marks=pytest.mark.long)])
def place(
    request: pytest.FixtureRequest, built: Project, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    with placed(request.param, replace(built), tmp_path_factory.mktemp("device")) as found:
        yield found


def run(place: Place, *options: str) -> contextlib.AbstractContextManager[Serving]:
    return serving(place, *options, environ=lambda: dict(os.environ), port=free_port())


def left(directory: Path) -> list[str]:
    """The sockets of forwarded ports."""
    return [path.name for path in directory.glob("buildtool/*-*")]


def test_bytes_arrive_both_ways(place: Place, runtime_directory: Path) -> None:
    chance = random.Random(1)
    with run(place) as server:
        large = chance.randbytes(5 << 20)
        assert server.ask(large) == large.translate(INVERTED)
        if place.kind != "adb":  # whose connections end when one side has ended
            assert server.ask(large, half_closed=True) == large.translate(INVERTED)
        parts = [chance.randbytes(1 + 1000 * n) for n in range(20)]
        with ThreadPoolExecutor(8) as pool:
            assert [*pool.map(server.ask, parts)] == [part.translate(INVERTED) for part in parts]
        # The last bytes of a server that ends arrive too.
        assert server.ask(b"quit") == b"bye"
        assert server.process.wait(20) == 3
        assert not server.open
    assert left(runtime_directory) == []


def test_the_device_refuses(place: Place) -> None:
    """Connections end where nothing listens on the device; the program goes on."""
    closed = free_port()
    here = free_port()
    with run(place, "--forward", f"{here}:{closed}") as server:
        with (
            socket.create_connection(("127.0.0.1", here), 30) as client,
            contextlib.suppress(ConnectionResetError),
        ):
            assert client.recv(1) == b""
        assert server.ask(b"x") == b"\x87"


@pytest.mark.parametrize(
    "place", ["sim", "ssh", pytest.param("adb", marks=pytest.mark.long)], indirect=True
)
def test_a_port_that_is_in_use_here(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for text in (f"{port}:7000", f"{port}"):
            done = place.project.run("run", place.device, "--forward", text)
            assert (done.returncode, done.stdout) == (125, "")
            assert f"port {port} of this machine cannot be forwarded" in done.stderr
            assert "Address already in use" in done.stderr
            assert f"--forward 0:{text.partition(':')[2] or text}" in done.stderr


def test_a_port_of_sim_is_this_machine_s(built: Project) -> None:
    port = free_port()
    command = ["run", "sim", "--json", "--forward", f"{port}", "--timeout", "60s"]
    with ThreadPoolExecutor() as pool:
        ran = pool.submit(built.run, *command, "--", "bin/served", f"{port}")
        end = time.monotonic() + 60
        while True:
            try:
                with socket.create_connection(("127.0.0.1", port), 5) as client:
                    client.sendall(b"\0\0\0\4quit")
                    assert client.recv(3) == b"bye"
                break
            except ConnectionRefusedError:
                assert time.monotonic() < end
                time.sleep(0.1)
        done = ran.result()
    assert done.returncode == 3
    assert json.loads(done.stdout)["forward"] == [{"here": port, "there": port}]
    assert f"port {port} of sim is this machine's own\n" in done.stderr


def test_the_project_file_names_ports(built: Project) -> None:
    port = free_port()
    text = f'{FILE}\n[run.serve]\nprogram = "bin/served"\nforward = ["0:{port}"]\n'
    built.write("buildtool.toml", text.replace("[run.serve]", f"[run.serve]\nargs = ['{port}']"))
    try:
        done = built.run("run", "sim", "serve", "--timeout", "2s")
        assert f"here is port {port} of sim\n" in done.stderr
        built.write("buildtool.toml", text.replace("0:", "0:9"))
        done = built.run("run", "sim", "serve")
        assert done.returncode == 125
        assert "run.serve.forward: '0:9" in done.stderr
        assert "does not name ports from 1 to 65535" in done.stderr
    finally:
        built.write("buildtool.toml", FILE)


@pytest.mark.parametrize(
    ("place", "how"),
    [
        *(("ssh", how) for how in ("Ctrl-C", "kill")),
        *((kind, "kill") for kind in ("sim", "adb")),
        pytest.param("ssh", "timeout", marks=pytest.mark.long),
        *(
            pytest.param(kind, how, marks=pytest.mark.long)
            for kind in ("sim", "adb")  # whose ports are those of one process
            for how in ("Ctrl-C", "timeout")
        ),
    ],
    indirect=["place"],
)
def test_the_port_is_free_however_the_run_ends(
    place: Place, how: str, runtime_directory: Path
) -> None:
    ends = {"Ctrl-C": 130, "timeout": 125, "kill": -signal.SIGKILL}
    with (
        run(place, *(["--timeout", "5s"] if how == "timeout" else [])) as server,
        socket.create_connection(("127.0.0.1", server.port), 30) as idle,
    ):
        if how != "timeout":
            server.process.send_signal(signal.SIGINT if how == "Ctrl-C" else signal.SIGKILL)
        assert server.process.wait(30) == ends[how]
        assert not server.open
        with contextlib.suppress(ConnectionResetError):
            assert idle.recv(1) == b""
    # Another process may have got the number of the killed one since.
    for path in runtime_directory.glob("buildtool/*-*"):
        path.rename(path.with_name(re.sub(r"-\d+", f"-{os.getpid()}", path.name, count=1)))
    with run(place) as again:
        assert again.ask(b"x") == b"\x87"
        again.ask(b"quit")
        assert again.process.wait(20) == 3
    assert left(runtime_directory) == []
