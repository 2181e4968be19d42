"""Forwarded ports when this process cannot open more files."""

from __future__ import annotations

import errno
import resource
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from buildtool.run.forward import _Relay


@pytest.fixture
def few_files() -> Iterator[None]:
    """This process cannot open another file until the limit is restored."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("few_files")
def test_clients_are_served_after_files_could_not_be_opened() -> None:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    first, client = socket.socket(), socket.socket()
    with socket.create_server(("127.0.0.1", 0)) as server, first, client:
        for _ in range(2):  # `first` is also served if the thread does not wait for it yet
            threading.Thread(target=_answer, args=(server,), daemon=True).start()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = server.getsockname()
            with _Relay(listener, lambda: socket.create_connection(address)):
                time.sleep(0.1)  # the thread waits for a client
                resource.setrlimit(resource.RLIMIT_NOFILE, (3, limit[1]))
                first.connect(listener.getsockname())  # accept(2) has a descriptor for it
                client.connect(listener.getsockname())
                time.sleep(0.5)
                resource.setrlimit(resource.RLIMIT_NOFILE, limit)
                client.settimeout(10)
                client.sendall(b"ping")
                assert client.recv(4) == b"pong"
        server.shutdown(socket.SHUT_RDWR)


def _answer(server: socket.socket) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError as error:
            if error.errno != errno.EMFILE:
                return  # the test has ended
            time.sleep(0.01)  # this thread began to wait only when no file could be opened
            continue
        with connection:
            if connection.recv(4) == b"ping":
                connection.sendall(b"pong")
