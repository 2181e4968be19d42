"""What no real server of the remote execution API sends, sent by a stand-in for one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from buildtool.cache.remote.reapi import message_types

from .remote_build import DOCUMENT, FRAME, Build, sha256
from .remote_machine import KEY, made

TYPES = message_types()
CONTENT = b"content\n" * 300
MISSING = TYPES["FindMissingBlobsResponse"](
    missing_blob_digests=[TYPES["Digest"](hash=sha256(FRAME), size_bytes=len(FRAME))]
).SerializeToString()
Reads = Callable[[], Iterator[bytes]]


def action_result(*blobs: bytes, size: int = 0) -> bytes:
    digests = (TYPES["Digest"](hash=sha256(b), size_bytes=size or len(b)) for b in blobs)
    files = [TYPES["OutputFile"](path="document", digest=digest) for digest in digests]
    data: bytes = TYPES["ActionResult"](output_files=files).SerializeToString()
    return data


def part(data: bytes) -> bytes:
    message: bytes = TYPES["ReadResponse"](data=data).SerializeToString()
    return message


@contextmanager
def server(result: bytes, reads: Reads, wrote: bytes = b"") -> Iterator[str]:
    """The address of a server with these answers, as bytes, for the block."""

    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpc has no types
        def service(self, details: Any) -> Any:
            method = details.method.rpartition("/")[2]
            if method == "Read":
                return grpc.unary_stream_rpc_method_handler(lambda *_: reads())
            if method == "Write":
                return grpc.stream_unary_rpc_method_handler(lambda parts, _: [*parts] and wrote)
            answer = MISSING if method == "FindMissingBlobs" else result
            return grpc.unary_unary_rpc_method_handler(lambda *_: answer)

    with ThreadPoolExecutor(4) as pool:
        running = grpc.server(pool, [Handler()])
        port = running.add_insecure_port("127.0.0.1:0")
        running.start()
        try:
            yield f"grpc://127.0.0.1:{port}"
        finally:
            running.stop(None).wait()


@pytest.mark.parametrize(
    ("result", "reads"),
    [
        (b"\xff" * 40, lambda: iter([])),
        (b"", lambda: iter([])),
        (action_result(DOCUMENT, DOCUMENT), lambda: iter([part(DOCUMENT)])),
        (action_result(DOCUMENT), lambda: iter([])),
        (action_result(DOCUMENT), lambda: iter([b"\xff" * 9])),
        (action_result(DOCUMENT), lambda: iter([part(b""), part(DOCUMENT[:9])])),
        (action_result(DOCUMENT), lambda: itertools.repeat(part(b"x" * 1000))),
        (action_result(DOCUMENT), lambda: itertools.chain([part(DOCUMENT)], [1 // 0 for _ in "x"])),
        (action_result(DOCUMENT, size=-1), lambda: iter([part(b"")] * 9)),
    ],
    ids=["garbage", "none", "two", "nothing", "noise", "short", "endless", "broken", "empty"],
)
def test_a_document(result: bytes, reads: Reads, capfd: pytest.CaptureFixture[str]) -> None:
    with server(result, reads) as url:
        build = Build(url, timeout=5.0)
        assert build.remote.document(KEY) is None
    assert len(build.messages) == 1
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("parts", [[FRAME, b"more"], [FRAME[:-1]], [b"x" * len(FRAME)]])
def test_a_blob(parts: list[bytes], tmp_path: Path) -> None:
    answers = iter([[DOCUMENT], parts])
    with server(action_result(DOCUMENT), lambda: iter(map(part, next(answers)))) as url:
        build = Build(url, timeout=5.0)
        document = build.remote.document(KEY)
        assert document is not None
        assert not document.fetch(sha256(CONTENT), tmp_path / "got")
    assert not (tmp_path / "got").exists()
    assert len(build.messages) == 1


@pytest.mark.parametrize("size", [-1, 0, 1, 1 << 40])
def test_an_upload_of_another_size_is_not_stored(size: int, tmp_path: Path) -> None:
    wrote: bytes = TYPES["WriteResponse"](committed_size=size).SerializeToString()
    with server(action_result(DOCUMENT), lambda: iter([]), wrote) as url:
        build = Build(url, timeout=5.0)
        assert not build.remote.put(KEY, b"1", made(tmp_path, one=CONTENT))
    assert len(build.messages) == 1
