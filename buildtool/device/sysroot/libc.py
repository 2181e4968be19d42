"""The parts of a device's C library (glibc) that programs are compiled and linked with.

The headers are all of a device: those of libc and of every other installed library.

Linker scripts in place of libraries: `libc.so` of glibc is one.

They name files by absolute paths.  In a copy of a device's files these lead to the build
machine's own files, or, under a linker's --sysroot, to nothing: so they are made relative.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from buildtool.device.sysroot.device_files import (
    DeviceFiles,
    Fetched,
    PullError,
    Resolved,
    first,
    resolve,
)

FOLDERS = (
    *("/usr/lib/aarch64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib64", "/lib64"),
    *("/usr/lib", "/lib"),
)
NEEDED = ("crt1.o", "crti.o", "crtn.o", "libc.so")
OTHERS = (
    *("Scrt1.o", "rcrt1.o", "gcrt1.o", "grcrt1.o", "Mcrt1.o", "libc_nonshared.a", "libc.a"),
    *(
        f"lib{name}.{ending}"
        for name in ("m", "mvec", "pthread", "dl", "rt", "util", "resolv", "anl")
        for ending in ("so", "a")
    ),
    *("libc.so.6", "libm.so.6", "libmvec.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"),
    *("libutil.so.1", "libresolv.so.2", "libanl.so.1", "ld-linux-aarch64.so.1"),
)
MAX_LIBRARY = 64 << 20
MAX_DEPTH = 32
FOLDER = "/usr/include"
MAX_HEADER_BYTES = 16 << 20  # one header
MAX_HEADER_DEPTH = 32
MAX_SCRIPT_BYTES = 16 << 10  # glibc's have some 300
_ELF, _ARCHIVES = b"\x7fELF", (b"!<arch>\n", b"!<thin>\n")
_COMMANDS = re.compile(r"\b(GROUP|INPUT|AS_NEEDED|OUTPUT_FORMAT|SEARCH_DIR)\b")
# A comment, a quoted name, a name, or one character of anything else.
_TOKEN = re.compile(r'/\*.*?\*/|"[^"\n]*"|[^\s(),;"]+|.', re.DOTALL)
_PREFIXES = ("=", "$SYSROOT")  # both mean: below the sysroot, so the path behind is the device's


def find_libc(device: DeviceFiles) -> Resolved | None:
    """The device's `libc.so.6`."""
    return first(device, (f"{folder}/libc.so.6" for folder in FOLDERS))


def fetch_libc(device: DeviceFiles, fetched: Fetched) -> None:
    """Fetch headers, start files, linker scripts and libraries of glibc.  Raises `PullError` when
    the device lacks files that programs are linked with."""
    for name in NEEDED:
        if not first(device, _places(name)):
            raise PullError(
                f"{device.source} has no {name}, so programs cannot be linked against its C"
                " library",
                why=f"looked in {', '.join(FOLDERS)}",
                remedy="Install its development package there (Debian, Ubuntu: libc6-dev), or"
                " omit --libc, under another --name if this one was pulled with it before.",
            )
    for name in (*NEEDED, *OTHERS):
        if found := first(device, _places(name)):
            _library(device, fetched, found)
    fetch_headers(device, fetched)


def _places(name: str) -> Iterable[str]:
    return (f"{folder}/{name}" for folder in FOLDERS)


def _library(device: DeviceFiles, fetched: Fetched, found: Resolved, depth: int = 0) -> None:
    """Fetch a library; if it is a linker script, also the files that it names."""
    if found.path.lstrip("/") in fetched.rows:
        fetched.links(found)
        return
    data = device.read(found.path, MAX_LIBRARY)
    if depth > MAX_DEPTH:
        raise PullError(
            f"{found.path} of {device.source} is at the end of too many linker scripts",
            why=f"more than {MAX_DEPTH} of them, each of which names the next",
            remedy="Repair the device's libc6-dev package, or omit --libc.",
        )
    if not is_linker_script(data):
        fetched.write(found.path, data)
        fetched.links(found)
        return
    named: list[Resolved] = []

    def place_of(path: str) -> str:
        leads_to = resolve(device, path)
        if not leads_to or leads_to.entry.kind not in ("file", "directory"):
            raise PullError(
                f"{found.path} of {device.source} names {path}, which does not exist",
                why="it is a linker script, and linking against it would fail",
                remedy="Repair the device's libc6-dev package, or omit --libc.",
            )
        if leads_to.entry.kind == "file":
            named.append(leads_to)
        return leads_to.path

    folder = found.path.rpartition("/")[0] or "/"
    text = with_relative_paths(data.decode("latin-1"), folder, place_of)
    fetched.write(found.path, text.encode("latin-1"))
    fetched.links(found)
    for other in named:
        _library(device, fetched, other, depth + 1)


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
        if depth > MAX_HEADER_DEPTH:
            raise PullError(
                f"{folder} of {device.source} is too deep",
                why=f"more than {MAX_HEADER_DEPTH} directories below {FOLDER}",
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
        fetched.file(found, MAX_HEADER_BYTES)
    elif found.entry.kind == "directory":
        if not found.links:
            return found.path
        if f"{found.path}/".startswith(f"{top}/"):
            fetched.links(found)  # the directory that it leads to is walked separately
    return ""


def is_linker_script(data: bytes) -> bool:
    """Whether a file with the name of a library is a linker script."""
    if data.startswith((_ELF, *_ARCHIVES)) or len(data) > MAX_SCRIPT_BYTES or b"\0" in data:
        return False
    return bool(_COMMANDS.search(data.decode("latin-1")))


def with_relative_paths(text: str, folder: str, place_of: Callable[[str], str]) -> str:
    """`text` with each absolute path replaced by one relative to `folder`, the script's own.
    `place_of` gives the path where a file that is named really lies."""

    def relative(token: str) -> str:
        if token.startswith("/*"):
            return token
        quote = '"' if token.startswith('"') else ""
        path = token.strip('"')
        for prefix in _PREFIXES:
            path = path.removeprefix(prefix)
        if not path.startswith("/") or path == "/":
            return token
        return f"{quote}{os.path.relpath(place_of(path), folder)}{quote}"

    return "".join(relative(token) for token in _TOKEN.findall(text))
