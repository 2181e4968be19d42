"""Reads ELF shared objects and programs.

Files are not trusted: whatever is wrong with one becomes an `ElfError`, and each is read only so
often.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, TypeVar

from buildtool.core.elf.file import (
    EM_HEXAGON,
    MAGIC,
    MAX_NAME,
    PT_GNU_STACK,
    PT_INTERP,
    PT_LOAD,
    PT_TLS,
    ElfFile,
    open_elf,
    read_notes,
    relocated_symbols,
    sections,
)
from buildtool.core.elf.symbols import FUNCTION, VersionNeed, dynamic_symbols, version_needs
from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value

SHF_ALLOC, SHF_EXECINSTR = 2, 4
_SHT_PROGBITS, _SHT_SYMTAB = 1, 2
DEBUG = (".symtab", ".debug_", ".zdebug_", ".gdb_index")  # names of sections that begin so
ELF32 = 32
_DF_TEXTREL = 4
_Read = TypeVar("_Read")


class ElfError(BuildtoolError):
    """A file is not an ELF file, or a damaged one."""

    code = "elf"


class Elf(Value):
    """One ELF file.

    `kind` is `DYN`, `EXEC`, `REL` …; `imports` are the undefined dynamic symbols that must be
    resolved, `weak_imports` those that need not be; `unused_imports` are those of a Hexagon file's
    `imports` that no relocation uses; `version_needs` are the required versions of
    other libraries' symbols; `load_alignments` has one entry for each LOAD segment; `notes` are the
    descriptors of the notes whose owner is this tool (the digest of the IDL).

    `runpath` are the directories of DT_RUNPATH and DT_RPATH; `stack_flags` are the permissions of
    the stack in PT_GNU_STACK, None without it; `tls_size` and `tls_alignment` are those of the
    thread-local data in bytes, 0 without any; `android_api` is the API level that it was linked
    for, 0 if it is unknown; `debug_sections` are the first few sections that stripping removes.
    """

    path: Path
    bits: int
    machine: int
    flags: int
    kind: str
    soname: str
    needed: tuple[str, ...]
    exports: frozenset[str]
    imports: frozenset[str]
    weak_imports: frozenset[str]
    version_needs: tuple[VersionNeed, ...]
    load_alignments: tuple[int, ...]
    dynamic_tags: frozenset[str]
    notes: tuple[str, ...]
    runpath: tuple[str, ...] = ()
    interpreter: str = ""
    text_relocations: bool = False
    stack_flags: int | None = None
    tls_size: int = 0
    tls_alignment: int = 0
    build_id: str = ""
    android_api: int = 0
    debug_sections: tuple[str, ...] = ()
    unused_imports: frozenset[str] = frozenset()

    @property
    def hexagon_arch(self) -> str:
        """`v73` for a Hexagon file, `v67t` for the tiny core of v67, else "".

        Source: LLVM, EF_HEXAGON_MACH and EF_HEXAGON_TINY_CORE.
        """
        tiny = "t" if self.flags & 0x8000 else ""
        return f"v{self.flags & 0x3FF:x}{tiny}" if self.machine == EM_HEXAGON else ""


class Dynamic(Value):
    """The parts of an ELF file that a loader needs before it resolves symbols.

    `kind` is as in `Elf`; `runpath` are the directories of DT_RUNPATH, or without it those of
    DT_RPATH.
    """

    kind: str
    soname: str
    needed: tuple[str, ...]
    runpath: tuple[str, ...]


def read_elf(path: Path) -> Elf:
    """Read an ELF file.

    Raises `ElfError` when it cannot be read, is not an ELF file, or is malformed.
    """
    return _checked(path, lambda file: _read(path, file))


def read_dynamic(path: Path) -> Dynamic:
    """Read the fields of `Dynamic` only, in less time; raises as `read_elf` does."""
    return _checked(path, _read_dynamic)


def read_section_sizes(path: Path) -> dict[str, int]:
    """The size in bytes in memory of each section that is loaded; raises as `read_elf` does."""

    def read(file: ElfFile) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for each in sections(file):
            if each.flags & SHF_ALLOC:
                sizes[each.name] = sizes.get(each.name, 0) + each.size
        return sizes

    return _checked(path, read)


def read_memory_sizes(path: Path) -> tuple[int, int]:
    """The bytes of code, and of everything else that is loaded; raises as `read_elf` does."""

    def read(file: ElfFile) -> tuple[int, int]:
        loaded = [each for each in sections(file) if each.flags & SHF_ALLOC]
        code = sum(each.size for each in loaded if each.flags & SHF_EXECINSTR)
        return code, sum(each.size for each in loaded) - code

    return _checked(path, read)


class Code(Value):
    """The code of a linked file: address and bytes of each section, name and size of exported
    functions by address, and the addresses of those in its table of symbols, if it has one."""

    sections: tuple[tuple[int, bytes], ...]
    exports: Mapping[int, tuple[str, int]]
    functions: frozenset[int]


def read_code(path: Path) -> Code:
    """The code of a file with a section table; raises as `read_elf` does."""

    def read(file: ElfFile) -> Code:
        rows = [*sections(file)] if file.kind != "REL" else []
        found = [
            (each.address, file.read(each.offset, each.size))
            for each in rows
            if each.flags & SHF_EXECINSTR and each.kind == _SHT_PROGBITS
        ]
        tables = [file.read(each.offset, each.size) for each in rows if each.kind == _SHT_SYMTAB]
        exports = {
            symbol.address: (symbol.name, symbol.size)
            for symbol in dynamic_symbols(file)
            if symbol.is_function and not symbol.undefined
        }
        return Code(tuple(found), exports, frozenset(_functions(file, tables)))

    return _checked(path, read)


def _functions(file: ElfFile, tables: Iterable[bytes]) -> Iterator[int]:
    """The addresses of the functions in tables of symbols of 32-bit files."""
    row = struct.Struct(f"{file.order}IIIBBH")
    for table in tables if file.bits == ELF32 else ():
        for _, address, _, info, _, section in row.iter_unpack(table[: len(table) & -row.size]):
            if info & 15 == FUNCTION and section:
                yield address


def _checked(path: Path, read: Callable[[ElfFile], _Read]) -> _Read:
    try:
        if path.exists() and not path.is_file():
            raise ElfError(f"{path} is not a regular file", remedy="Name an ELF file.")
        with path.open("rb") as stream:
            return read(open_elf(BoundedStream(stream)))
    except OSError as error:
        raise ElfError(
            f"{path} cannot be read", why=str(error.strerror), remedy="Check the path."
        ) from error
    except (ValueError, OverflowError, struct.error) as error:
        raise ElfError(
            f"{path} is not a valid ELF file",
            why=str(error),
            remedy="Build it again; if it was copied, copy it again.",
        ) from error


def is_elf(path: Path) -> bool:
    """Whether a file starts with the magic number of ELF; False for a directory.

    Raises `OSError` when it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(4) == MAGIC
    except IsADirectoryError:
        return False


def _read(path: Path, file: ElfFile) -> Elf:
    # Segments, not sections: loaders read segments, and a stripped file may have no sections.
    exports: set[str] = set()
    weak: set[str] = set()
    imports: dict[int, str] = {}
    undefined: dict[int, str] = {}
    for symbol in dynamic_symbols(file):
        if symbol.undefined:
            undefined[symbol.number] = symbol.name
            if symbol.weak:
                weak.add(symbol.name)
            else:
                imports[symbol.number] = symbol.name
        elif not symbol.hidden:
            exports.add(symbol.name)
    unused: set[str] = set()
    if file.machine == EM_HEXAGON and file.bits == ELF32 and file.order == "<":
        used = relocated_symbols(file)
        unused.update(name for index, name in imports.items() if index not in used)
    notes, tags = read_notes(file), file.dynamic
    stack, tls = file.segment(PT_GNU_STACK), file.segment(PT_TLS)
    return Elf(
        path=path,
        bits=file.bits,
        machine=file.machine,
        flags=file.flags,
        kind=file.kind,
        soname=_soname(file),
        needed=tuple(file.texts("DT_NEEDED")),
        exports=frozenset(exports),
        imports=frozenset(imports.values()),
        weak_imports=frozenset(weak),
        version_needs=tuple(version_needs(file, undefined)),
        load_alignments=tuple(
            each.alignment for each in file.segments if each.kind == PT_LOAD and each.memory_size
        ),
        dynamic_tags=frozenset(tags),
        notes=notes.digests,
        runpath=tuple(
            folder
            for tag in ("DT_RPATH", "DT_RUNPATH")
            for text in file.texts(tag)
            for folder in (text.split(":") if text else ())
        ),
        interpreter=_interpreter(file),
        text_relocations="DT_TEXTREL" in tags or bool(tags.get("DT_FLAGS", 0) & _DF_TEXTREL),
        stack_flags=stack.flags if stack else None,
        tls_size=tls.memory_size if tls else 0,
        tls_alignment=tls.alignment if tls else 0,
        build_id=notes.build_id,
        android_api=notes.android_api,
        debug_sections=tuple(
            itertools.islice((s.name for s in sections(file) if s.name.startswith(DEBUG)), 8)
        ),
        unused_imports=frozenset(unused),
    )


def _read_dynamic(file: ElfFile) -> Dynamic:
    runpath = (file.texts("DT_RUNPATH") or file.texts("DT_RPATH") or [""])[-1]
    return Dynamic(
        kind=file.kind,
        soname=_soname(file),
        needed=tuple(file.texts("DT_NEEDED")),
        runpath=tuple(runpath.split(":")) if runpath else (),
    )


def _soname(file: ElfFile) -> str:
    return (file.texts("DT_SONAME") or [""])[-1]


def _interpreter(file: ElfFile) -> str:
    """The path of the loader in a PT_INTERP segment, "" without one."""
    segment = file.segment(PT_INTERP)
    if segment is None:
        return ""
    data = file.read(segment.offset, min(segment.file_size, MAX_NAME))
    return data.partition(b"\0")[0].decode(errors="replace")


MAX_READS = 300_000  # a large library takes some 100,000; more means that the file is malicious
MAX_BYTES_READ = 64 << 20


class BoundedStream:
    """A file that raises `ValueError` after too many reads: counts in an ELF file may be wrong."""

    def __init__(self, stream: BinaryIO) -> None:
        self.seek, self.tell, self.close = stream.seek, stream.tell, stream.close
        self.name = stream.name
        self._stream = stream
        self._reads = 0
        self._bytes = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size if 0 <= size <= MAX_BYTES_READ else MAX_BYTES_READ + 1)
        self._reads += 1
        self._bytes += len(data)
        if self._reads > MAX_READS or self._bytes > MAX_BYTES_READ:
            raise ValueError("its tables have no end")
        return data
