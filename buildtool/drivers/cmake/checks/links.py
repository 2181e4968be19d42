"""Reject a libcdsprpc that is not the system's before anything is linked against it."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.elf.read import ElfError, is_elf, read_elf
from buildtool.drivers.cmake.checks.link_line import read_link_line
from buildtool.drivers.cmake.file_api import BuildTree
from buildtool.toolchains.cdsprpc import Cdsprpc, CdsprpcError, is_cdsprpc
from buildtool.toolchains.import_stub import import_stub

MAX_STUB = 1 << 20
_SDK_FILE = "hexagon_sdk.json"
_SDK_DIRECTORY = "/fastrpc/remote/ship/"


def check_links(tree: BuildTree, cdsprpc: Cdsprpc) -> None:
    """Check the libraries on the link line of every target of a configured tree.

    Import stubs of this tool are allowed anywhere, and so is a libcdsprpc that the tree builds.
    Raises `CdsprpcError` for any other libcdsprpc, whatever the name of its file is.
    """
    built = {_stem(artifact) for target in tree.targets for artifact in target.artifacts}
    checked: set[Path] = set()
    for target in tree.targets:
        for library in read_link_line(target.link, tree.build).libraries():
            if _stem(library) in built or library in checked:
                continue
            checked.add(library)
            if _is_foreign_cdsprpc(library, cdsprpc):
                raise _error(target.name, library)


def _stem(library: Path) -> Path:
    """The path before `.so`: the File API reports `libx.so` for a target whose link lines have
    `libx.so.1.0`."""
    return library.with_name(library.name.partition(".so")[0])


def _is_foreign_cdsprpc(library: Path, cdsprpc: Cdsprpc) -> bool:
    named = is_cdsprpc(library.name) or is_cdsprpc(library.resolve().name)
    if not is_elf(library):
        return named  # an archive, or a linker script
    data = library.read_bytes()
    if not named and b"libcdsprpc" not in data:
        return False
    try:
        elf = read_elf(library)
    except ElfError:
        return named
    if not named and not is_cdsprpc(elf.soname):
        return False
    stub = len(data) <= MAX_STUB and data == import_stub(elf.soname, elf.exports)
    return not stub or elf.soname != cdsprpc.soname


def _error(target: str, library: Path) -> CdsprpcError:
    real = library.resolve()
    remedy = (
        "Link Buildtool::cdsprpc, or -lcdsprpc without a directory: the toolchain file adds the"
        " directory of the system's library."
    )
    if _SDK_DIRECTORY in str(real) or any((p / _SDK_FILE).is_file() for p in real.parents):
        return CdsprpcError(
            f"{target} would be linked against the libcdsprpc of a Hexagon SDK",
            why="it does not perform the FASTRPC_IOCTL_INIT_CREATE steps of an unsigned session and"
            f" has only a part of rpcmem_*; the library of the device has both ({library})",
            remedy=remedy,
        )
    return CdsprpcError(
        f"{target} would be linked against a libcdsprpc that is not the system's",
        why="the device may lack what it exports, and where a loader finds it before the system's"
        f" library it breaks every session ({library})",
        remedy=remedy,
    )
