"""Splits a program or shared library into what ships and its debug information.

The shipped file has the same segments, byte for byte, and the sections in them; symbol tables,
debug sections and comments are left out.  The debug file has the same sections, but without the
contents of those that are loaded, as `objcopy --only-keep-debug` makes it.  (zig's objcopy does
neither, and GNU's does not know Hexagon.)

Source of the layouts: System V ABI, "ELF Header", "Sections", "Symbol Table", "Note Section".

Each output is copied into a release, and its debug information beside it.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import struct
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from buildtool.core.elf.file import ET_DYN, ET_EXEC
from buildtool.core.elf.read import is_elf
from buildtool.core.files import file_digest, open_regular, temporary_file
from buildtool.core.value import Value
from buildtool.release.slices import ReleaseFile, ShippedOutput

BUILD_ID_PLACEHOLDER = bytes.fromhex("6275696c64746f6f6c206275696c64206964203f")
"""The build-id that profiles have linkers write (cmake/build_id.cmake), which `split` replaces.

Linkers compute build-ids from debug information too, and that contains paths of the machine: zig's
C library has been compiled where zig's cache was.
"""
MAX_SECTIONS = 4096  # linked files have some dozens
MAX_ALIGNMENT = 4096  # of a section that is not loaded; linkers align these to 16 bytes or less

_SHF_ALLOC, _SHF_INFO_LINK = 0x2, 0x40
_SHT_NULL, _SHT_STRTAB, _SHT_NOTE, _SHT_NOBITS, _SHT_DYNSYM = 0, 3, 7, 8, 11
_SHT_PROCESSOR = range(0x70000000, 0x80000000)  # attributes, which a loader may read
_SHN_LORESERVE = 0xFF00
_NT_GNU_BUILD_ID = 3
# Segments of signed Qualcomm files.  Source: Linux, drivers/soc/qcom/mdt_loader.c, QCOM_MDT_TYPE_*.
_QUALCOMM_SEGMENT = 0x07000000
_PIECE = 1 << 20


class Split(Value):
    """The build-id of a file in hex, and whether there is a debug file."""

    build_id: str
    has_debug: bool


class CannotSplitError(ValueError):
    """The file must ship as it is: it is malformed, signed, or not linked."""


def split(path: Path, shipped: Path, debug: Path) -> Split:
    """Write what ships of the ELF file `path` to `shipped`, and the rest to `debug` if there is
    something that only debuggers read.

    The build-id is the one in the file, or the digest of the shipped file in place of
    `BUILD_ID_PLACEHOLDER` or where there is none.  Raises `CannotSplitError` for a file that must
    ship as it is, and `OSError`; the caller removes `shipped` and `debug` then.
    """
    with _mapped(path) as data:
        try:
            return _split(_File(data), shipped, debug)
        except (struct.error, IndexError, ValueError, OverflowError) as error:
            raise CannotSplitError(str(error)) from error


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    with open_regular(path, follow=True) as stream:
        try:
            data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # it is empty
            raise CannotSplitError(str(error)) from error
        with data:
            yield data


class _Section(Value):
    """One row of the section table; the order of the fields is that of the table."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int

    @property
    def loaded(self) -> bool:
        return bool(self.flags & _SHF_ALLOC)

    @property
    def in_file(self) -> bool:
        return self.kind not in (_SHT_NULL, _SHT_NOBITS)


class _File:
    """An ELF file; raises `ValueError` for one that cannot be split."""

    def __init__(self, data: mmap.mmap) -> None:
        if data[:4] != b"\x7fELF" or data[4] not in (1, 2) or data[5] != 1:
            raise ValueError("not a little-endian ELF file")
        is_64 = data[4] == 2
        self.data = data
        self.header_format = struct.Struct("<16sHHIQQQIHHHHHH" if is_64 else "<16sHHIIIIIHHHHHH")
        self.section_format = struct.Struct("<IIQQQQIIQQ" if is_64 else "<10I")
        self.symbol_format = struct.Struct("<IBBHQQ" if is_64 else "<IIIBBH")
        self.symbol_section = 3 if is_64 else 5
        segment = struct.Struct("<IIQQQQQQ" if is_64 else "<8I")
        flags, offset, size = (1, 2, 5) if is_64 else (6, 1, 4)
        self.header = self.header_format.unpack_from(data)
        _, kind, *_, segments_at, sections_at, _, _, segment_size, count, size_of, number, names = (
            self.header
        )
        if kind not in (ET_EXEC, ET_DYN):
            raise ValueError("neither a program nor a shared library")
        if not number or size_of != self.section_format.size or segment_size != segment.size:
            raise ValueError("no section table, or one of an unknown format")
        rows = [segment.unpack_from(data, segments_at + i * segment_size) for i in range(count)]
        if any(row[flags] & _QUALCOMM_SEGMENT for row in rows):
            raise ValueError("signed")
        self.sections = [
            _Section(*self.section_format.unpack_from(data, sections_at + i * size_of))
            for i in range(number)
        ]
        if number > MAX_SECTIONS or sum(s.size for s in self.sections if s.in_file) > 2 * len(data):
            raise ValueError("more sections than linkers make, or overlapping ones")
        self.names_index = names
        self.names = self.content(self.sections[names])
        headers = max(self.header_format.size, segments_at + count * segment_size)
        self.end_of_headers = headers
        self.end_of_segments = max(
            headers,
            *(row[offset] + row[size] for row in rows),
            *(s.offset + s.size for s in self.sections if s.loaded and s.in_file),
        )

    def name(self, section: _Section) -> bytes:
        return self.names[section.name : self.names.index(b"\0", section.name)]

    def content(self, section: _Section) -> bytes:
        self._check_inside(section.offset, section.size)
        return self.data[section.offset : section.offset + section.size]

    def copy(self, out: BinaryIO, offset: int, size: int) -> None:
        """Append bytes of the file to `out`, in pieces: debug information can be very large."""
        self._check_inside(offset, size)
        for at in range(offset, offset + size, _PIECE):
            out.write(self.data[at : min(at + _PIECE, offset + size)])

    def _check_inside(self, offset: int, size: int) -> None:
        if offset + size > len(self.data):
            raise ValueError("a section or segment beyond the end of the file")

    def build_id_at(self) -> int:
        """The offset of a build-id of 20 bytes, 0 if there is none."""
        for section in self.sections:
            if section.kind == _SHT_NOTE and section.loaded:
                note = self.content(section)
                if note[:16] == struct.pack("<III4s", 4, 20, _NT_GNU_BUILD_ID, b"GNU\0"):
                    return section.offset + 16
        return 0


def _split(file: _File, shipped: Path, debug: Path) -> Split:
    sections = {i: s for i, s in enumerate(file.sections) if i != file.names_index}
    kept = {
        index: section
        for index, section in sections.items()
        if section.kind == _SHT_NULL or section.loaded or section.kind in _SHT_PROCESSOR
    }
    has_debug = any(file.name(sections[index]) != b".comment" for index in sections.keys() - kept)
    at = file.build_id_at()
    build_id = file.data[at : at + 20] if at else BUILD_ID_PLACEHOLDER
    if at and build_id != BUILD_ID_PLACEHOLDER and not has_debug:
        with shipped.open("wb") as stream:
            file.copy(stream, 0, len(file.data))
        return Split(build_id.hex(), has_debug)
    _write(file, shipped, file.end_of_segments, kept, {i for i in kept if not kept[i].loaded})
    with shipped.open("r+b") as stream:
        for offset, symbols in _renumbered_symbols(file, kept):
            stream.seek(offset)
            stream.write(symbols)
    if build_id == BUILD_ID_PLACEHOLDER:
        with shipped.open("rb") as stream:
            build_id = hashlib.file_digest(stream, "sha256").digest()[:20]
        _overwrite(shipped, at, build_id)
    if has_debug:
        # Debuggers find the build-id in the note; of what else is loaded they need the address.
        contents = {i for i, s in sections.items() if not s.loaded or s.kind == _SHT_NOTE}
        unhidden = {i for i, s in sections.items() if i in contents or s.kind == _SHT_NULL}
        rows = {
            i: s if i in unhidden else s._replace(kind=_SHT_NOBITS) for i, s in sections.items()
        }
        offsets = _write(file, debug, file.end_of_headers, rows, contents)
        for index in contents:
            if sections[index].offset + 16 == at:
                _overwrite(debug, offsets[index] + 16, build_id)
    return Split(build_id.hex(), has_debug)


def _overwrite(path: Path, offset: int, data: bytes) -> None:
    """Replace bytes of a file; nothing at offset 0, where the header is."""
    if offset:
        with path.open("r+b") as stream:
            stream.seek(offset)
            stream.write(data)


def _renumbered_symbols(file: _File, kept: Mapping[int, _Section]) -> Iterator[tuple[int, bytes]]:
    """The tables of dynamic symbols, with the new numbers of their sections, and their offsets."""
    numbers = {old: new for new, old in enumerate(kept)}
    for section in kept.values():
        if section.kind != _SHT_DYNSYM:
            continue
        table = bytearray(file.content(section))
        for at in range(0, len(table), file.symbol_format.size):
            symbol = [*file.symbol_format.unpack_from(table, at)]
            if symbol[file.symbol_section] < _SHN_LORESERVE:
                symbol[file.symbol_section] = numbers.get(symbol[file.symbol_section], 0)
                file.symbol_format.pack_into(table, at, *symbol)
        yield section.offset, bytes(table)


def _write(
    file: _File, path: Path, start: int, sections: Mapping[int, _Section], added: Collection[int]
) -> dict[int, int]:
    """Write the first `start` bytes of `file`, and a table of `sections`; the contents of those
    with the numbers `added` follow the first bytes.  Returns the new offsets of sections."""
    numbers = {old: new for new, old in enumerate(sections)}
    names, rows = bytearray(b"\0"), []
    with path.open("wb") as out:
        file.copy(out, 0, start)
        for number, section in sections.items():
            if section.kind == _SHT_NULL:
                rows.append(section)
                continue
            offset = section.offset
            if number in added:
                offset = _pad(out, section.alignment)
                file.copy(out, section.offset, section.size if section.in_file else 0)
            linked = bool(section.flags & _SHF_INFO_LINK)
            row = section._replace(
                name=len(names),
                offset=offset,
                link=numbers.get(section.link, 0),
                info=numbers.get(section.info, 0) if linked else section.info,
            )
            rows.append(row)
            names += file.name(section) + b"\0"
        own = _Section(len(names), _SHT_STRTAB, 0, 0, out.tell(), 0, 0, 0, 1, 0)
        names += b".shstrtab\0"
        rows.append(own._replace(size=len(names)))
        out.write(names)
        table = _pad(out, 8)
        for row in rows:
            out.write(file.section_format.pack(*row))
        out.seek(0)
        header = (*file.header[:6], table, *file.header[7:12], len(rows), len(rows) - 1)
        out.write(file.header_format.pack(*header))
    return {number: rows[numbers[number]].offset for number in sections}


def _pad(out: BinaryIO, alignment: int) -> int:
    """Write zeros up to a multiple of `alignment`; returns the offset there."""
    if alignment > MAX_ALIGNMENT:
        raise ValueError(f"a section aligned to {alignment}")
    zeros = -out.tell() % max(1, alignment)
    out.write(bytes(zeros))
    return out.tell()


def ship(output: ShippedOutput, place: str, root: Path, debug: Path) -> ReleaseFile:
    """Copy `output` to `place` below `root`, without debug information, which goes below `debug`.

    Raises `OSError`.
    """
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    # A library of a toolchain or package can have any mode.
    mode = 0o755 if output.path.stat().st_mode & 0o100 else 0o644
    parts = _without_debug(output.path, path, place, debug)
    path.chmod(mode)
    return ReleaseFile(
        place,
        mode,
        path.stat().st_size,
        file_digest(path),
        output.step.name,
        parts.build_id if parts else "",
    )


def _without_debug(source: Path, path: Path, place: str, debug: Path) -> Split | None:
    """Copy `source` to `path`; None for a file that has to ship as it is."""
    if is_elf(source):
        with temporary_file(debug) as fresh:
            try:
                parts = split(source, path, fresh)
            except CannotSplitError:
                pass
            else:
                if parts.has_debug:
                    _name(fresh, debug / f"{place}.debug", parts.build_id, debug)
                return parts
    shutil.copyfile(source, path)
    return None


def _name(file: Path, named: Path, build_id: str, debug: Path) -> None:
    """Move the debug file to where GDB and LLDB look for it, and make the link `named` to it.

    Source: GDB manual, "Separate Debug Files".
    """
    place = debug / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    for folder in (place.parent, named.parent):
        folder.mkdir(parents=True, exist_ok=True)
    file.chmod(0o644)
    file.replace(place)
    named.symlink_to(os.path.relpath(place, named.parent))
