"""A client of GDB's remote serial protocol, at a Unix socket.

Source: https://sourceware.org/gdb/current/onlinedocs/gdb.html/Remote-Protocol.html
"""

from __future__ import annotations

import socket
from pathlib import Path

PC = 0x29  # number of the register pc in QEMU's hexagon-core.xml


class RemoteProtocol:
    """A connection to a stub that has stopped its program."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(60)
        self._socket.connect(str(path))
        self._received = b""

    def close(self) -> None:
        self._socket.close()

    def ask(self, packet: str) -> str:
        """Send a packet; returns the answer."""
        data = packet.encode()
        self._socket.sendall(b"$%s#%02x" % (data, sum(data) % 256))
        while self._received.count(b"#") == 0 or len(self._received.partition(b"#")[2]) < 2:
            more = self._socket.recv(1 << 16)
            assert more, f"the connection was closed after {packet}"
            self._received += more
        answer, _, rest = self._received.partition(b"#")
        self._received = rest[2:]
        self._socket.sendall(b"+")
        return answer.lstrip(b"+").removeprefix(b"$").decode()

    def describe(self) -> str:
        """The stub's description of its registers, without which it does not read single ones."""
        return self.ask("qXfer:features:read:target.xml:0,fff")

    def register(self, number: int) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"p{number:x}")), "little")

    def word(self, address: int) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"m{address:x},4")), "little")

    def text(self, address: int) -> str:
        """The string at `address`."""
        data = b""
        while b"\0" not in data:
            data += bytes.fromhex(self.ask(f"m{address + len(data):x},10"))
        return data.partition(b"\0")[0].decode()

    def run_to(self, address: int) -> None:
        """Continue, even from `address`, until a breakpoint there, set for this time only."""
        assert self.ask("s").startswith("T05")
        assert self.ask(f"Z0,{address:x},4") == "OK"
        stop = self.ask("c")
        assert stop.startswith("T05"), stop
        assert self.register(PC) == address
        assert self.ask(f"z0,{address:x},4") == "OK"
