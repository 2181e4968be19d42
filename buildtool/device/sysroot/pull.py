"""Pulls a sysroot from a device into the user's cache, completely or not at all."""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from buildtool.core.elf.file import EM_AARCH64, EM_HEXAGON
from buildtool.core.elf.read import Elf, ElfError, read_elf
from buildtool.core.events import Work
from buildtool.core.files import write_if_changed
from buildtool.core.lock import locked
from buildtool.core.trees import remove_tree
from buildtool.device.board import board_shells, emulated_arch, read_soc
from buildtool.device.emulated.socs import known_socs
from buildtool.device.sysroot.device_files import (
    PLACES,
    DeviceFiles,
    Fetched,
    PullError,
    Resolved,
    first,
    resolve,
)
from buildtool.device.sysroot.libc import MAX_LIBRARY, fetch_libc, find_libc
from buildtool.sdk.qemu import glibc_version
from buildtool.sdk.sysroot import (
    FACTS,
    ROOT,
    SONAME,
    SYMBOL,
    Sysroot,
    SysrootFacts,
    check_sysroot_name,
    find_sysroot,
    read_facts,
    sysroots_dir,
)
from buildtool.sdk.tool_search import ToolUnfitError

FORMER = "former"
MAX_EXPORTS = 50_000


def pull(
    device: DeviceFiles,
    name: str,
    *,
    libc: bool,
    waiting: Callable[[], None],
    shown: Work | None = None,
) -> tuple[Sysroot, bool]:
    """Fetch the sysroot called `name` from `device`, with its C library if `libc`, or if the one
    that it replaces has one: targets are built against it.  `shown` shows how much has arrived.

    Returns it, and whether it differs from what was there before.  Raises `UsageError` for an
    impossible name, `PullError` when the device has not what is needed or is not sound.
    """
    place = sysroots_dir() / check_sysroot_name(name)
    with locked(place.with_name(f".{name}.lock"), waiting):
        for leftover in place.parent.glob(f".{name}.new-*"):
            if not place.exists() and (leftover / FORMER / FACTS).is_file():
                # The process that was replacing it was killed.  Unlike what `replace_directory`
                # replaces, a sysroot cannot be made again without its device.
                (leftover / FORMER).rename(place)
            remove_tree(leftover, ignore_errors=True)
        fresh = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{name}.new-")).resolve()
        try:
            fetched = Fetched(device, fresh / ROOT, shown=shown)
            facts = _fetch(fetched, name, libc=libc, keep_libc=_had_libc(place))
            if _same(place, facts):
                return find_sysroot(name), False
            write_if_changed(fresh / FACTS, json.dumps(facts.as_json(), indent=1) + "\n")
            fresh.chmod(0o755)
            if place.exists() or place.is_symlink():
                place.rename(fresh / FORMER)
            fresh.rename(place)
            remove_tree(place / FORMER, ignore_errors=True)
        finally:
            remove_tree(fresh, ignore_errors=True)
    return find_sysroot(name), True


def _same(place: Path, facts: SysrootFacts) -> bool:
    try:
        return read_facts(place).identity == facts.identity and bool(find_sysroot(place.name))
    except ToolUnfitError:
        return False


def _had_libc(place: Path) -> bool:
    try:
        return bool(read_facts(place).device["has_libc"])
    except ToolUnfitError:
        return False


def _fetch(fetched: Fetched, name: str, *, libc: bool, keep_libc: bool) -> SysrootFacts:
    device = fetched.device
    fetched.root.mkdir()
    platform = "android" if first(device, PLACES.android) else "ubuntu-aarch64"
    library, elf = _library(device, platform, fetched)
    shells = _shells(device, platform, fetched)
    soc, model = read_soc(device)
    row = known_socs().get(soc)
    glibc = ""
    if platform != "android" and (found := find_libc(device)):
        glibc = glibc_version(device.read(found.path, MAX_LIBRARY))
    if libc and platform == "android":
        raise PullError(
            "an Android device has no C library to link against",
            why="its headers and start files are the NDK's",
            remedy="Leave --libc away.",
        )
    libc = libc or (keep_libc and platform != "android")
    if libc:
        fetch_libc(device, fetched)
    version = re.search(r"\.so\.(\d+(?:\.\d+)*)$", library.path)
    told: dict[str, Any] = {
        "platform": platform,
        "soname": elf.soname,
        "exports": sorted(elf.exports),
        "version": version[1] if version else "",
        "library": library.path.lstrip("/"),
        "shells": [path.lstrip("/") for path, _ in shells],
        "glibc": glibc,
        "soc": soc,
        "model": model,
        # The shell's arch is what the DSP runs; the table has the arch of the hardware.
        "arch": emulated_arch(device)
        or (shells[0][1].hexagon_arch if shells else row.arch if row else ""),
        "shell_exports": sorted(shells[0][1].exports) if shells else [],
        "has_libc": libc,
    }
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return SysrootFacts(name, device.source, when, told, tuple(fetched.rows.values()))


def _library(device: DeviceFiles, platform: str, fetched: Fetched) -> tuple[Resolved, Elf]:
    """The device's libcdsprpc: the first one that an ARM64 program can load."""
    places = PLACES.platforms[platform]
    paths = [f"{folder}/{name}" for name in places.names for folder in places.libraries]
    unfit: list[str] = []
    for path in paths:
        found = first(device, [path])
        if not found:
            if (there := resolve(device, path)) and there.entry.kind == "other":
                unfit.append(f"{path} is not a regular file")
            continue
        try:
            elf = _sound(read_elf(fetched.file(found, MAX_LIBRARY)), found)
        except (ElfError, PullError) as error:
            unfit.append(f"{path}: {error.message}" + (f" ({error.why})" if error.why else ""))
            fetched.clear()
            continue
        return found, elf
    raise PullError(
        f"{device.source} has no libcdsprpc that ARM64 programs can load",
        why="; ".join(unfit) if unfit else f"looked for {', '.join(paths)}",
        remedy="Install its FastRPC package there (Debian: libfastrpc1, Ubuntu: qcom-fastrpc1);"
        " or name the root of the device's file system.",
    )


def _sound(elf: Elf, found: Resolved) -> Elf:
    """Check that `elf` is a libcdsprpc and return it; raises `PullError`."""
    if elf.machine != EM_AARCH64 or elf.bits != 64 or elf.kind != "DYN":
        raise PullError(f"not an ARM64 library: ELF machine {elf.machine}, {elf.bits} bits")
    soname = elf.soname or found.path.rpartition("/")[2]
    if not SONAME.fullmatch(soname):
        raise PullError(f"its SONAME is {soname[:80]!r}")
    elf = elf._replace(soname=soname, exports=_symbols(elf))
    if not elf.exports & {"remote_handle64_open", "remote_handle_open"}:
        raise PullError("it exports no remote_handle_open, so it is not a FastRPC library")
    return elf


def _symbols(elf: Elf) -> frozenset[str]:
    """The exports of `elf` that are C identifiers; raises `PullError` for too many."""
    if len(elf.exports) > MAX_EXPORTS:
        raise PullError(f"it exports more than {MAX_EXPORTS:,} names")
    return frozenset(name for name in elf.exports if SYMBOL.fullmatch(name))


def _shells(device: DeviceFiles, platform: str, fetched: Fetched) -> list[tuple[str, Elf]]:
    """Path and content of the DSP shells that libcdsprpc finds, the unsigned one first."""
    folders = [*board_shells(device), *PLACES.platforms[platform].shells]
    shells = []
    for name in PLACES.shell_names:
        # The directory of the domain comes first.
        found = first(
            device, (f"{folder}{domain}/{name}" for folder in folders for domain in ("/cdsp", ""))
        )
        if not found:
            continue
        try:
            elf = read_elf(fetched.file(found, MAX_LIBRARY))
        except ElfError as error:
            raise PullError(
                f"{found.path} of {device.source} is not a valid ELF file",
                why=error.why,
                remedy="Install the DSP firmware of this board again.",
            ) from error
        if elf.machine != EM_HEXAGON or elf.bits != 32:
            raise PullError(
                f"{found.path} of {device.source} is not a Hexagon program",
                why=f"its ELF machine is {elf.machine}, Hexagon's is {EM_HEXAGON}",
                remedy="Install the DSP firmware of this board again.",
            )
        shells.append((found.path, elf._replace(exports=_symbols(elf))))
    return shells
