"""Encodes instructions that open LLVM's assembler does not know, in the text of an assembly file:
those of HMX, and reads of the user's performance counters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from buildtool.core.value import Value
from buildtool.toolchains.instructions.hmx import HmxSyntaxError, hmx_words

_HMX = r"\b(mx[a-z]\w*|(activation|weight)\.\w+|acc|bias|cvt(\.\w+)?)\b"
_LABELS = r"(\s*[\w.$]+:(?!\w))+"
_COUNTER = r"\s*(?:\{\s*)?r(\d+)\s*=\s*upmucnt([0-7])\s*;?\s*(?:\}\s*)?"


class Statement(Value):
    """Lines `first` to `last` (from 0) of an assembly file, which are replaced together."""

    first: int
    last: int
    text: str

    @property
    def replaceable(self) -> bool:
        return bool(re.search(_HMX, self.text)) or "upmucnt" in self.text


class AssemblyListing(Value):
    """The lines of an assembly file."""

    lines: tuple[str, ...]

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def statement(self, number: int) -> Statement:
        """The instruction of the line `number`, or the packet in braces that it is part of."""
        lines, first = self.lines, number
        while "{" not in lines[first]:
            first -= 1
            ended = first < 0 or "InlineAsm" in lines[first]
            if ended or lines[first].rfind("}") > lines[first].rfind("{"):
                return Statement(number, number, lines[number].strip())
        last = number
        while last < len(lines) - 1 and "}" not in lines[last]:
            last += 1
        return Statement(first, last, "\n".join(lines[first : last + 1]).strip())

    def replaced(self, statements: Sequence[Statement], arch: int | None = None) -> AssemblyListing:
        """The listing with words in place of the statements.

        Raises `HmxSyntaxError`.
        """
        lines = list(self.lines)
        by_line = {statement.first: statement for statement in statements}
        for first in sorted(by_line, reverse=True):  # line numbers before it stay valid
            lines[first : by_line[first].last + 1] = [encoded(by_line[first].text, arch)]
        return AssemblyListing(tuple(lines))


def encoded(text: str, arch: int | None = None) -> str:
    """The statement as words, behind its labels; `arch` (68) refuses what that arch does not have.

    `r5 = upmucnt3` is a transfer from the control register C23.  Source: the Hexagon V73
    programmer's reference manual, "Transfer from control register"; QEMU's list of registers.
    Raises `HmxSyntaxError`.
    """
    if labels := re.match(_LABELS, text):
        return f"{labels[0].strip()} {encoded(text[labels.end() :], arch)}"
    if match := re.fullmatch(_COUNTER, text):
        return f".word 0x{0x6A00C000 | (20 + int(match[2])) << 16 | int(match[1]):08x}"
    if "upmucnt" in text:
        raise HmxSyntaxError("a read of a counter is encoded only if it is alone in its packet")
    # Without braces, each instruction is a packet.
    packets = [text] if "{" in text else [part for part in text.split(";") if part.strip()]
    words = [f"0x{word:08x}" for packet in packets for word in hmx_words(_plain(packet), arch)]
    return f".word {', '.join(words)}"


def _plain(packet: str) -> str:
    """A packet without comments."""
    return re.sub(r"//.*|/\*.*?\*/", "", packet)
