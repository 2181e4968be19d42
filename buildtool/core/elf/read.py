"""Reads ELF shared objects and programs.

Files are not trusted: every error of pyelftools becomes an `ElfError`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from buildtool.core.bounded_stream import BoundedStream
from buildtool.core.elf.machine import EM_HEXAGON
from buildtool.core.elf.notes import read_notes
from buildtool.core.elf.relocations import relocated_symbols
from buildtool.core.elf.sections import section_names, sections
from buildtool.core.elf.symbols import dynamic_symbols
from buildtool.core.elf.versions import VersionNeed, version_needs
from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value

SHF_ALLOC = 2
DEBUG = (".symtab", ".debug_", ".zdebug_", ".gdb_index")  # names of sections that begin so
ELF32 = 32
_DF_TEXTREL = 4
_Read = TypeVar("_Read")


class ElfError(BuildtoolError):
    """A file is not an ELF file, or a damaged one."""

    code = "elf"


@dataclass(frozen=True, slots=True)
class Elf:
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
        """`v73` for a Hexagon file, else "".  Source: LLVM, EF_HEXAGON_MACH."""
        return f"v{self.flags & 0x3FF:x}" if self.machine == EM_HEXAGON else ""


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
    return _checked(path, lambda stream: _read(path, stream))


def read_dynamic(path: Path) -> Dynamic:
    """Read the fields of `Dynamic` only, in less time; raises as `read_elf` does."""
    return _checked(path, _read_dynamic)


def read_section_sizes(path: Path) -> dict[str, int]:
    """The size in bytes in memory of each section that is loaded; raises as `read_elf` does."""
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - it takes longer than reading

    def read(stream: Any) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for name, flags, size in sections(ELFFile(stream), stream):
            if flags & SHF_ALLOC:
                sizes[name] = sizes.get(name, 0) + size
        return sizes

    return _checked(path, read)


def _checked(path: Path, read: Callable[[Any], _Read]) -> _Read:
    try:
        if path.exists() and not path.is_file():
            raise ElfError(f"{path} is not a regular file", remedy="Name an ELF file.")
        with path.open("rb") as stream:
            return read(BoundedStream(stream))
    except OSError as error:
        raise ElfError(
            f"{path} cannot be read", why=str(error.strerror), remedy="Check the path."
        ) from error
    except ElfError:
        raise
    except Exception as error:  # pyelftools raises errors of any type
        raise ElfError(
            f"{path} is not a valid ELF file",
            why=f"{type(error).__name__}: {error}".removesuffix(": "),
            remedy="Build it again; if it was copied, copy it again.",
        ) from error


def preload_elf_parser() -> None:
    """Import pyelftools, which takes longer than reading a file does."""
    import elftools.elf.dynamic  # noqa: F401, PLC0415
    import elftools.elf.elffile  # noqa: F401, PLC0415


def is_elf(path: Path) -> bool:
    """Whether a file starts with the magic number of ELF; False for a directory.

    Raises `OSError` when it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except IsADirectoryError:
        return False


def _read(path: Path, stream: Any) -> Elf:
    from elftools.elf.dynamic import DynamicSegment  # noqa: PLC0415 - slow to import
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    elf: Any = ELFFile(stream)
    # Segments, not sections: loaders read segments, and a stripped file may have no sections.
    segments: list[Any] = list(elf.iter_segments())
    needed, runpath, soname, tags = [], list[str](), "", set()
    text_relocations = False
    exports: set[str] = set()
    imports: set[str] = set()
    weak: set[str] = set()
    unused: set[str] = set()
    machine = _machine_number(elf)
    versions: list[VersionNeed] = []
    for segment in segments:
        if not isinstance(segment, DynamicSegment):
            continue
        tag: Any
        for tag in segment.iter_tags():
            tags.add(str(tag.entry.d_tag))
            if tag.entry.d_tag == "DT_NEEDED":
                needed.append(str(tag.needed))
            elif tag.entry.d_tag == "DT_SONAME":
                soname = str(tag.soname)
            elif tag.entry.d_tag in ("DT_RUNPATH", "DT_RPATH"):
                path_list = str(getattr(tag, tag.entry.d_tag[3:].lower()))
                runpath += path_list.split(":") if path_list else []
            elif tag.entry.d_tag == "DT_FLAGS":
                text_relocations |= bool(tag.entry.d_val & _DF_TEXTREL)
        undefined = {}
        for symbol in dynamic_symbols(segment, stream, bits=elf.elfclass, little=elf.little_endian):
            if symbol.undefined:
                undefined[symbol.index] = symbol.name
                (weak if symbol.weak else imports).add(symbol.name)
            elif not symbol.hidden:
                exports.add(symbol.name)
        if machine == EM_HEXAGON and elf.elfclass == ELF32 and elf.little_endian:
            used = relocated_symbols(segment, stream)
            unused.update(name for index, name in undefined.items() if index not in used)
        versions += version_needs(segment, stream, undefined, little=elf.little_endian)
    notes = read_notes(segments, stream, little=elf.little_endian)
    by_type = {segment["p_type"]: segment for segment in segments}
    return Elf(
        path=path,
        bits=elf.elfclass,
        machine=machine,
        flags=elf.header["e_flags"],
        kind=_kind(elf),
        soname=soname,
        needed=tuple(needed),
        exports=frozenset(exports),
        imports=frozenset(imports),
        weak_imports=frozenset(weak),
        version_needs=tuple(versions),
        load_alignments=tuple(
            segment["p_align"]
            for segment in segments
            if segment["p_type"] == "PT_LOAD" and segment["p_memsz"]
        ),
        dynamic_tags=frozenset(tags),
        notes=notes.digests,
        runpath=tuple(runpath),
        interpreter=_interpreter(by_type.get("PT_INTERP"), stream),
        text_relocations=text_relocations or "DT_TEXTREL" in tags,
        stack_flags=by_type["PT_GNU_STACK"]["p_flags"] if "PT_GNU_STACK" in by_type else None,
        tls_size=by_type["PT_TLS"]["p_memsz"] if "PT_TLS" in by_type else 0,
        tls_alignment=by_type["PT_TLS"]["p_align"] if "PT_TLS" in by_type else 0,
        build_id=notes.build_id,
        android_api=notes.android_api,
        debug_sections=tuple(
            itertools.islice((n for n in section_names(elf, stream) if n.startswith(DEBUG)), 8)
        ),
        unused_imports=frozenset(unused & imports),
    )


def _read_dynamic(stream: Any) -> Dynamic:
    from elftools.elf.dynamic import DynamicSegment  # noqa: PLC0415 - slow to import
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    elf: Any = ELFFile(stream)
    texts: dict[str, list[str]] = {}
    for segment in elf.iter_segments():
        tag: Any
        for tag in segment.iter_tags() if isinstance(segment, DynamicSegment) else ():
            name = str(tag.entry.d_tag)
            if name in ("DT_SONAME", "DT_NEEDED", "DT_RUNPATH", "DT_RPATH"):
                texts.setdefault(name, []).append(str(getattr(tag, name[3:].lower())))
    runpath = texts.get("DT_RUNPATH") or texts.get("DT_RPATH") or [""]
    return Dynamic(
        kind=_kind(elf),
        soname=texts.get("DT_SONAME", [""])[-1],
        needed=tuple(texts.get("DT_NEEDED", ())),
        runpath=tuple(runpath[-1].split(":")) if runpath[-1] else (),
    )


def _kind(elf: Any) -> str:
    return str(elf.header["e_type"]).removeprefix("ET_")


def _machine_number(elf: Any) -> int:
    from elftools.elf.enums import ENUM_E_MACHINE  # noqa: PLC0415

    machine = elf.header["e_machine"]
    return machine if isinstance(machine, int) else int(ENUM_E_MACHINE[machine])


def _interpreter(segment: Any, stream: Any) -> str:
    """The path of the loader in a PT_INTERP segment, "" without one."""
    if segment is None:
        return ""
    stream.seek(segment["p_offset"])
    data = stream.read(min(segment["p_filesz"], 4096))
    return str(data.partition(b"\0")[0].decode(errors="replace"))
