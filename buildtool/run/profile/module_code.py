"""The code of a skel: bytes from the release, functions and lines from debug information."""

from __future__ import annotations

import bisect
import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from buildtool.core.value import Value

MAX_BYTES = 512 << 20
"""Of a file."""
PLT_HEADER, PLT_ENTRY = 32, 16
"""Bytes of the code that calls other modules.  Source: LLVM, lld/ELF/Arch/Hexagon.cpp."""
LIBRARY = "(system)"
"""The module of functions that the DSP's system provides to skels."""


class CodeFunction(Value):
    """A function at the addresses [start, end)."""

    name: str
    start: int
    end: int


class SourceLine(Value):
    """A line of a source file; `path` is as the compiler was given it, `line` 0 if unknown."""

    path: str = ""
    line: int = 0

    @property
    def short(self) -> str:
        """The line without directories; "" if unknown."""
        return f"{self.path.rpartition('/')[2]}:{self.line}" if self.line else ""


class ModuleCode:
    """The code in the file `path`; `debug` has its debug information.  Without it, there are the
    functions in `path`, and no lines.

    A file that cannot be read has no code, no functions and no lines.
    """

    def __init__(self, path: Path | None, debug: Path | None = None) -> None:
        self.path = path
        self.build_id = ""
        self._segments: list[tuple[int, bytes]] = []
        self._functions: list[tuple[int, int, str]] = []
        self._lines: list[tuple[int, int, str, int]] = []
        self._wants_lines = debug is not None
        for file, read in ((path, self._read_code), (debug or path, self._read_debug)):
            try:
                if file and file.stat().st_size <= MAX_BYTES:
                    read(BytesIO(file.read_bytes()))
            except Exception:
                continue

    def word_at(self, address: int) -> int | None:
        """The word of code at an address, None if there is no code."""
        for start, data in self._segments:
            if start <= address <= start + len(data) - 4:
                return int(struct.unpack_from("<I", data, address - start)[0])
        return None

    def function_at(self, address: int) -> CodeFunction | None:
        """The function in the table of symbols that contains an address."""
        number = bisect.bisect_right(self._functions, (address, 1 << 64, "")) - 1
        if number >= 0:
            start, size, name = self._functions[number]
            if address < start + max(size, 1):
                return CodeFunction(name, start, start + size)
        return None

    def functions_named(self, name: str) -> tuple[CodeFunction, ...]:
        """The functions with a name."""
        return tuple(
            CodeFunction(found, start, start + size)
            for start, size, found in self._functions
            if found == name
        )

    @property
    def names(self) -> set[str]:
        """The names of all functions."""
        return {name for _, _, name in self._functions}

    def line_at(self, address: int) -> SourceLine:
        """The line of the code at an address."""
        number = bisect.bisect_right(self._lines, (address, 1 << 64, "", 0)) - 1
        if number >= 0 and address < self._lines[number][1]:
            return SourceLine(*self._lines[number][2:])
        return SourceLine()

    def _read_code(self, stream: BytesIO) -> None:
        from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - only for profiles

        elf: Any = ELFFile(stream)
        for segment in elf.iter_segments():
            if segment["p_type"] == "PT_LOAD" and segment["p_flags"] & 1:
                self._segments.append((segment["p_vaddr"], segment.data()))
        note = elf.get_section_by_name(".note.gnu.build-id")
        self.build_id = note.data()[16:].hex() if note else ""
        plt, calls = elf.get_section_by_name(".plt"), elf.get_section_by_name(".rela.plt")
        if plt and calls and plt["sh_size"] == PLT_HEADER + PLT_ENTRY * calls.num_relocations():
            symbols, first = elf.get_section_by_name(".dynsym"), plt["sh_addr"] + PLT_HEADER
            for number, call in enumerate(calls.iter_relocations()):
                name = symbols.get_symbol(call["r_info_sym"]).name
                self._functions.append((first + PLT_ENTRY * number, PLT_ENTRY, f"{name}@plt"))

    def _read_debug(self, stream: BytesIO) -> None:
        from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - only for profiles

        elf: Any = ELFFile(stream)
        symbols = elf.get_section_by_name(".symtab") or elf.get_section_by_name(".dynsym")
        self._functions += (
            (symbol["st_value"], symbol["st_size"], symbol.name)
            for symbol in (symbols.iter_symbols() if symbols else ())
            if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF"
        )
        self._functions.sort()
        if not (self._wants_lines and elf.has_dwarf_info()):
            return
        dwarf: Any = elf.get_dwarf_info(relocate_dwarf_sections=False)
        for unit in dwarf.iter_CUs():
            if program := dwarf.line_program_for_CU(unit):
                self._lines += self._rows(program, unit["version"])
        self._lines.sort()

    def _rows(self, program: Any, version: int) -> Iterator[tuple[int, int, str, int]]:
        """The rows of a unit: from an address to another one, the path and the line.  Functions
        that the linker has left out are described too, at addresses near 0."""
        header = program.header
        first = 0 if version >= 5 else 1
        folders = [folder.decode("utf-8", "replace") for folder in header["include_directory"]]
        paths = {}
        for number, entry in enumerate(header["file_entry"], first):
            folder = entry.dir_index - first
            name = entry.name.decode("utf-8", "replace")
            known = 0 <= folder < len(folders) and not name.startswith("/")
            paths[number] = f"{folders[folder]}/{name}" if known else name
        before: Any = None
        is_linked = False
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            if before is None or before.end_sequence:
                is_linked = self.function_at(state.address) is not None
            elif is_linked and before.address < state.address:
                path = paths.get(before.file, "").removeprefix("./")
                yield before.address, state.address, path, before.line
            before = state
