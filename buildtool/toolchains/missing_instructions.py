"""Replaces instructions that open LLVM's assembler does not know, in the text of an assembly file.

Reads of the user's performance counters are encoded as words.  Instructions of HMX become traps:
code that logs the instruction and its place on the DSP, and stops.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from buildtool.core.value import Value

SECTION = "buildtool_missing"
"""The section of a skel that lists the places: NUL; for each FILE NUL LINE NUL MESSAGE NUL."""
LACKS = " is not in this skel: the open assembler does not know it"
_HMX = r"\b(mx[a-z]\w*|(activation|weight)\.\w+|acc|bias|cvt(\.\w+)?)\b"
_COUNTER = r"\s*(?:\{\s*)?r(\d+)\s*=\s*upmucnt([0-7])\s*;?\s*(?:\}\s*)?"
_TRAP = """\
{{ r0 = add(pc,##.Lbuildtool_text_{number}@PCREL)
r1 = #{level} }}
{{ r2 = add(pc,##.Lbuildtool_file_{number}@PCREL)
r3 = ##{line} }}
call HAP_debug
r1:0 = combine(#0,#0)
memd(##0xBADC0FEE) = r1:0 // misaligned: it traps, as __builtin_trap()
"""
_RECORD = """\
.Lbuildtool_file_{number}: .asciz "{file}"
.asciz "{line}"
.Lbuildtool_text_{number}: .asciz "{what}"
"""
_FOUND = rb"(?<=\0)([ -~]{1,4096})\0(\d{1,9})\0([ -~]{1,4096})" + re.escape(LACKS).encode() + rb"\0"
_FATAL = 4  # HAP_LEVEL_FATAL


class SourceLine(Value):
    """A line of a source."""

    file: str
    line: int


class Statement(Value):
    """Lines `first` to `last` (from 0) of an assembly file, which are replaced together."""

    first: int
    last: int
    text: str

    @property
    def replaceable(self) -> bool:
        return bool(re.search(_HMX, self.text)) or "upmucnt" in self.text


class AssemblyListing(Value):
    """An assembly file: its `lines`, and what was replaced in it, with the place in the source."""

    lines: tuple[str, ...]
    missing: tuple[tuple[SourceLine, str], ...] = ()

    def text(self) -> str:
        return "\n".join([*self.lines, *self._section()]) + "\n"

    def _section(self) -> Iterator[str]:
        if self.missing:
            yield f'.section {SECTION},"a",@progbits'
            yield ".byte 0"
        for number, (place, text) in enumerate(self.missing):
            yield _RECORD.format(
                number=number,
                file=_quoted(place.file),
                line=place.line,
                what=_quoted(text + LACKS),
            )

    def statement(self, number: int) -> Statement:
        """The instruction of the line `number`, or the packet in braces that it is part of."""
        lines, first = self.lines, number
        while first >= 0 and "{" not in lines[first]:
            if ("}" in lines[first] and first < number) or "InlineAsm" in lines[first]:
                return Statement(number, number, lines[number].strip())
            first -= 1
        last = number
        while last < len(lines) - 1 and "}" not in lines[last]:
            last += 1
        first = max(first, 0)
        return Statement(first, last, " ".join("\n".join(lines[first : last + 1]).split()))

    def replaced(self, wanted: Sequence[tuple[Statement, SourceLine]]) -> AssemblyListing:
        """The listing with code in place of each statement of `wanted`, which is at its place."""
        lines, missing = list(self.lines), list(self.missing)
        by_line = {statement.first: (statement, place) for statement, place in reversed(wanted)}
        new: dict[int, str] = {}
        for first, (statement, place) in sorted(by_line.items()):
            new[first] = encoded(statement.text)
            if not new[first]:
                number, line = len(missing), place.line
                new[first] = _TRAP.format(number=number, line=line, level=_FATAL)
                missing.append((place, statement.text))
        for first in sorted(new, reverse=True):  # line numbers before it stay valid
            lines[first : by_line[first][0].last + 1] = new[first].splitlines()
        return AssemblyListing(tuple(lines), tuple(missing))


def missing_in(data: bytes) -> list[tuple[SourceLine, str]]:
    """The instructions without code in the skel `data`, each once, in the order of their places."""
    found = {
        (SourceLine(_text(match[1]), int(match[2])), _text(match[3]))
        for match in re.finditer(_FOUND, data)
    }
    return sorted(found, key=lambda entry: (entry[0].file, entry[0].line, entry[1]))


def by_file(missing: Collection[tuple[SourceLine, str]]) -> list[tuple[SourceLine, str, int]]:
    """The first instruction of each file, and how many other ones the file has."""
    first: dict[str, tuple[SourceLine, str]] = {}
    count = Counter(place.file for place, _ in missing)
    for place, text in missing:
        first.setdefault(place.file, (place, text))
    return [(place, text, count[place.file] - 1) for place, text in first.values()]


def _text(data: bytes) -> str:
    return data.decode("ascii", errors="replace")


def encoded(text: str) -> str:
    """The instruction as a word, if it is a read of a performance counter; else "".

    `r5 = upmucnt3` is a transfer from the control register C23.  Source: the Hexagon V73
    programmer's reference manual, "Transfer from control register"; QEMU's list of registers.
    """
    match = re.fullmatch(_COUNTER, text)
    if not match:
        return ""
    return f".word 0x{0x6A00C000 | (20 + int(match[2])) << 16 | int(match[1]):08x}"


def _quoted(text: str) -> str:
    kept = "".join(c if " " <= c <= "~" else "?" for c in text)
    return kept.replace("\\", "\\\\").replace('"', '\\"')
