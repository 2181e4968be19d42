"""What the remote cache keeps below /ac/: some bytes, and where the blobs that belong to them are.

A document is one zstd frame of a line of JSON and the bytes:

    {"buildtool": 1, "key": …, "sha256": …, "files": {content: [frame, size of it, size]}}

A blob travels and is stored as a zstd frame, named by the digest of the *frame*: a server that
checks what is put below /cas/ finds what it expects.  So the document says which frame holds
which content.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping
from typing import Any

from buildtool.cache.bounded_json import parse
from buildtool.cache.remote.frames import (
    BadAnswerError,
    Frame,
    Readable,
    unpacked,
    zstd_frame,
)

VERSION = 1
MAX_DOCUMENT = 16 << 20
"""Bytes of a document, as stored and unpacked."""
MAX_HEADER = 4 << 20
"""Bytes of the line of JSON: some 20,000 files."""
MAX_BLOB = 4 << 30
"""Bytes of one file, and of the frame that holds it."""

_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_digest(text: object) -> bool:
    """Whether it is a sha256 as this cache writes them: 64 small hexadecimal digits."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def pack(key: str, data: bytes, frames: Mapping[str, Frame]) -> bytes | None:
    """The document as it is stored; None when it is larger than any reader would take."""
    header = {
        "buildtool": VERSION,
        "key": key,
        "sha256": hashlib.sha256(data).hexdigest(),
        "files": {c: [f.digest, f.frame_size, f.size] for c, f in frames.items()},
    }
    line = json.dumps(header, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    if len(line) > MAX_HEADER or len(line) + len(data) > MAX_DOCUMENT:
        return None
    frame = zstd_frame(line + data)
    return frame if len(frame) <= MAX_DOCUMENT else None


def receive(source: Readable) -> bytes:
    """A whole document as it is stored; raises `BadAnswerError` when it has no end in sight."""
    stored = bytearray()
    while piece := source.read(MAX_DOCUMENT):
        stored += piece
        if len(stored) > MAX_DOCUMENT:
            raise BadAnswerError("a document without an end")
    return bytes(stored)


def unpack(key: str, stored: bytes) -> tuple[bytes, dict[str, Frame]]:
    """The bytes and the files of a document that was asked for as `key`.

    Raises `BadAnswerError` with what is wrong when it is not what `pack` made for this key.
    """
    text = b"".join(unpacked(io.BytesIO(stored), MAX_DOCUMENT))
    line, _, data = text.partition(b"\n")
    if len(line) >= MAX_HEADER:
        raise BadAnswerError("a document whose list of files is too long")
    try:
        header = parse(line)
    except ValueError:
        raise BadAnswerError("a document that is not JSON") from None
    if not isinstance(header, dict) or header.get("buildtool") != VERSION:
        raise BadAnswerError("a document of another version or program")
    if header.get("key") != key:
        raise BadAnswerError("the document of another key")
    if header.get("sha256") != hashlib.sha256(data).hexdigest():
        raise BadAnswerError("a document with other bytes than were stored")
    files = header.get("files")
    if not isinstance(files, dict):
        raise BadAnswerError("a document without its list of files")
    return data, {content: _frame(content, row) for content, row in files.items()}


def _frame(content: str, row: Any) -> Frame:
    match row:
        case [str(digest), int(frame_size), int(size)] if is_digest(digest) and is_digest(content):
            if 0 < frame_size <= MAX_BLOB and 0 <= size <= MAX_BLOB:
                return Frame(digest, int(frame_size), int(size))
    raise BadAnswerError("a document with an impossible file in it")
