"""Constants of IDL as C literals for `#define`."""

from __future__ import annotations

from buildtool.idl.model import Constant, Primitive, String
from buildtool.idl.types import resolve

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
    type_, value = resolve(constant.type), constant.value
    if isinstance(value, str):
        return _text(value, type_)
    if type_ is Primitive.BOOLEAN:
        return "TRUE" if value else "FALSE"
    if type_ is Primitive.FLOAT:
        return _sign(f"{float(value)!r}f")
    if type_ is Primitive.DOUBLE:
        return _sign(repr(float(value)))
    return _integer(int(value), SUFFIXES.get(type_, "") if isinstance(type_, Primitive) else "")


def quoted(text: str) -> str:
    """`text` as a C string literal; `??` is broken up, lest it start a trigraph."""
    return '"' + "".join(map(_character, text)).replace("??", "?\\?") + '"'


def _text(value: str, type_: object) -> str:
    if isinstance(type_, String):
        return ("L" if type_.wide else "") + quoted(value)
    if type_ in (Primitive.CHAR, Primitive.WCHAR) and len(value) == 1:
        escaped = "\\'" if value == "'" else '"' if value == '"' else _character(value)
        return ("L" if type_ is Primitive.WCHAR else "") + f"'{escaped}'"
    return value


def _character(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if " " <= char <= "~":
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def _integer(value: int, suffix: str) -> str:
    # The most negative value has no literal: -N is minus applied to an N out of range.
    if value in (-(2**31), -(2**63)):
        return f"(-{-value - 1}{suffix} - 1)"
    return _sign(f"{value}{suffix}")


def _sign(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
