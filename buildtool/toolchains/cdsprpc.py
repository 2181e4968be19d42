"""The system's libcdsprpc as builds see it: what programs link, and which symbols they may use.

The library belongs to the device and is never shipped.  Programs link an import stub with its
SONAME and exports: linking the library itself would also require everything that it needs, such as
the device's newer glibc.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import value_digest, write_if_changed
from buildtool.core.value import Value
from buildtool.toolchains.import_stub import import_stub

if TYPE_CHECKING:
    from buildtool.sdk.sysroot import Sysroot

SONAMES = {"ubuntu-aarch64": "libcdsprpc.so.1", "android": "libcdsprpc.so"}
"""By platform: upstream's SONAME on Linux, Android's SONAME on Android."""
LINKED_AS = "libcdsprpc.so"  # the file that -lcdsprpc searches for
_NAME = r"libcdsprpc(_system)?\.(so|a)\b"
# The functions of the FastRPC client API: remote.h, rpcmem.h, dspqueue.h, HAP_debug.h.
_API = (
    r"remote_(handle|handle64|register)_\w+|remote_(session_control|system_request|set_mode)"
    r"|remote_(mem_map|mem_unmap|mmap|munmap|mmap64|munmap64)"
    r"|fastrpc_(mmap|munmap|async_\w+|release_\w+)|(rpcmem|dspqueue)_\w+|HAP_debug\w*"
)
_UNDEFINED = r"undefined (?:symbol:|reference to) ['`]?(\w+)"  # LLD; GNU ld, gold


class CdsprpcError(BuildtoolError):
    """A file links, or needs, a libcdsprpc other than the device's."""

    code = "cdsprpc"


class Cdsprpc(Value):
    """The libcdsprpc of a platform, or of the device whose pulled sysroot is named `device`."""

    soname: str
    exports: frozenset[str]
    device: str = ""

    @property
    def digest(self) -> str:
        """sha256 of everything in it that affects linking."""
        return value_digest({"soname": self.soname, "exports": sorted(self.exports)})

    @property
    def directory(self) -> Path:
        """The directory of its import stub, which is `lib/libcdsprpc.so` below it."""
        return cache_dir() / "buildtool-cdsprpc" / self.digest[:16]

    @property
    def owner(self) -> str:
        return f"the device {self.device!r}" if self.device else "every device"


def system_cdsprpc(platform: str, sysroot: Sysroot | None = None) -> Cdsprpc:
    """The libcdsprpc of `platform`, or of the device that `sysroot` was pulled from."""
    if not sysroot:
        return Cdsprpc(SONAMES[platform], common_exports())
    return Cdsprpc(sysroot.soname, sysroot.exports, sysroot.name)


def write_stub(cdsprpc: Cdsprpc, directory: Path | None = None) -> Path:
    """Write the import stub below `directory` (default: the user's cache); returns that directory.

    The stub is written as `lib/libcdsprpc.so` and under its SONAME, for linkers that follow
    NEEDED entries.
    """
    directory = directory or cdsprpc.directory
    stub = import_stub(cdsprpc.soname, cdsprpc.exports)
    for name in {LINKED_AS, cdsprpc.soname}:
        write_if_changed(directory / "lib" / name, stub)
    return directory


@functools.cache
def known_exports() -> dict[str, bool]:
    """The exports of the newest libcdsprpc, and for each whether all devices have it."""
    rows = (_data.path("cmake") / "cdsprpc_exports.txt").read_text(encoding="utf-8").splitlines()
    return {
        row.split()[0]: row.split()[1:] != ["newer"]
        for row in rows
        if row and not row.startswith("#")
    }


def common_exports() -> frozenset[str]:
    """The symbols that the libcdsprpc of every device exports."""
    return frozenset(name for name, everywhere in known_exports().items() if everywhere)


def is_cdsprpc(name: str) -> bool:
    """Whether a file name or SONAME belongs to a libcdsprpc."""
    return bool(re.match(_NAME, name.rpartition("/")[2]))


def is_fastrpc_function(name: str) -> bool:
    """Whether a symbol belongs to the FastRPC client API."""
    return bool(re.fullmatch(_API, name))


def missing_symbols_remedy(output: str, cdsprpc: Cdsprpc) -> str:
    """The remedy if a linker's `output` reports missing FastRPC functions, else ""."""
    missing = [
        name
        for name in dict.fromkeys(re.findall(_UNDEFINED, output))
        if is_fastrpc_function(name) and name not in cdsprpc.exports and name in known_exports()
    ]
    if not missing:
        return ""
    owner = f"The libcdsprpc of {cdsprpc.owner} has" if cdsprpc.device else "Older devices have"
    return f"{owner} no {', '.join(missing)}. {missing_function_remedy(missing[0], cdsprpc)}"


def missing_function_remedy(name: str, cdsprpc: Cdsprpc) -> str:
    """The remedy for a function that `cdsprpc` lacks."""
    weak = (
        f"Declare it __attribute__((weak)) and test `if (&{name})` before the call, or look it up"
        f' with dlsym(RTLD_DEFAULT, "{name}").'
    )
    if cdsprpc.device or known_exports().get(name) is not False:
        return weak
    return (
        f"{weak} If all your devices have it, build for one of them: buildtool sysroot pull"
        ' DEVICE, and sysroot = "…" in the target.'
    )
