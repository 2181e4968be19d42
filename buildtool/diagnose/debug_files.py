"""Functions and lines of code, from the debug information that a release leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from buildtool.core.value import Value
from buildtool.diagnose.crash_report import Frame

MAX_BYTES = 512 << 20  # of a debug file
MAX_INLINED = 32


class Place(Value):
    """A function, and the line in it; `file` is "" and `line` 0 without debug information."""

    function: str
    file: str = ""
    line: int = 0


class DebugFiles:
    """The debug information of a release, in the directory `folder`: `.build-id/12/3456….debug`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, _DebugFile | None] = {}

    def places(self, frame: Frame, *, call: bool) -> tuple[Place, ...]:
        """The function at `frame`, after the functions that are inlined there; () if unknown.

        `call`: the frame is the return address of a call, so that the call is before it.
        """
        if not frame.build_id:
            return ()
        if frame.build_id not in self._open:
            self._open[frame.build_id] = self._read(frame.build_id)
        file = self._open[frame.build_id]
        return file.places(frame.offset - 4 if call else frame.offset) if file else ()

    def _read(self, build_id: str) -> _DebugFile | None:
        path = self._folder / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
        try:
            if path.stat().st_size > MAX_BYTES:
                return None
            return _DebugFile(path)
        except Exception:  # pyelftools raises anything for a malformed file
            return None


class _DebugFile:
    def __init__(self, path: Path) -> None:
        from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - only after a crash

        with path.open("rb") as stream:
            elf: Any = ELFFile(stream)
            symbols = elf.get_section_by_name(".symtab")
            self._symbols = sorted(
                (symbol["st_value"], symbol["st_size"], symbol.name)
                for symbol in (symbols.iter_symbols() if symbols else ())
                if symbol["st_info"]["type"] == "STT_FUNC"
            )
            self._functions: list[tuple[int, int, list[tuple[int, int, Place, str]], str]] = []
            self._lines: list[tuple[int, int, str, int]] = []
            if elf.has_dwarf_info():
                dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False)
                for unit in dwarf.iter_CUs():
                    self._read_unit(dwarf, unit)

    def _read_unit(self, dwarf: Any, unit: Any) -> None:
        program = dwarf.line_program_for_CU(unit)
        names = _file_names(program, unit) if program else {}
        if program:
            before: Any = None
            for entry in program.get_entries():
                state = entry.state
                if state is None:
                    continue
                if before is not None and not before.end_sequence:
                    row = (before.address, state.address, names.get(before.file, ""), before.line)
                    self._lines.append(row)
                before = state
        for entry in unit.iter_DIEs():
            if entry.tag == "DW_TAG_subprogram" and (span := _span(dwarf, unit, entry)):
                inlined = list(_inlined(dwarf, unit, entry, names, 0))
                self._functions.append((*span, inlined, _name(entry)))

    def places(self, address: int) -> tuple[Place, ...]:
        file, line = "", 0
        for low, high, name, number in self._lines:
            if low <= address < high:
                file, line = name, number
        for low, high, inlined, function in self._functions:
            if low <= address < high:
                found = []
                for first, last, caller, name in reversed(inlined):  # the innermost is the last
                    if first <= address < last:
                        found.append(Place(name, file, line))
                        file, line = caller.file, caller.line
                return (*found, Place(function, file, line))
        for start, size, name in self._symbols:
            if start <= address < start + max(size, 1):
                return (Place(name),)
        return ()


def _file_names(program: Any, unit: Any) -> dict[int, str]:
    header = program.header
    first = 0 if unit["version"] >= 5 else 1
    return {
        number: entry.name.decode("utf-8", "replace")
        for number, entry in enumerate(header["file_entry"], first)
    }


def _span(dwarf: Any, unit: Any, entry: Any) -> tuple[int, int] | None:
    """The lowest and the highest address of a function or an inlined call."""
    attributes = entry.attributes
    if "DW_AT_ranges" in attributes:
        ranges = dwarf.range_lists()
        spans = ranges.get_range_list_at_offset(attributes["DW_AT_ranges"].value, unit)
        spans = [span for span in spans if hasattr(span, "begin_offset")]
        base = _base(unit)
        if not spans:
            return None
        low = min(span.begin_offset + (0 if span.is_absolute else base) for span in spans)
        return low, max(span.end_offset + (0 if span.is_absolute else base) for span in spans)
    if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
        return None
    low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
    return low, high.value if high.form == "DW_FORM_addr" else low + high.value


def _base(unit: Any) -> int:
    low = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    return int(low.value) if low else 0


def _inlined(
    dwarf: Any, unit: Any, entry: Any, names: dict[int, str], depth: int
) -> Iterator[tuple[int, int, Place, str]]:
    """The inlined calls in a function, the outer before the inner: where, the line of the call, and
    the name of what is inlined."""
    for child in entry.iter_children() if depth < MAX_INLINED else ():
        if child.tag == "DW_TAG_inlined_subroutine" and (span := _span(dwarf, unit, child)):
            file, line = (
                child.attributes[name].value if name in child.attributes else 0
                for name in ("DW_AT_call_file", "DW_AT_call_line")
            )
            yield (*span, Place("", names.get(file, ""), line), _name(child))
        if child.tag in ("DW_TAG_inlined_subroutine", "DW_TAG_lexical_block"):
            yield from _inlined(dwarf, unit, child, names, depth + 1)


def _name(entry: Any) -> str:
    for _ in range(4):
        if "DW_AT_name" in entry.attributes:
            return str(entry.attributes["DW_AT_name"].value.decode("utf-8", "replace"))
        for link in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if link in entry.attributes:
                entry = entry.get_DIE_from_attribute(link)
                break
    return "?"
