"""Reads the notes of an ELF file: its build-id, the digests of its IDL, its Android API level.

Layout: System V ABI, "Note Section".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from buildtool.core.elf.file import PT_NOTE, ElfFile
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


def read_notes(file: ElfFile) -> Notes:
    """The notes in the NOTE segments of `file`; raises `ValueError` if they are too large."""
    order = file.order
    digests, build_id, android_api = [], "", 0
    for segment in file.segments:
        if segment.kind != PT_NOTE:
            continue
        if segment.file_size > MAX_NOTES:
            raise ValueError("its notes have no end")
        data = file.read(segment.offset, segment.file_size)
        for owner, kind, content in _notes(data, order, 8 if segment.alignment == 8 else 4):
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
