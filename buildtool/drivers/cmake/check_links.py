"""A libcdsprpc that is not the system's is refused before anything is linked against it."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.elf import ElfError, is_elf, read_elf
from buildtool.drivers.cmake.file_api import BuildTree
from buildtool.drivers.cmake.link_line import read_link_line
from buildtool.toolchains.cdsprpc import Cdsprpc, CdsprpcError, is_cdsprpc
from buildtool.toolchains.import_stub import import_stub

MAX_STUB = 1 << 20
_SDK_FILE = "hexagon_sdk.json"
_SDK_PLACE = "/fastrpc/remote/ship/"


def check_links(tree: BuildTree, cdsprpc: Cdsprpc) -> None:
    """Look at what every target of a configured tree would be linked with.

    Import stubs of this tool are right wherever they lie, and a project may make one of its own.
    Raises `CdsprpcError` for any other libcdsprpc, whatever its file is called.
    """
    own = {_stem(artifact) for target in tree.targets for artifact in target.artifacts}
    judged: set[Path] = set()
    for target in tree.targets:
        for library in read_link_line(target.link, tree.build).libraries():
            if _stem(library) in own or library in judged:
                continue
            judged.add(library)
            if _is_another(library, cdsprpc):
                raise _refused(target.name, library)


def _stem(library: Path) -> Path:
    """CMake tells `libx.so` of what it makes, and links `libx.so.1.0`."""
    return library.with_name(library.name.partition(".so")[0])


def _is_another(library: Path, cdsprpc: Cdsprpc) -> bool:
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


def _refused(target: str, library: Path) -> CdsprpcError:
    place = library.resolve()
    remedy = (
        "Link Buildtool::cdsprpc, or -lcdsprpc with no directory of your own: the toolchain file"
        " brings the system's."
    )
    if _SDK_PLACE in str(place) or any((p / _SDK_FILE).is_file() for p in place.parents):
        return CdsprpcError(
            f"{target} would be linked against the libcdsprpc of a Hexagon SDK",
            why="it does not go through the FASTRPC_IOCTL_INIT_CREATE steps of an unsigned session"
            f" and has only a part of rpcmem_*; the device's own does both ({library})",
            remedy=remedy,
        )
    return CdsprpcError(
        f"{target} would be linked against a libcdsprpc that is not the system's",
        why="what it exports need not be there on the device, and where it lies in front of the"
        f" system's it breaks every session ({library})",
        remedy=remedy,
    )
