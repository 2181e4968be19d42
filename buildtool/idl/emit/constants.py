"""Constants of IDL as C literals for `#define`."""

from __future__ import annotations

from buildtool.idl.layout.types import strip_typedefs
from buildtool.idl.model import Constant, Primitive, String

SUFFIXES = {
    Primitive.LONGLONG: "ll",
    Primitive.INT64: "ll",
    Primitive.ULONGLONG: "ull",
    Primitive.UINT64: "ull",
    Primitive.ULONG: "u",
    Primitive.UINT32: "u",
}


def literal(constant: Constant) -> str:
    """The value as a C expression of the constant's type, safe inside any expression."""
    type_, value = strip_typedefs(constant.type), constant.value
    if isinstance(value, str):
        wide = type_ is Primitive.WCHAR or (isinstance(type_, String) and type_.wide)
        return ("L" if wide else "") + quoted(value, '"' if isinstance(type_, String) else "'")
    if type_ is Primitive.BOOLEAN:
        return "TRUE" if value else "FALSE"
    if type_ is Primitive.FLOAT:
        return _signed(f"{float(value)!r}f")
    if type_ is Primitive.DOUBLE:
        return _signed(repr(float(value)))
    suffix = SUFFIXES.get(type_, "") if isinstance(type_, Primitive) else ""
    return _integer(int(value), suffix)


def quoted(text: str, quote: str = '"') -> str:
    """`text` as a C string or character literal without its prefix.

    Characters are bytes, or UTF-16 units of a wide text.  `??` is broken up, lest it
    start a trigraph.
    """
    parts = [quote]
    for char in text:
        code = ord(char)
        if char in ("\\", quote):
            parts.append("\\" + char)
        elif " " <= char <= "~":
            parts.append(char)
        elif code < 0o1000:
            parts.append(f"\\{code:03o}")
        elif code < 0x10000 and not 0xD800 <= code < 0xE000:
            parts.append(f"\\u{code:04x}")
        else:
            parts.append(f"\\x{code:x}" + ('" L"' if quote == '"' else ""))
    return "".join([*parts, quote]).replace("??", "?\\?")


def _integer(value: int, suffix: str) -> str:
    # The most negative value has no literal: -N is minus applied to an N out of range.
    if value in (-(2**31), -(2**63)):
        return f"({value + 1}{suffix} - 1)"
    return _signed(f"{value}{suffix}")


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
