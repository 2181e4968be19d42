"""A TCP proxy on loopback between a client and a server: delays, counts and faults."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Literal

from buildtool.core.value import Value

from .device_root import DeviceRoot
from .stops import Stops

_PROGRAM = Path(__file__).with_name("proxy_program.py")


class Traffic(Value):
    """What went through a proxy since its counters were reset.

    `up` and `down` are bytes from and to clients.  `round_trips` is how often a client sent
    something after it received something, or first: the number of times it can have waited for the
    line, apart from `connections`, each of which takes another round trip.  `open` is the number of
    connections now.
    """

    up: int
    down: int
    round_trips: int
    connections: int
    open: int


class Proxy(Stops):
    """A proxy of its own process, which passes connections to `port` on to `target`.

    Each direction takes `delay` seconds more: a round trip takes twice as long.  The bandwidth
    stays the same.  With `device` both ports are in the network of that device.  It is a context
    manager that ends the process.
    """

    def __init__(
        self, target: int, *, delay: float = 0.0, device: DeviceRoot | None = None
    ) -> None:
        # Neither site packages nor environment: the proxy starts in 20 ms.
        command = [sys.executable, "-I", "-S", str(_PROGRAM), str(target), str(delay)]
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            device.network_command(*command) if device else command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._requests, self._replies = self._process.stdin, self._process.stdout
        self.port = int(self._replies.readline())

    def traffic(self) -> Traffic:
        return self._do("count")

    def reset_traffic(self) -> None:
        """Set all counters to 0."""
        self._do("reset")

    def set_delay(self, seconds: float) -> None:
        """Change the delay of data that arrives from now on."""
        self._do("delay", seconds=seconds)

    def set_rate(self, rate: float) -> None:
        """Limit each direction to `rate` bytes a second; 0 is no limit."""
        self._do("rate", rate=rate)

    def cut(
        self, *, after: int = 0, direction: Literal["up", "down"] = "up", reset: bool = True
    ) -> None:
        """Cut all connections: now, losing what is on the way, or when `after` more bytes have gone
        in `direction`.

        With `reset` both ends see an error (RST), else the end of the data (FIN).  New connections
        are accepted.
        """
        self._do("cut", after=after, direction=direction, reset=reset)

    def stall(self) -> None:
        """Keep connections, and accept new ones, but pass nothing on."""
        self._do("stall", stalled=True)

    def resume(self) -> None:
        """Pass on what came in since `stall`, and all that follows."""
        self._do("stall", stalled=False)

    def _do(self, name: str, **parts: object) -> Traffic:
        with self._lock:
            self._requests.write(json.dumps({"do": name, **parts}) + "\n")
            self._requests.flush()
            return Traffic(**json.loads(self._replies.readline()))

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()
