"""The error codes of FastRPC, read from the C header that has them: AEEStdErr.h."""

from __future__ import annotations

import re
from functools import cache

from buildtool import _data

HEADER = _data.path("host") / "include" / "fastrpc" / "AEEStdErr.h"
DSP_OFFSET = 0x80000400
"""What the DSP adds to a code: DSP_AEE_EOFFSET."""
_DEFINE = (  # compiled when it is needed: builds import this module
    r"^#define (AEE_\w+|E_\w+) +(?:\(AEE_EOFFSET \+ 0x(\w+)\)|(\d+)|\((-1)\))(?: +/\*(.+?)\*/)?$"
)


@cache
def defined_codes() -> tuple[tuple[str, int, str], ...]:
    """Name, code and meaning of each error of the header, in its order; -1 is AEE_EUNKNOWN."""
    text = re.sub(r"\s*\\\n\s*", " ", HEADER.read_text(encoding="utf-8"))
    return tuple(
        (name, int(offset, 16) if offset else int(plain or negative), meaning.strip())
        for name, offset, plain, negative, meaning in re.findall(_DEFINE, text, re.MULTILINE)
    )


def read_codes() -> dict[int, tuple[str, str]]:
    """Name and meaning of each code, without sign and the DSP's offset, in their order.

    Some codes have two names, and some two meanings.
    """
    names: dict[int, list[str]] = {}
    meanings: dict[int, dict[str, None]] = {}
    for name, code, meaning in sorted(defined_codes(), key=lambda row: row[1] % 2**32):
        if code and not name.endswith("_OFFSET"):
            names.setdefault(code % 2**32, []).append(name)
            meanings.setdefault(code % 2**32, {})[meaning] = None
    return {code: (" or ".join(each), ", or ".join(meanings[code])) for code, each in names.items()}


def with_idl_constants(text: str) -> str:
    """The text of an IDL file, with constants for the ARM64 side's codes in place of `@CODES@`."""
    if "@CODES@\n" not in text:
        return text
    rows = [(name, code) for name, code, _ in defined_codes() if name.startswith("AEE_")]
    constants = "".join(f"const long {name} = {code};\n" for name, code in rows)
    return text.replace("@CODES@\n", constants)
