"""The libraries that a single file needs, as loaders find them: beside it, or on the device."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.contract.libraries import LIBRARIES, ORIGINS, device_libraries
from buildtool.contract.rules.skels import IN_SHELL
from buildtool.contract.subject import Subject
from buildtool.core.elf.machine import EM_HEXAGON
from buildtool.core.elf.read import Elf, ElfError, is_elf, read_dynamic, read_elf
from buildtool.core.value import Value
from buildtool.toolchains.cdsprpc import is_cdsprpc, known_exports
from buildtool.toolchains.dsp_shells import DeviceShell, missing_names

BESIDE, DEVICE, MISSING = "beside", "device", "missing"
MAX_LIBRARIES = 1000


class NeededLibrary(Value):
    """A library that a file needs, itself or through another one.

    It is `BESIDE` the file at `path`, or every `DEVICE` of the platform has it, or it is `MISSING`.
    `symbols` are the names that it exports and the file imports, as far as that is known.
    """

    name: str
    where: str
    path: str
    symbols: tuple[str, ...]


class Resolution(Value):
    """The libraries that a file needs, and the names that none of them is known to export.

    A missing library, and one of the device whose exports are not known, may have these names.
    """

    libraries: tuple[NeededLibrary, ...]
    unresolved: tuple[str, ...]


def libraries_beside(file: Path) -> Mapping[str, Path]:
    """The libraries that `file` needs, and those that they need, by the names that they are needed
    by: in the directory of the file, in lib/ beside bin/, or where a RUNPATH with $ORIGIN leads.
    """
    found: dict[str, Path] = {}
    waiting = [file]
    while waiting and len(found) < MAX_LIBRARIES:
        path = waiting.pop()
        try:
            dynamic = read_dynamic(path)
        except ElfError:
            continue  # the checks of the file report it
        beside_bin = [file.parent.parent / LIBRARIES] if file.parent.name == "bin" else []
        folders = [file.parent, *beside_bin, *_folders(path, dynamic.runpath)]
        for name in dynamic.needed:
            if name in found or "/" in name:
                continue
            there = next((f / name for f in folders if _is_library(f / name)), None)
            if there:
                found[name] = there
                waiting.append(there)
    found.pop(file.name, None)
    return found


def _folders(file: Path, runpath: tuple[str, ...]) -> Iterator[Path]:
    for entry in runpath:
        origin, _, rest = entry.partition("/")
        if origin in ORIGINS:
            yield Path(posixpath.normpath(file.parent / rest.lstrip("/")))


def _is_library(path: Path) -> bool:
    try:
        return path.is_file() and is_elf(path)
    except OSError:
        return False


def resolve(elf: Elf, shell: DeviceShell | None = None) -> Resolution:
    """Where the libraries and the imports of a file are found; `shell` is that of a device."""
    paths = libraries_beside(elf.path)
    unresolved = set(elf.imports)
    is_hexagon = elf.machine == EM_HEXAGON
    of_device = IN_SHELL if is_hexagon else device_libraries(Subject({elf.path.name: elf.path}))
    rows = []
    for name in dict.fromkeys((*elf.needed, *paths)):
        exports = _exports(paths[name]) if name in paths else _device_exports(elf, name)
        where = MISSING
        if name in paths:
            where = BESIDE
        elif name in of_device or (is_cdsprpc(name) and not is_hexagon):
            where = DEVICE
        symbols = tuple(sorted(elf.imports & exports))
        rows.append(NeededLibrary(name, where, str(paths.get(name, "")), symbols))
        unresolved -= exports
    if elf.hexagon_arch:
        missing = missing_names(frozenset(unresolved), elf.hexagon_arch, shell)
        unresolved = set(missing.everywhere)
    return Resolution(tuple(rows), tuple(sorted(unresolved)))


def _exports(path: Path) -> frozenset[str]:
    try:
        return read_elf(path).exports
    except ElfError:
        return frozenset()


def _device_exports(elf: Elf, name: str) -> frozenset[str]:
    """The exports of the library `name` of the device, as far as the symbol versions that `elf`
    needs show them; for libcdsprpc, all known exports."""
    if is_cdsprpc(name):
        return frozenset(known_exports())
    return frozenset(n for need in elf.version_needs if need.library == name for n in need.symbols)
