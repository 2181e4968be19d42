"""Error codes in any spelling, and what they are called."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.explanations import CodeObject

DSP, HOST, QNN, KERNEL, NOWHERE = "dsp", "host", "qnn", "kernel", ""
DSP_OFFSET = 0x80000400
"""What the DSP adds to a code.  Source: AEEStdErr.h."""
PLAIN_CODES = 0x400
"""Codes without the offset are below this number."""


class Code(Value):
    """A code: its value without sign, from which side it is, and its names.

    Without a name it is not known.
    """

    value: int
    side: str
    names: tuple[str, ...]
    meaning: str

    @property
    def text(self) -> str:
        """Its hexadecimal and its decimal form."""
        signed = self.value - 2**32 if self.value >= 2**31 else self.value
        return f"0x{self.value:x} ({signed})"

    def as_json(self) -> CodeObject:
        """The code as an object of the document of `explain`."""
        return {
            "hex": f"0x{self.value:x}",
            "decimal": str(self.value - 2**32 if self.value >= 2**31 else self.value),
            "side": self.side,
            "names": list(self.names),
            "meaning": self.meaning,
        }


def parse_code(text: str, content: dict[str, Any]) -> tuple[Code, ...]:
    """The codes that `text` spells, () if it is none; `content` is that of knowledge.json.

    Accepts hexadecimal and decimal numbers, with sign or without, and names with or without AEE_,
    which are codes of both sides.
    """
    word = text.strip().lower()
    if _is_hex(word):
        return (find_code(int(word, 16), content),)
    if word.removeprefix("-").isdecimal():
        value = int(word[:12])
        return (find_code(value % 2**32, content),) if -(2**31) <= value < 2**32 else ()
    name = word.upper().removeprefix("DSP_")
    found = [
        int(value)
        for value, (names, _) in content["codes"].items()
        if name in names or f"AEE_{name}" in names
    ]
    if found and int(found[0]) < PLAIN_CODES:
        return tuple(find_code(base + found[0], content) for base in (DSP_OFFSET, 0))
    return tuple(find_code(value, content) for value in found)


def _is_hex(word: str) -> bool:
    """Whether `word` is a hexadecimal number; without 0x it must not look like a decimal one, or
    like a word."""
    digits = word.removeprefix("0x")
    if not digits or len(digits) > 8 or not set(digits) <= set("0123456789abcdef"):
        return False
    if word != digits:
        return True
    if len(digits) == 8:
        return digits[0] in "8f"
    return digits[0].isdecimal() and not digits.isdecimal()


def find_code(value: int, content: dict[str, Any]) -> Code:
    """The code with this value."""
    if PLAIN_CODES < value < 2 * PLAIN_CODES and str(value) not in content["codes"]:
        value += DSP_OFFSET - PLAIN_CODES  # written without its highest bit
    side = DSP if DSP_OFFSET < value < DSP_OFFSET + PLAIN_CODES else HOST
    row = content["codes"].get(str(value - DSP_OFFSET if side == DSP else value))
    if row is None:
        # The kernel's errors are negative.
        name = errno.errorcode.get(2**32 - value, "")
        if name:
            return Code(value, KERNEL, (name,), os.strerror(2**32 - value))
        return Code(value, NOWHERE, (), "")
    names, meaning = row
    if names and names[0].startswith("QNN"):
        side = QNN
    return Code(value, side, tuple(names), meaning)
