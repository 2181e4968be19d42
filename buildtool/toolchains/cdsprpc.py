"""The system's libcdsprpc as builds see it: what programs link, and which symbols they may use.

The library belongs to the device and is never shipped.  Programs link an import stub with its
SONAME and exports: linking the library itself would also require everything that it needs, such as
the device's newer glibc.

An import stub is a shared object with a SONAME and exports, but without code.

It is for linkers only.  It is written directly, without a compiler, so the same names always give
the same bytes.  Layout: System V ABI, ELF-64, and its supplement for AArch64.
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.elf.file import EM_AARCH64
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import value_digest, write_if_changed
from buildtool.core.value import Value

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


PAGE = 0x10000  # the largest page size of AArch64 Linux
_DYN = 3  # e_type of a shared object
_LOAD, _DYNAMIC = 1, 2  # p_type
_PROGBITS, _STRTAB, _HASH, _DYNAMIC_SECTION, _DYNSYM = 1, 3, 5, 6, 11  # sh_type
_ALLOC, _EXEC = 2, 4  # sh_flags
_GLOBAL_FUNCTION = 1 << 4 | 2  # st_info: STB_GLOBAL, STT_FUNC
_CODE = struct.pack("<I", 0)  # `udf #0`: a call of the stub traps
_HEADER, _SEGMENT, _SECTION, _SYMBOL = 64, 56, 64, 24  # sizes of the records
_TEXT = 1  # the index of .text among the sections


def import_stub(soname: str, exports: Iterable[str]) -> bytes:
    """The bytes of an ARM64 shared object with the SONAME `soname` and the functions `exports`."""
    names = sorted(exports)
    strings = bytearray(b"\0")

    def string(text: str) -> int:
        offset = len(strings)
        strings.extend(text.encode() + b"\0")
        return offset

    # Offsets in the file are also addresses: one segment maps all of it from 0.
    start = _HEADER + 2 * _SEGMENT
    symbols_at = _aligned(start + len(_CODE))
    symbols = bytes(_SYMBOL) + b"".join(
        struct.pack("<IBBHQQ", string(name), _GLOBAL_FUNCTION, 0, _TEXT, start, len(_CODE))
        for name in names
    )
    soname_at = string(soname)
    hash_at = symbols_at + len(symbols)
    table = _hash_table(len(names) + 1)
    strings_at = hash_at + len(table)
    dynamic_at = _aligned(strings_at + len(strings))
    tags = {14: soname_at, 4: hash_at, 5: strings_at, 6: symbols_at, 10: len(strings)}
    tags |= {11: _SYMBOL, 0: 0}  # SONAME HASH STRTAB SYMTAB STRSZ SYMENT NULL
    dynamic = b"".join(struct.pack("<QQ", tag, value) for tag, value in tags.items())

    titles = [".text", ".dynsym", ".hash", ".dynstr", ".dynamic", ".shstrtab"]
    title_text = b"\0" + b"".join(title.encode() + b"\0" for title in titles)
    titles_at = dynamic_at + len(dynamic)
    sections_at = _aligned(titles_at + len(title_text))
    rows = [
        # type, flags, offset, size, link, info, alignment, entry size
        (_PROGBITS, _ALLOC | _EXEC, start, len(_CODE), 0, 0, 4, 0),
        (_DYNSYM, _ALLOC, symbols_at, len(symbols), 4, 1, 8, _SYMBOL),
        (_HASH, _ALLOC, hash_at, len(table), 2, 0, 8, 4),
        (_STRTAB, _ALLOC, strings_at, len(strings), 0, 0, 1, 0),
        (_DYNAMIC_SECTION, _ALLOC, dynamic_at, len(dynamic), 4, 0, 8, 16),
        (_STRTAB, 0, titles_at, len(title_text), 0, 0, 1, 0),
    ]
    sections = bytes(_SECTION)
    for title, (kind, flags, offset, size, *rest) in zip(titles, rows, strict=True):
        address = offset if flags & _ALLOC else 0
        name = title_text.index(b"\0" + title.encode() + b"\0") + 1
        sections += struct.pack("<IIQQQQIIQQ", name, kind, flags, address, offset, size, *rest)

    end = dynamic_at + len(dynamic)
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQI", _DYN, EM_AARCH64, 1, 0, _HEADER, sections_at, 0)
    header += struct.pack("<HHHHHH", _HEADER, _SEGMENT, 2, _SECTION, len(rows) + 1, len(rows))
    segments = _segment(_LOAD, 5, 0, end, PAGE) + _segment(_DYNAMIC, 4, dynamic_at, len(dynamic), 8)
    image = bytearray(sections_at + len(sections))
    for offset, part in (
        (0, header + segments + _CODE),
        (symbols_at, symbols),
        (hash_at, table),
        (strings_at, strings),
        (dynamic_at, dynamic),
        (titles_at, title_text),
        (sections_at, sections),
    ):
        image[offset : offset + len(part)] = part
    return bytes(image)


def _segment(kind: int, flags: int, offset: int, size: int, alignment: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, flags, offset, offset, offset, size, size, alignment)


def _hash_table(symbols: int) -> bytes:
    """A table with one bucket, which gives the number of symbols; it is not used for look-ups."""
    chain = [0] + [index + 1 if index + 1 < symbols else 0 for index in range(1, symbols)]
    return struct.pack(f"<{3 + symbols}I", 1, symbols, 1 if symbols > 1 else 0, *chain) + (
        b"" if symbols % 2 else b"\0" * 4
    )


def _aligned(offset: int) -> int:
    return (offset + 7) & ~7
