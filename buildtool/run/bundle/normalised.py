"""Finds texts in data, whatever a serialiser has made of them.

Data and texts are compared in a normal form: escapes of JSON, TOML and URLs are decoded,
also where an escape is escaped again; other backslashes are dropped, all quotes are equal, and a
run of white space is one space.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator

_ESCAPE = re.compile(
    rb"""
    \\++ (?P<utf16> u [Dd][89ABab][0-9A-Fa-f]{2} \\++ u [Dd][C-Fc-f][0-9A-Fa-f]{2}
                 | u [0-9A-Fa-f]{4} )
  | \\++ U (?P<utf32> 000[0-9A-Fa-f]{5} | 0010 [0-9A-Fa-f]{4} )
  | % (?P<percent> [0-9A-Fa-f]{2} )
  | (?P<nothing> \\++ [\ \t]*+ \r?\n \s*+ )
  | (?P<space> (?: [\ \t\r\n] | \\++ [nrt] ){2,}+ | [\t\r\n] | \\++ [nrt] )
  | (?P<quotes> (?: \\*+ ['"] )++ )
  | (?P<backslashes> \\++ )
    """,
    re.VERBOSE,
)


def normalised(data: bytes) -> bytes:
    """The normal form of `data`."""
    return _normalise(data, b" ")[0]


def find_normalised(
    data: bytes, texts: Iterable[bytes], *, unwrap: bool = False
) -> Iterator[tuple[int, int]]:
    """Start and end of the places in `data` whose normal form is one of `texts`.

    With `unwrap`, line breaks are left out and `-_` are `+/`, as is usual in base64 (RFC 4648).
    """
    text, origins = _normalise(data, b"" if unwrap else b" ")
    if unwrap:
        text = text.translate(bytes.maketrans(b"-_", b"+/"))
    for wanted in texts:
        at = text.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            yield origins[at], origins[end]
            at = text.find(wanted, end)


def _normalise(data: bytes, space: bytes) -> tuple[bytes, array[int]]:
    """The normal form, and for each of its bytes, and its end, the place in `data`."""
    text, origins, at = bytearray(), array("L"), 0
    for found in _ESCAPE.finditer(data):
        start = found.start()
        text += data[at:start]
        origins.extend(range(at, start))
        decoded = _decoded(found, space)
        text += decoded
        origins.extend([start] * len(decoded))
        at = found.end()
    origins.extend(range(at, len(data) + 1))
    return bytes(text + data[at:]), origins


def _decoded(found: re.Match[bytes], space: bytes) -> bytes:
    match found.lastgroup:
        case "utf16":
            units = bytes.fromhex(re.sub(rb"[\\u]", b"", found["utf16"]).decode())
            return _encoded(units.decode("utf-16-be", "surrogatepass"))
        case "utf32":
            return _encoded(chr(int(found["utf32"], 16)))
        case "percent":
            return bytes([int(found["percent"], 16)])
        case "space":
            return space
        case "quotes":
            return b"'"
        case _:
            return b""


def _encoded(character: str) -> bytes:
    is_byte = "\udc80" <= character <= "\udcff"  # see PEP 383
    return character.encode(errors="surrogateescape" if is_byte else "surrogatepass")
