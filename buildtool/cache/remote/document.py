"""The document format of the remote cache: some bytes, and which frames hold the files of a step.

A document is one zstd frame of a line of JSON and the bytes:

    {"buildtool": 1, "key": …, "sha256": …, "files": {content: [frame, size of it, size]}}

A file is stored as a zstd frame, named by the sha256 of the *frame*, so that a server that verifies
what is stored below /cas/ accepts it.  `files` says which frame holds which content.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from typing import Any

from buildtool.cache.bounded_json import parse
from buildtool.cache.remote.failure_policy import BadResponseError
from buildtool.cache.remote.zstd_frames import HashedStream, ZstdFrame, decompress, zstd_frame
from buildtool.core.files import is_digest

VERSION = 1
MAX_DOCUMENT = 16 << 20
"""Bytes of a document, as stored and decompressed."""
MAX_HEADER = 4 << 20
"""Bytes of the line of JSON: some 20,000 files."""
MAX_BLOB = 4 << 30
"""Bytes of one file, and of the frame that holds it."""


def pack(key: str, data: bytes, frames: Mapping[str, ZstdFrame]) -> bytes | None:
    """The document as it is stored; None when it is larger than readers accept."""
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


def unpack(key: str, source: Any) -> tuple[bytes, dict[str, ZstdFrame]]:
    """The bytes and the frames of the document in the binary stream `source`.

    Raises `BadResponseError` when it is not what `pack` returned for this key.
    """
    text = io.BytesIO()
    decompress(HashedStream(source, MAX_DOCUMENT), HashedStream(text, MAX_DOCUMENT))
    line, _, data = text.getvalue().partition(b"\n")
    if len(line) >= MAX_HEADER:
        raise BadResponseError("a document whose list of files is too long")
    try:
        header = parse(line)
    except ValueError:
        raise BadResponseError("a document that is not JSON") from None
    if not isinstance(header, dict) or header.get("buildtool") != VERSION:
        raise BadResponseError("a document of another version or program")
    if header.get("key") != key:
        raise BadResponseError("the document of another key")
    if header.get("sha256") != hashlib.sha256(data).hexdigest():
        raise BadResponseError("a document with data other than was stored")
    files = header.get("files")
    if not isinstance(files, dict):
        raise BadResponseError("a document without its list of files")
    return data, {content: _frame(content, row) for content, row in files.items()}


def _frame(content: str, row: Any) -> ZstdFrame:
    match row:
        case [digest, int(frame_size), int(size)] if is_digest(digest) and is_digest(content):
            if 0 < frame_size <= MAX_BLOB and 0 <= size <= MAX_BLOB:
                return ZstdFrame(digest, int(frame_size), int(size))
    raise BadResponseError("a document with an invalid entry in its list of files")
