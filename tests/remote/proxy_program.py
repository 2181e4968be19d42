"""A TCP proxy on loopback, with a delay and faults: `proxy_program.py TARGET_PORT DELAY`.

It prints the port that it listens on, and then a line of JSON for each line of JSON that it reads
from standard input (see `Proxy`).  It ends with standard input.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import struct
import sys
import time
from collections import deque
from typing import Any

CHUNK = 1 << 19
QUEUE = 64 << 20
"""Bytes on the way in one direction, after which no more are read."""
SLOW_CHUNK, SLOW_QUEUE = 1 << 14, 1 << 17
"""The same for a line with a limited rate, whose buffers are small."""


class Flow:
    """One direction of a connection: data read from `source` is due at `sink` after the delay."""

    def __init__(self, name: str, source: socket.socket, sink: socket.socket) -> None:
        self.name = name
        self.source = source
        self.sink = sink
        self.not_before = 0.0
        self.queue: deque[tuple[float, memoryview]] = deque()
        self.size = 0
        self.ended = False

    def put(self, data: memoryview, due: float) -> None:
        self.queue.append((due, memoryview(bytes(data))))
        self.size += len(data)

    def send(self, now: float) -> int:
        """Send what is due; returns the number of bytes."""
        sent = 0
        with contextlib.suppress(BlockingIOError):
            while self.queue and self.queue[0][0] <= now:
                due, data = self.queue[0]
                if not data:  # the end of the data
                    with contextlib.suppress(OSError):
                        self.sink.shutdown(socket.SHUT_WR)
                    self.queue.popleft()
                    continue
                count = self.sink.send(data)
                sent += count
                self.size -= count
                if count < len(data):
                    self.queue[0] = due, data[count:]
                else:
                    self.queue.popleft()
        return sent


class Connection:
    """A connection from a client to the server: flows `up` (to the server) and `down`."""

    def __init__(self, client: socket.socket, port: int, delay: float) -> None:
        self.client = client
        self.server = socket.create_connection(("127.0.0.1", port))
        for end in (self.client, self.server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            end.setblocking(False)
        self.up = Flow("up", self.client, self.server)
        self.down = Flow("down", self.server, self.client)
        # The client of a slow line sends after one round trip, and the server half of one later.
        now = time.monotonic()
        self.up.not_before = now + 2 * delay
        self.down.not_before = now + 3 * delay
        self.answered = True

    def close(self, *, reset: bool) -> None:
        for end in (self.client, self.server):
            if reset:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            end.close()


class Server:
    """Accepts connections, passes data on, and executes commands."""

    def __init__(self, target: int, delay: float) -> None:
        self.target = target
        self.delay = delay
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.connections: list[Connection] = []
        self.stalled = False
        self.rate = 0.0
        self.cut_after: dict[str, int] = {}
        self.cut_with_reset = True
        self.buffer = memoryview(bytearray(CHUNK))
        self.counters: dict[str, int] = {}
        self.reset_counters()

    def reset_counters(self) -> None:
        self.counters = dict.fromkeys(("up", "down", "round_trips", "connections"), 0)

    def run(self) -> None:
        print(self.listener.getsockname()[1], flush=True)
        while self.step():
            pass

    def step(self) -> bool:
        """Wait for something to do, and do it; returns whether standard input is still open."""
        flows = {}
        waiting: list[socket.socket] = []
        now = time.monotonic()
        wake: float | None = None
        for connection in self.connections if not self.stalled else ():
            for flow in (connection.up, connection.down):
                if not flow.ended and flow.size < (SLOW_QUEUE if self.rate else QUEUE):
                    flows[flow.source] = (connection, flow)
                if flow.queue and flow.queue[0][0] <= now:
                    waiting.append(flow.sink)
                elif flow.queue:
                    due = flow.queue[0][0] - now
                    wake = due if wake is None else min(wake, due)
        reading, _, _ = select.select([sys.stdin, self.listener, *flows], waiting, [], wake)
        if sys.stdin in reading:
            line = sys.stdin.readline()  # nothing is buffered: each command waits for its reply
            if not line:
                return False
            print(json.dumps(self.command(json.loads(line))), flush=True)
            return True
        if self.listener in reading:
            self.accept()
        for source in reading:
            if source in flows:
                connection, flow = flows[source]
                if connection in self.connections:  # not cut
                    self.read(connection, flow)
        if not self.stalled:
            now = time.monotonic()
            for connection in list(self.connections):
                self.send(connection, now)
        return True

    def accept(self) -> None:
        client, _ = self.listener.accept()
        self.counters["connections"] += 1
        try:
            self.connections.append(Connection(client, self.target, self.delay))
        except OSError:  # the server is not there
            client.close()

    def read(self, connection: Connection, flow: Flow) -> None:
        try:
            count = flow.source.recv_into(self.buffer, SLOW_CHUNK if self.rate else 0)
        except BlockingIOError:
            return
        except OSError:
            self.drop(connection)
            return
        flow.ended = not count
        left = self.cut_after.get(flow.name)
        if left is not None:
            count = min(count, left)
            self.cut_after[flow.name] = left - count
        self.counters[flow.name] += count
        if flow is connection.up and count and connection.answered:
            connection.answered = False
            self.counters["round_trips"] += 1
        due = max(time.monotonic(), flow.not_before)
        if self.rate:
            due = flow.not_before = due + count / self.rate
        flow.put(self.buffer[:count], due + self.delay)
        if self.cut_after.get(flow.name) == 0:
            self.send(connection, float("inf"))
            self.cut()

    def send(self, connection: Connection, now: float) -> None:
        try:
            connection.up.send(now)
            if connection.down.send(now):
                connection.answered = True
        except OSError:
            self.drop(connection)
            return
        flows = connection.up, connection.down
        if all(flow.ended and not flow.queue for flow in flows):
            connection.close(reset=False)
            self.connections.remove(connection)

    def drop(self, connection: Connection) -> None:
        """An error of one end is an error of the other."""
        connection.close(reset=True)
        self.connections.remove(connection)

    def cut(self) -> None:
        for connection in self.connections:
            connection.close(reset=self.cut_with_reset)
        self.connections.clear()
        self.cut_after.clear()

    def command(self, request: dict[str, Any]) -> dict[str, int]:
        match request["do"]:
            case "cut":
                self.cut_with_reset = request["reset"]
                if request["after"]:
                    self.cut_after[request["direction"]] = request["after"]
                else:
                    self.cut()
            case "stall":
                self.stalled = request["stalled"]
            case "delay":
                self.delay = request["seconds"]
            case "rate":
                self.rate = request["rate"]
            case "reset":
                self.reset_counters()
        return {**self.counters, "open": len(self.connections)}


if __name__ == "__main__":
    Server(int(sys.argv[1]), float(sys.argv[2])).run()
