"""Documents and frames of the remote cache, valid and invalid ones."""

from __future__ import annotations

import hashlib
import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.cache.remote import client as remote_document
from buildtool.cache.remote.client import MAX_BLOB, MAX_DOCUMENT, pack
from buildtool.cache.remote.requests import BadResponseError
from buildtool.cache.remote.zstd_frames import (
    HashedStream,
    ZstdFrame,
    compress,
    decompress,
    zstd_frame,
)

KEY = "0123456789abcdef" * 4
CONTENT, FRAME = "a" * 64, "b" * 64
EMPTY_FRAME = zstd_frame(b"")


def stored(header: Any, data: bytes = b"data") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return zstd_frame(text + b"\n" + data)


def unpack(key: str, stored: bytes) -> tuple[bytes, dict[str, ZstdFrame]]:
    return remote_document.unpack(key, io.BytesIO(stored))


def content_of(frame: bytes, limit: int) -> bytes:
    content = io.BytesIO()
    decompress(HashedStream(io.BytesIO(frame)), HashedStream(content, limit))
    return content.getvalue()


def good(**changes: Any) -> dict[str, Any]:
    header = {
        "buildtool": 1,
        "key": KEY,
        "sha256": hashlib.sha256(b"data").hexdigest(),
        "files": {CONTENT: [FRAME, 20, 10]},
    }
    return {name: value for name, value in (header | changes).items() if value is not None}


def test_a_document_as_it_is_stored() -> None:
    text = content_of(pack(KEY, b"data", {}) or b"", 1000)
    assert text == (
        b'{"buildtool":1,"files":{},"key":"%s","sha256":"%s"}\ndata'
        % (KEY.encode(), hashlib.sha256(b"data").hexdigest().encode())
    )


@given(st.binary(), st.dictionaries(st.sampled_from([CONTENT, "c" * 64]), st.integers(0, MAX_BLOB)))
def test_what_was_packed_comes_back(data: bytes, sizes: dict[str, int]) -> None:
    frames = {content: ZstdFrame(FRAME, 1 + size // 2, size) for content, size in sizes.items()}
    packed = pack(KEY, data, frames)
    assert packed is not None
    assert unpack(KEY, packed) == (data, frames)


@given(st.data())
def test_a_damaged_document_is_reported(data: st.DataObject) -> None:
    packed = bytearray(pack(KEY, b"data" * 100, {CONTENT: ZstdFrame(FRAME, 20, 10)}) or b"")
    at = data.draw(st.integers(0, len(packed) - 1))
    if data.draw(st.booleans()):
        packed[at] ^= data.draw(st.integers(1, 255))
    else:
        del packed[at:]
    try:
        again = unpack(KEY, bytes(packed))
    except BadResponseError:
        return
    # An unused bit, or a truncated checksum.
    assert again == (b"data" * 100, {CONTENT: ZstdFrame(FRAME, 20, 10)})


def test_the_good_one_of_the_bad_ones() -> None:
    assert unpack(KEY, stored(good())) == (b"data", {CONTENT: ZstdFrame(FRAME, 20, 10)})


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"1" * 10_000,
        good(buildtool=2),
        good(buildtool="1"),
        good(buildtool=None),
        good(key=None),
        good(key=KEY.replace("0", "1")),
        good(key=[KEY]),
        good(sha256=None),
        good(sha256="0" * 64),
        good(files=None),
        good(files=[]),
        good(files={CONTENT: None}),
        good(files={CONTENT: []}),
        good(files={CONTENT: [FRAME, 20]}),
        good(files={CONTENT: [FRAME, 20, 10, 1]}),
        good(files={CONTENT: {"digest": FRAME}}),
        good(files={CONTENT: [FRAME, 0, 10]}),
        good(files={CONTENT: [FRAME, -1, 10]}),
        good(files={CONTENT: [FRAME, 20, -1]}),
        good(files={CONTENT: [FRAME, 20.5, 10]}),
        good(files={CONTENT: [FRAME, "20", 10]}),
        good(files={CONTENT: [FRAME, MAX_BLOB + 1, 10]}),
        good(files={CONTENT: [FRAME, 20, MAX_BLOB + 1]}),
        good(files={CONTENT: ["../../ac/x", 20, 10]}),
        good(files={CONTENT: [FRAME.upper(), 20, 10]}),
        good(files={CONTENT: [FRAME + "\n", 20, 10]}),
        good(files={CONTENT + "/..": [FRAME, 20, 10]}),
        good(files={"": [FRAME, 20, 10]}),
    ],
)
def test_an_invalid_document(header: Any) -> None:
    with pytest.raises(BadResponseError):
        unpack(KEY, stored(header))


def test_more_than_a_document_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pack(KEY, bytes(MAX_DOCUMENT), {}) is None
    with pytest.raises(BadResponseError):
        unpack(KEY, zstd_frame(bytes(MAX_DOCUMENT + 1)))
    endless = io.BytesIO(EMPTY_FRAME * (MAX_DOCUMENT // len(EMPTY_FRAME) + 1000))
    with pytest.raises(BadResponseError):
        remote_document.unpack(KEY, endless)
    assert endless.tell() <= MAX_DOCUMENT
    monkeypatch.setattr(remote_document, "MAX_HEADER", 300)
    assert pack(KEY, b"data", {}) is not None
    assert (
        pack(KEY, b"data", {CONTENT: ZstdFrame(FRAME, 20, 10), FRAME: ZstdFrame(FRAME, 20, 10)})
        is None
    )
    with pytest.raises(BadResponseError):
        unpack(KEY, stored(good(more="x" * 300)))


def test_a_bomb_takes_no_memory() -> None:
    frame = io.BytesIO()
    compress(io.BytesIO(bytes(64 << 20)), frame)
    assert len(frame.getvalue()) < 10_000
    frame.seek(0)
    tracemalloc.start()
    try:
        with pytest.raises(BadResponseError):
            decompress(HashedStream(frame), HashedStream(io.BytesIO(), 1 << 20))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=2000))
def test_a_frame_of_anything(content: bytes) -> None:
    frame = io.BytesIO()
    digest, made = compress(io.BytesIO(content), frame)
    assert (digest, made.size) == (hashlib.sha256(content).hexdigest(), len(content))
    assert made.digest == hashlib.sha256(frame.getvalue()).hexdigest()
    assert made.frame_size == len(frame.getvalue())
    assert content_of(frame.getvalue(), len(content)) == content
    if content:
        with pytest.raises(BadResponseError):
            content_of(frame.getvalue(), len(content) - 1)


def test_a_line_of_json_takes_bounded_memory() -> None:
    values = b"{}," * ((remote_document.MAX_HEADER - 999) // 3)
    line = json.dumps(good()).encode().replace(b'"files"', b'"more": [%b0], "files"' % values)
    sent = stored(line)
    tracemalloc.start()
    try:
        with pytest.raises(BadResponseError, match="not JSON"):
            unpack(KEY, sent)
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()
