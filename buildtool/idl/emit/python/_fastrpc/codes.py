"""The errors of FastRPC calls, and the names and meanings of their codes.

Codes of the DSP are these plus 0x80000400.  Source: AEEStdErr.h.
"""

from __future__ import annotations

import errno

from buildtool.core.fastrpc_codes import DSP_OFFSET, read_codes

CODES = read_codes()


class LibraryError(RuntimeError):
    """The host library, or a skel for the DSP of this device, is missing or cannot be used."""


class FastRpcError(RuntimeError):
    """A FastRPC function failed.

    `code` is what it returned, without sign; `name` is its AEE name, or that of the kernel's
    error, or "" if it is unknown.  Codes from 0x80000400 are from the DSP.
    """

    def __init__(self, function: str, code: int) -> None:
        self.function = function
        self.code = code & 0xFFFFFFFF
        self.name, text = describe(self.code)
        known = f" {self.name}" if self.name else ""
        super().__init__(f"{function}: 0x{self.code:08x}{known}{f': {text}' if text else ''}")

    def __reduce__(self) -> tuple[type[FastRpcError], tuple[str, int]]:
        return FastRpcError, (self.function, self.code)


def describe(code: int) -> tuple[str, str]:
    """The name and the meaning of a code; both are "" if it is unknown."""
    plain = code - DSP_OFFSET if DSP_OFFSET <= code < DSP_OFFSET + 0x400 else code
    if plain in CODES:
        return CODES[plain]
    # The kernel driver's errors are negative.
    return errno.errorcode.get(2**32 - code, ""), ""
