"""The files of a device that is reached over ssh or adb.

An exchange with the device takes longer than its work there, so entries of all usual places are
asked for at once, and the files of a directory of headers are read at once.  What the device prints
is not believed: it is bounded, and must have the form that it should have.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence

from buildtool.device.device import Device
from buildtool.device.facts import Facts
from buildtool.device.script import script
from buildtool.device.sysroot.device_files import MAX_PATH, PLACES, DeviceEntry, PullError
from buildtool.device.sysroot.facts import BASE
from buildtool.device.sysroot.libc import FOLDER, FOLDERS, NEEDED, OTHERS

EXCHANGE_SECONDS = 120.0
MAX_NAMES = 100_000  # in one directory
MAX_ARGUMENTS = 16 << 10  # characters; a command line of adb has 64 KiB


class RemoteFiles:
    """The files of `device`, about which `facts` are known; a `DeviceFiles`.

    It does not ask twice for what it knows: the files should not change while they are read.
    """

    def __init__(self, device: Device, facts: Facts) -> None:
        self._device = device
        self._entries: dict[str, DeviceEntry | None] = {}
        # Only root can read the files of properties of newer phones; getprop has answered already.
        self._printed: dict[str, bytes] = {}
        if facts.platform == "android" and facts.soc:
            self._printed[PLACES.properties[0]] = f"ro.soc.model={facts.soc}\n".encode()
        self._contents: dict[str, bytes] = {}
        self._asked_usual = False

    @property
    def source(self) -> str:
        return f"{self._device.name} ({self._device.transport.address})"

    def entry(self, path: str) -> DeviceEntry | None:
        if path in self._printed:
            return DeviceEntry("file", len(self._printed[path]))
        if path not in self._entries:
            usual = [] if self._asked_usual else [*_usual_paths()]
            self._asked_usual = True
            self._ask_entries([*dict.fromkeys([path, *usual])])
        return self._entries[path]

    def names(self, path: str) -> list[str]:
        parts = self._exchange("names", [path])
        if parts is None:
            raise self._unreadable(path)
        names = []
        for (kind, name), (entry_kind, text) in zip(parts[::2], parts[1::2], strict=False):
            found = _entry(entry_kind, text)
            if kind != "name" or not found or b"/" in name:
                raise self._unreadable(path)
            names.append(_text(name))
            self._entries[f"{path.rstrip('/')}/{names[-1]}"] = found
        if len(parts) % 2 or len(names) > MAX_NAMES:
            raise self._unreadable(path)
        return sorted(names)

    def read(self, path: str, limit: int) -> bytes:
        if path in self._printed:
            return self._printed[path]
        if path not in self._contents:
            self._contents = dict(self._read([path, *self._header_siblings(path)], limit))
        if path not in self._contents:
            raise self._unreadable(path)
        data = self._contents.pop(path)
        if len(data) > limit:
            raise PullError(
                f"{path} of {self.source} is larger than {limit >> 10} KiB",
                why="the files that buildtool reads from a device are smaller",
                remedy="Check the device's file system.",
            )
        return data

    def _header_siblings(self, path: str) -> Iterator[str]:
        """The other files in the directory of a header: they are read next."""
        if path.startswith(f"{FOLDER}/"):
            folder = path.rpartition("/")[0]
            for other, entry in self._entries.items():
                beside = other != path and other.rpartition("/")[0] == folder
                if beside and entry and entry.kind == "file":
                    yield other

    def _read(self, paths: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
        chunk = next(_chunks(paths))  # the rest is read later
        parts = self._exchange("read", chunk, limit=limit + 1)
        if parts is not None and len(parts) == len(chunk):
            for path, (kind, data) in zip(chunk, parts, strict=True):
                if kind == "content":
                    yield path, data

    def _ask_entries(self, paths: Sequence[str]) -> None:
        for chunk in _chunks(paths):
            parts = self._exchange("entries", chunk)
            if parts is None or len(parts) != len(chunk):
                raise self._unreadable(chunk[0])
            for path, (kind, text) in zip(chunk, parts, strict=True):
                self._entries[path] = _entry(kind, text)

    def _exchange(
        self, what: str, paths: Sequence[str], *, limit: int = 0
    ) -> list[tuple[str, bytes]] | None:
        """The parts that the script prints: kind and text; None when it does not end well."""
        fence = f"[{secrets.token_hex(16)}]"
        variables = {"fence": fence, "what": what, "limit": str(limit)}
        output = self._device.exec(
            script("files"), variables, paths, timeout=EXCHANGE_SECONDS
        ).stdout
        pieces = output.split(f"\n{fence} ".encode())[1:]
        parts = [piece.partition(b"\n") for piece in pieces]
        if not parts or parts.pop()[0] != b"end":
            return None
        return [(_text(kind), text) for kind, _, text in parts]

    def _unreadable(self, path: str) -> PullError:
        return PullError(
            f"{path} of {self.source} cannot be read",
            why="the user that runs commands there may not read it, or it changed",
            remedy="Make it readable for that user, and pull again.",
        )


def _entry(kind: str, text: bytes) -> DeviceEntry | None:
    match kind:
        case "file" | "directory" | "other":
            return DeviceEntry(kind)
        case "link":
            return DeviceEntry("link", link=_text(text.removesuffix(b"\n")))
        case _:
            return None


def _text(data: bytes) -> str:
    return data[:MAX_PATH].decode("utf-8", errors="surrogateescape")


def _chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    """`paths` in groups that one command line can have."""
    chunk: list[str] = []
    size = 0
    for path in paths:
        if chunk and size + len(path) > MAX_ARGUMENTS:
            yield chunk
            chunk, size = [], 0
        chunk.append(path)
        size += len(path) + 3
    yield chunk


def _usual_paths() -> Iterator[str]:
    """The places where `sysroot pull` looks, with the directories above them."""
    places = [*PLACES.android, *PLACES.properties, *PLACES.compatible, *PLACES.model, *PLACES.soc0]
    places += [f"{BASE}/conf.d", f"{FOLDER}/stdio.h"]
    places += [f"{folder}/{name}" for folder in FOLDERS for name in (*NEEDED, *OTHERS)]
    for system in PLACES.platforms.values():
        places += [f"{folder}/{name}" for folder in system.libraries for name in system.names]
        for name in PLACES.shell_names:
            places += [
                f"{folder}{domain}/{name}" for folder in system.shells for domain in ("/cdsp", "")
            ]
    for place in places:
        parts = place.split("/")
        yield from ("/".join(parts[:end]) for end in range(2, len(parts) + 1))
