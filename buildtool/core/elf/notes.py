"""Reads the notes of an ELF file: its build-id, the digests of its IDL, its Android API level.

Layout: System V ABI, "Note Section".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

from buildtool.core.value import Value

MAX_NOTES = 1 << 20  # bytes of one segment; real ones have a few hundred
OWNER = "buildtool"
_BUILD_ID = ("GNU", 3)  # NT_GNU_BUILD_ID
_ANDROID = ("Android", 1)  # NT_ANDROID_TYPE_IDENT: the API level, then the NDK


class Notes(Value):
    """The contents of the notes of a file.

    `digests` are the descriptors of the notes whose owner is this tool; `build_id` is "" and
    `android_api` is 0 if there is no such note.
    """

    digests: tuple[str, ...]
    build_id: str
    android_api: int


def read_notes(segments: Iterable[Any], stream: Any, *, little: bool) -> Notes:
    """The notes in the NOTE segments among `segments` (pyelftools).

    Raises `ValueError` if they are too large; the caller bounds reads of `stream`.
    """
    order = "<" if little else ">"
    digests, build_id, android_api = [], "", 0
    for segment in segments:
        if segment["p_type"] != "PT_NOTE":
            continue
        if segment["p_filesz"] > MAX_NOTES:
            raise ValueError("its notes have no end")
        stream.seek(segment["p_offset"])
        data = stream.read(segment["p_filesz"])
        for owner, kind, content in _notes(data, order, 8 if segment["p_align"] == 8 else 4):
            if owner == OWNER and content:
                digests.append(content.hex())
            elif (owner, kind) == _BUILD_ID:
                build_id = content.hex()
            elif (owner, kind) == _ANDROID and len(content) >= 4:
                android_api = struct.unpack_from(order + "I", content)[0]
    return Notes(tuple(digests), build_id, android_api)


def _notes(data: bytes, order: str, alignment: int) -> Iterator[tuple[str, int, bytes]]:
    at = 0
    while at + 12 <= len(data):
        owner_size, size, kind = struct.unpack_from(order + "III", data, at)
        start = _aligned(at + 12 + owner_size, alignment)
        if start + size > len(data):
            return  # loaders do not read notes, so the file is not damaged
        owner = data[at + 12 : at + 12 + owner_size].rstrip(b"\0").decode(errors="replace")
        yield owner, kind, data[start : start + size]
        at = _aligned(start + size, alignment)


def _aligned(offset: int, alignment: int) -> int:
    return (offset + alignment - 1) & -alignment
