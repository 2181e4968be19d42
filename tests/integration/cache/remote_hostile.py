"""Misbehaving servers, as threads on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Hostile:
    """A server: its address, and the head of each request that it received."""

    port: int
    heads: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/builds"


Respond = Callable[[socket.socket, str, Hostile], None]
"""Called after the head of a request, with the connection, the head, and the server."""


@contextlib.contextmanager
def hostile(respond: Respond) -> Iterator[Hostile]:
    """A server for the block; its threads end with it."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = Hostile(listening.getsockname()[1])
    threads: list[threading.Thread] = []
    open_ones: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            while head := read_head(connection):
                server.heads.append(head)
                respond(connection, head, server)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                open_ones.append(connection)
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield server
    finally:
        server.over.set()
        for each in (listening, *open_ones):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        listening.close()
        for thread in (accepting, *threads):
            thread.join(10)
            assert not thread.is_alive()


def read_head(connection: socket.socket) -> str:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            return ""
        head += byte
    return head.decode("latin-1")


def answer(body: bytes, *, status: str = "200 OK", more: str = "", length: int = -1) -> bytes:
    """A response with a Content-Length, which may differ from that of the body."""
    length = len(body) if length < 0 else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{more}\r\n".encode() + body


def says(data: bytes) -> Respond:
    """Answers every request with `data`, then closes the connection."""

    def respond(connection: socket.socket, head: str, server: Hostile) -> None:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_RDWR)

    return respond


def repeats(start: bytes, again: bytes, pause: float = 0.0) -> Respond:
    """Answers with `start`, then with `again` until the client closes the connection."""

    def respond(connection: socket.socket, head: str, server: Hostile) -> None:
        connection.sendall(start)
        while not server.over.wait(pause) if pause else not server.over.is_set():
            connection.sendall(again)

    return respond
