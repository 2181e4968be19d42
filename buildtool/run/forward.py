"""Makes TCP ports of a device reachable here while a program runs there.

This process listens, and passes on what clients send.  So nothing is left when it is killed, unlike
with `adb forward`, or with `ssh -L` through a shared connection.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from buildtool.core.errors import UsageError
from buildtool.device.device import Device
from buildtool.device.script import CHUNK
from buildtool.project.runs import Forward

HERE = "127.0.0.1"
LINGER_SECONDS = 1.0
"""How long what a device has sent may take to arrive after its program has ended."""
BUSY_SECONDS = 0.1
"""The pause before clients are accepted again when this process has too many connections."""
_BUSY = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ECONNABORTED)
"""Errors of accept(2) after which others can be accepted."""
Listeners = Sequence[tuple[Forward, socket.socket | None]]


@contextlib.contextmanager
def opened(forwards: Sequence[Forward], *, same_machine: bool) -> Iterator[Listeners]:
    """Listen on the ports here for the block; clients wait until `forwarding`.

    When the device is the `same_machine`, a port stands for itself, with None in place of a socket.
    Raises `UsageError` for a port that cannot be used.
    """
    with contextlib.ExitStack() as stack:
        listeners: list[tuple[Forward, socket.socket | None]] = []
        for ports in dict.fromkeys(forwards):
            listener = _listener(ports)
            if same_machine and ports.here == ports.there:
                listener.close()  # the program listens there
                listeners.append((ports, None))
            else:
                stack.enter_context(listener)
                listeners.append((ports._replace(here=listener.getsockname()[1]), listener))
        yield listeners


@contextlib.contextmanager
def forwarding(
    listeners: Listeners, device: Device, note: Callable[[str], None]
) -> Iterator[tuple[Forward, ...]]:
    """Connect clients of `listeners` to the ports of `device` during the block; `note` gets a line
    about each.  Raises `DeviceError`."""
    with contextlib.ExitStack() as stack:
        for ports, listener in listeners:
            if listener:
                connect = stack.enter_context(device.transport.forwarded(ports.there))
                stack.enter_context(_Relay(listener, connect))
                note(f"{HERE}:{ports.here} here is port {ports.there} of {device.name}")
            else:
                note(f"port {ports.there} of {device.name} is this machine's own")
        yield tuple(ports for ports, _ in listeners)


def _listener(ports: Forward) -> socket.socket:
    try:
        # The port can be taken again at once, but not from a process that listens on it.
        return socket.create_server((HERE, ports.here))
    except OSError as error:
        raise UsageError(
            f"port {ports.here} of this machine cannot be forwarded",
            why=f"{HERE}:{ports.here}: {os.strerror(error.errno or 0)}",
            remedy=f"Choose another port, or 0 for one that is free: --forward 0:{ports.there}",
        ) from error


class _Relay:
    """Connects each client of `listener` to what `connect` returns, in threads of its own; a
    context manager that ends all connections."""

    def __init__(self, listener: socket.socket, connect: Callable[[], socket.socket]) -> None:
        self._listener = listener
        self._connect = connect
        self._changed = threading.Condition()
        self._open: set[socket.socket] = set()
        self._answering: set[socket.socket] = set()

    def __enter__(self) -> None:
        threading.Thread(target=self._accept, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        # Closing the socket would not end `accept` in the other thread.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        with self._changed:
            self._changed.wait_for(lambda: not self._answering, LINGER_SECONDS)
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # at the end of the block
            while True:
                try:
                    client, _ = self._listener.accept()
                except OSError as error:
                    if error.errno not in _BUSY:
                        raise
                    time.sleep(BUSY_SECONDS)
                    continue
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        # Where the device refuses the connection, the client's ends.
        with client, contextlib.suppress(OSError), self._connect() as server:
            with self._changed:
                self._open |= {client, server}
                self._answering.add(server)
            asking = threading.Thread(target=_copy, args=(client, server), daemon=True)
            asking.start()
            _copy(server, client)
            with self._changed:
                self._answering.discard(server)
                self._changed.notify_all()
            asking.join()
            with self._changed:
                self._open -= {client, server}


def _copy(source: socket.socket, sink: socket.socket) -> None:
    """Pass on what `source` sends until its end, and then the end."""
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
