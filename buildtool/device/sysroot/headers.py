"""All C headers of a device: those of libc and of every other installed library."""

from __future__ import annotations

from buildtool.device.sysroot.device_files import DeviceFiles, PullError, resolve
from buildtool.device.sysroot.fetched import Fetched

FOLDER = "/usr/include"
MAX_BYTES = 16 << 20  # one header
MAX_DEPTH = 32


def fetch_headers(device: DeviceFiles, fetched: Fetched) -> None:
    """Fetch everything below `/usr/include`; raises `PullError` without libc's headers."""
    top = resolve(device, FOLDER)
    if not top or top.entry.kind != "directory" or not resolve(device, f"{FOLDER}/stdio.h"):
        raise PullError(
            f"{device.source} has no C headers",
            why=f"looked for {FOLDER}/stdio.h",
            remedy="Install libc6-dev there, or omit --libc.",
        )
    fetched.links(top)
    waiting = [(top.path, 0)]
    while waiting:
        folder, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise PullError(
                f"{folder} of {device.source} is too deep",
                why=f"more than {MAX_DEPTH} directories below {FOLDER}",
                remedy="Check the device's file system.",
            )
        for name in device.names(folder):
            if not name.isprintable() or "/" in name:
                raise PullError(
                    f"{folder} of {device.source} has a file with the name {name!r}",
                    why="such a name cannot be kept",
                    remedy="Remove or rename it on the device.",
                )
            if inner := _header(device, fetched, f"{folder}/{name}", top.path):
                waiting.append((inner, depth + 1))


def _header(device: DeviceFiles, fetched: Fetched, path: str, top: str) -> str:
    """Fetch `path` if it leads to a file; returns it if it is a directory to walk."""
    found = resolve(device, path)
    if not found:
        return ""  # a dangling link
    if found.entry.kind == "file":
        fetched.file(found, MAX_BYTES)
    elif found.entry.kind == "directory":
        if not found.links:
            return found.path
        if f"{found.path}/".startswith(f"{top}/"):
            fetched.links(found)  # the directory that it leads to is walked separately
    return ""
