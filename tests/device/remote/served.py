"""A project whose program is a TCP server, and devices on which it runs: sim, a board, a phone."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from buildtool.core.value import Value
from tests.device.devices.emulated_board import emulated_board, emulated_phone
from tests.project import Project

FILE = """
[project]
name = "served"
version = "1.0"

[host.served]
source = "host"
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(served LANGUAGES C)
add_executable(served served.c)
install(TARGETS served)
"""
SERVER = r"""
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Serve PORT of the loopback.  A request is its size, 4 bytes of the network's order, and as many
   bytes; size 0 stands for all until the client's end.  The answer are the same bytes, inverted.
   After "quit", end with status 3. */
int main(int argc, char **argv)
{
    static unsigned char data[8 << 20];
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int server = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(server, (void *)&place, sizeof place) || listen(server, 9)) return 9;
    puts("ready");
    fflush(stdout);
    for (;;) {
        int client = accept(server, NULL, NULL);
        uint32_t wanted = 0;
        size_t size = 0;
        ssize_t got = recv(client, &wanted, sizeof wanted, MSG_WAITALL);
        wanted = wanted ? ntohl(wanted) : sizeof data;
        while (size < wanted && (got = read(client, data + size, wanted - size)) > 0) size += got;
        if (size == 4 && memcmp(data, "quit", 4) == 0) {
            write(client, "bye", 3);
            return 3;
        }
        for (size_t i = 0; i < size; i++) data[i] = ~data[i];
        for (size_t sent = 0; sent < size; sent += got)
            if ((got = write(client, data + sent, size - sent)) <= 0) break;
        close(client);
    }
}
"""


class Place(Value):
    """A project, and the device on which its server runs: its kind and name."""

    kind: str
    project: Project
    device: str


@contextlib.contextmanager
def placed(kind: str, project: Project, folder: Path) -> Iterator[Place]:
    """The project with a device of the `kind` sim, ssh or adb."""
    with contextlib.ExitStack() as stack:
        if kind == "ssh":
            board = stack.enter_context(emulated_board(folder))
            device, address, project.variables = board.device, "board", board.client.environment
        elif kind == "adb":
            phone = stack.enter_context(emulated_phone(folder))
            device, address, project.variables = phone.device, phone.serial, phone.environment
        else:
            project.variables = {}
            yield Place(kind, project, "sim")
            return
        project.write(
            "devices.toml",
            f'[device.board]\ntransport = "{kind}"\naddress = "{address}"\n'
            f'root = "{device.home}/root"\n',
        )
        yield Place(kind, project, "board")


class Serving(Value):
    """A `buildtool run` whose server is ready, and the port here."""

    process: subprocess.Popen[str]
    port: int

    def ask(self, data: bytes, *, half_closed: bool = False) -> bytes:
        """What the server answers to `data`; `half_closed`: the client's end is that of the
        request."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as client:
            client.sendall((0 if half_closed else len(data)).to_bytes(4) + data)
            if half_closed:
                client.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: client.recv(1 << 16), b""))

    @property
    def open(self) -> bool:
        """Whether anything listens on the port here."""
        try:
            socket.create_connection(("127.0.0.1", self.port), 5).close()
        except ConnectionRefusedError:
            return False
        return True


@contextlib.contextmanager
def serving(
    place: Place, *options: str, environ: Callable[[], dict[str, str]], port: int
) -> Iterator[Serving]:
    """Run the server on `port` of the device for the block, with a free port here."""
    with subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "buildtool", "run", place.device),
            *("--forward", f"0:{port}", *options, "--", "bin/served", str(port)),
        ],
        cwd=place.project.root,
        env={**environ(), **place.project.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout
            assert process.stderr
            ready = process.stdout.readline()
            told = process.stderr.readline() if ready else process.stderr.read()
            found = re.fullmatch(rf"127\.0\.0\.1:(\d+) here is port {port} of \w+\n", told)
            assert (ready, bool(found)) == ("ready\n", True), told
            assert found
            yield Serving(process, int(found[1]))
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(20)
