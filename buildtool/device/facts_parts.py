"""The output of scripts that print parts: a line with a secret text and a name, then any bytes."""

from __future__ import annotations

from collections.abc import Mapping

from buildtool.core.value import Value
from buildtool.device.sysroot.device_files import DeviceEntry

MAX_PARTS = 2000
MAX_TEXT = 200


class Parts(Value):
    """The output of the script: parts with a name and text, and parts about paths."""

    texts: Mapping[str, bytes]
    files: Mapping[str, Mapping[str, bytes]]

    def text(self, name: str) -> str:
        """The first line of a part, as one printable line."""
        return printable(self.texts.get(name, b""))

    def lines(self, name: str) -> list[str]:
        return self.texts.get(name, b"").decode("utf-8", errors="replace").splitlines()

    def of(self, kind: str) -> Mapping[str, bytes]:
        """The parts of this kind by path."""
        return self.files.get(kind, {})


class PrintedFiles(Value):
    """The files that the script printed, as a device that `sysroot` reads from."""

    source: str
    files: Mapping[str, bytes]

    def entry(self, path: str) -> DeviceEntry | None:
        if path in self.files:
            return DeviceEntry("file", len(self.files[path]))
        return DeviceEntry("directory") if self.names(path) else None

    def names(self, path: str) -> list[str]:
        below = path.rstrip("/") + "/"
        inside = [file[len(below) :] for file in self.files if file.startswith(below)]
        return sorted({name.partition("/")[0] for name in inside})

    def read(self, path: str, limit: int) -> bytes:
        return self.files[path][:limit]


def parse_parts(data: bytes, fence: str) -> Parts | None:
    """The parts in what the script printed; None when it did not print all of them."""
    texts: dict[str, bytes] = {}
    files: dict[str, dict[str, bytes]] = {}
    pieces = data.split(f"\n{fence} ".encode(), MAX_PARTS)[1:]
    for piece in pieces:
        title, _, text = piece.partition(b"\n")
        kind, _, path = title.decode("utf-8", errors="replace").partition(" ")
        if path.startswith("/") and path.isprintable():
            files.setdefault(kind, {}).setdefault(path, text)
        elif not path:
            texts.setdefault(kind, text)
    return Parts(texts, files) if "end" in texts else None


def printable(data: bytes) -> str:
    """The first line of what a device printed, without control characters."""
    lines = data.replace(b"\0", b"\n").strip().splitlines()
    text = lines[0].decode("utf-8", errors="replace") if lines else ""
    return "".join(letter for letter in text if letter.isprintable())[:MAX_TEXT].strip()
