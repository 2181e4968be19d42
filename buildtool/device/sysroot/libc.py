"""The parts of a device's C library (glibc) that programs are compiled and linked with."""

from __future__ import annotations

from collections.abc import Iterable

from buildtool.device.sysroot.device_files import DeviceFiles, PullError, Resolved, first, resolve
from buildtool.device.sysroot.fetched import Fetched
from buildtool.device.sysroot.headers import fetch_headers
from buildtool.device.sysroot.linker_script import is_linker_script, with_relative_paths

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


def find_libc(device: DeviceFiles) -> Resolved | None:
    """The device's `libc.so.6`."""
    return first(device, (f"{folder}/libc.so.6" for folder in FOLDERS))


def fetch_libc(device: DeviceFiles, fetched: Fetched) -> None:
    """Fetch headers, start files, linker scripts and libraries of glibc.

    Raises `PullError` when the device lacks files that programs are linked with.
    """
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
