"""Where two builds of one file differ, and which input of the build is suspected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.value import Value

MAX_BYTES = 64 << 20  # of a file; more is compared by digest only
UNKNOWN = "unknown: random numbers, addresses, or another input that differs"
_SHOWN = 48
_PRINTABLE = re.compile(rb"[\x20-\x7e]+")
_TIME = re.compile(
    rb"\d\d:\d\d|\d{4}-\d\d-\d\d|\b1[6-9]\d{8}\b"
    rb"|(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d"
)


class Difference(Value):
    """The first difference of a file: its section ("" in a file without any), the offset in it,
    what is there in both builds, and the suspected input."""

    path: str
    section: str
    offset: int
    one: bytes
    other: bytes
    suspect: str

    def __str__(self) -> str:
        place = f" in {self.section}" if self.section else ""
        both = f"{_shown(self.one)} became {_shown(self.other)}"
        return f"{self.path}{place} at offset {self.offset:#x}: {both}; suspected: {self.suspect}"


def compare(path: str, one: Path, other: Path, names: Mapping[str, str]) -> Difference | None:
    """The first difference of two files; None if they have the same bytes.

    `names` are the texts that differ between the builds by what they are, such as `user`.
    """
    if min(one.stat().st_size, other.stat().st_size) > MAX_BYTES:
        return Difference(path, "", 0, b"", b"", "not examined: the file is too large")
    first, second = one.read_bytes(), other.read_bytes()
    if first == second:
        return None
    others = _sections(other)
    found = [
        _difference(path, name, data, others[name], names)
        for name, data in _sections(one).items()
        if name in others and data != others[name]
    ]
    # A difference in one section moves others: the one with a known cause is the first cause.
    causes = [difference for difference in found if difference.suspect != UNKNOWN]
    return next(iter(causes or found), None) or _difference(path, "", first, second, names)


def _difference(
    path: str, section: str, one: bytes, other: bytes, names: Mapping[str, str]
) -> Difference:
    at = _first_difference(one, other)
    start, end = _text_around(one, at)
    _, other_end = _text_around(other, at)
    here, there = one[start:end], other[start:other_end]
    return Difference(path, section, at, here, there, _suspect(one, other, here, there, names))


def _first_difference(one: bytes, other: bytes) -> int:
    size = min(len(one), len(other))
    low, high = 0, size  # bisection: comparing slices is fast
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _text_around(data: bytes, at: int) -> tuple[int, int]:
    """The bounds of the text at an offset; of one byte if there is none."""
    start = max(0, at - 4096)
    for run in _PRINTABLE.finditer(data, start, at + 4096):
        if run.start() <= at < run.end() and run.end() - run.start() > 3:
            return run.span()
    return at, min(at + 8, len(data))


def _suspect(one: bytes, other: bytes, here: bytes, there: bytes, names: Mapping[str, str]) -> str:
    for kind, text in names.items():
        if text.encode(errors="surrogateescape") in here + b"\0" + there:
            return kind
    if len(one) == len(other) and sorted(one) == sorted(other):
        return "the order of files, of a directory or a hash table"
    if _TIME.search(here) and _TIME.search(there):
        return "the time of the build (such as __DATE__ or __TIME__)"
    if len(one) != len(other) and not one.strip(b"\0").startswith(other.strip(b"\0")[:8]):
        return "the build directory, whose path has another length"
    return UNKNOWN


def _sections(file: Path) -> dict[str, bytes]:
    """The sections of an ELF file by name; {} for another file."""
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - slow to import

    try:
        with file.open("rb") as stream:
            elf: Any = ELFFile(stream)
            return {
                section.name: section.data()
                for section in elf.iter_sections()
                if section["sh_type"] not in ("SHT_NULL", "SHT_NOBITS")
                and section.name != ".note.gnu.build-id"  # the digest of the rest
            }
    except Exception:  # pyelftools raises errors of any type
        return {}


def _shown(data: bytes) -> str:
    """The bytes as text if they are text, else in hex."""
    more = "…" if len(data) > _SHOWN else ""
    data = data[:_SHOWN]
    if data and _PRINTABLE.fullmatch(data):
        return f"“{data.decode()}{more}”"
    return (data.hex(" ") or "nothing") + more
