"""Functions and lines of code, from the symbols and the debug information of an ELF file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from buildtool.core.value import Value

MAX_BYTES = 512 << 20  # of a debug file, also of its sections when they are not compressed
MAX_INLINED = 32
MAX_UNITS = 8  # with code at one address
MAX_SPANS = 1 << 20  # that are not in one piece: the lists of several entries may be one
INTRINSICS = "hvx_hexagon_protos.h"  # has functions that are inlined: not a line that anyone wrote
_Ranges = Callable[[Any, int], Any]
Spans = list[tuple[int, int]]  # each from its first address to the one past its end


class CodePlace(Value):
    """A function, and the line in it; `file` is "" and `line` 0 without debug information."""

    function: str
    file: str = ""
    line: int = 0


def open_debug_file(path: Path) -> DebugFile | None:
    """The debug information in a file; None if it cannot be read."""
    try:
        return DebugFile(path) if path.stat().st_size <= MAX_BYTES else None
    except Exception:  # pyelftools raises anything for a malformed file
        return None


class DebugFile:
    """Reads the description of a compilation unit when an address in its code is asked for."""

    def __init__(self, path: Path) -> None:
        from elftools.elf.constants import SH_FLAGS  # noqa: PLC0415 - only when a place is looked up
        from elftools.elf.elffile import ELFFile  # noqa: PLC0415

        elf: Any = ELFFile(BytesIO(path.read_bytes()))
        self._spans_left = MAX_SPANS
        if _uncompressed_size(elf) > MAX_BYTES:
            raise ValueError("its debug information is too large")
        symbols = elf.get_section_by_name(".symtab")
        self._symbols = sorted(
            (symbol["st_value"], symbol["st_size"], symbol.name)
            for symbol in (symbols.iter_symbols() if symbols else ())
            if symbol["st_info"]["type"] == "STT_FUNC"
        )
        self._code = [
            (section["sh_addr"], section["sh_addr"] + section["sh_size"])
            for section in elf.iter_sections()
            if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR
        ]
        self._functions: list[tuple[Spans, list[tuple[Spans, CodePlace, str]], str]] = []
        self._lines: list[tuple[int, int, str, int]] = []
        self._dwarf: Any = None
        self._units: list[tuple[Spans, Any]] = []
        if elf.has_dwarf_info():
            self._dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False)
            self._units = [
                (self._linked(unit, unit.get_top_DIE()), unit) for unit in self._dwarf.iter_CUs()
            ]

    @property
    def symbols(self) -> list[tuple[int, int, str]]:
        """The functions in its table of symbols: address, size and name."""
        return self._symbols

    def _read_units(self, address: int) -> None:
        found = [unit for spans, unit in self._units if _holds(spans, address)]
        self._units = [entry for entry in self._units if entry[1] not in found]
        for unit in found[:MAX_UNITS]:
            self._read_unit(unit)

    def _read_unit(self, unit: Any) -> None:
        dwarf = self._dwarf
        program = dwarf.line_program_for_CU(unit)
        names = _file_names(program, unit) if program else {}
        if program:
            before: Any = None
            linked = False
            for entry in program.get_entries():
                state = entry.state
                if state is None:
                    continue
                if before is None or before.end_sequence:
                    linked = self._is_code(state.address)
                elif linked:
                    row = (before.address, state.address, names.get(before.file, ""), before.line)
                    self._lines.append(row)
                before = state
        for entry in unit.iter_DIEs():
            if entry.tag == "DW_TAG_subprogram" and (spans := self._linked(unit, entry)):
                inlined = list(_inlined(self._ranges, unit, entry, names, 0))
                self._functions.append((spans, inlined, _name(entry)))

    def _linked(self, unit: Any, entry: Any) -> Spans:
        return [span for span in _spans(self._ranges, unit, entry) if self._is_code(span[0])]

    def _ranges(self, unit: Any, offset: int) -> Any:
        found = self._dwarf.range_lists().get_range_list_at_offset(offset, unit)
        self._spans_left -= len(found)
        if self._spans_left < 0:
            raise ValueError("its debug information has no end")
        return found

    def _is_code(self, address: int) -> bool:
        """Functions that the linker has left out are described too, at addresses near 0."""
        return _holds(self._code, address)

    def places(self, address: int) -> tuple[CodePlace, ...]:
        """The places of `address`, the innermost first; pyelftools raises anything for a malformed
        file."""
        self._read_units(address)
        file, line = "", 0
        for low, high, name, number in self._lines:
            if low <= address < high:
                file, line = name, number
        for spans, inlined, function in self._functions:
            if _holds(spans, address):
                found = []
                for parts, caller, name in reversed(inlined):  # the innermost is the last
                    if _holds(parts, address):
                        found.append(CodePlace(name, file, line))
                        file, line = caller.file, caller.line
                return (*found, CodePlace(function, file, line))
        for start, size, name in self._symbols:
            if start <= address < start + max(size, 1):
                return (CodePlace(name, file, line),)
        return ()


def _file_names(program: Any, unit: Any) -> dict[int, str]:
    header = program.header
    first = 0 if unit["version"] >= 5 else 1
    return {
        number: entry.name.decode("utf-8", "replace").rpartition("/")[2]
        for number, entry in enumerate(header["file_entry"], first)
    }


def _holds(spans: Spans, address: int) -> bool:
    return any(low <= address < high for low, high in spans)


def _uncompressed_size(elf: Any) -> int:
    sections = [each for each in elf.iter_sections() if each["sh_type"] != "SHT_NOBITS"]
    if any(each.name.startswith(".zdebug") for each in sections):
        return MAX_BYTES + 1  # an older way to compress, which does not tell
    return sum(each.data_size for each in sections)


def _spans(ranges: _Ranges, unit: Any, entry: Any) -> Spans:
    """The addresses of the code that `entry` describes."""
    attributes = entry.attributes
    if "DW_AT_ranges" in attributes:
        spans = ranges(unit, attributes["DW_AT_ranges"].value)
        base = _base(unit)
        found = []
        for span in spans:
            if hasattr(span, "begin_offset"):
                start = 0 if span.is_absolute else base
                found.append((start + span.begin_offset, start + span.end_offset))
            else:
                base = span.base_address  # of the spans that follow
        return found
    if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
        return []
    low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
    return [(low, high.value if high.form == "DW_FORM_addr" else low + high.value)]


def _base(unit: Any) -> int:
    low = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    return int(low.value) if low else 0


def _inlined(
    ranges: _Ranges, unit: Any, entry: Any, names: dict[int, str], depth: int
) -> Iterator[tuple[Spans, CodePlace, str]]:
    """The inlined calls in a function, the outer before the inner: where, the line of the call, and
    the name of what is inlined."""
    for child in entry.iter_children() if depth < MAX_INLINED else ():
        if child.tag == "DW_TAG_inlined_subroutine" and (spans := _spans(ranges, unit, child)):
            file, line = (
                child.attributes[name].value if name in child.attributes else 0
                for name in ("DW_AT_call_file", "DW_AT_call_line")
            )
            yield spans, CodePlace("", names.get(file, ""), line), _name(child)
        if child.tag in ("DW_TAG_inlined_subroutine", "DW_TAG_lexical_block"):
            yield from _inlined(ranges, unit, child, names, depth + 1)


def _name(entry: Any) -> str:
    for _ in range(4):
        if "DW_AT_name" in entry.attributes:
            return str(entry.attributes["DW_AT_name"].value.decode("utf-8", "replace"))
        for link in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if link in entry.attributes:
                entry = entry.get_DIE_from_attribute(link)
                break
    return "?"
