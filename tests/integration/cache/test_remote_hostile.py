"""Servers that send wrong data, stall or never end cost a miss, one message and little time."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from buildtool.cache.remote import client, requests
from buildtool.cache.remote.client import pack
from buildtool.cache.remote.zstd_frames import ZstdFrame, compress

from .remote_build import CONTENT, DOCUMENT, FRAME, KEY, Build, frame_of, sha256
from .remote_hostile import Hostile, Respond, answer, hostile, repeats, says
from .remote_nginx import free_port

pytestmark = pytest.mark.usefixtures("in_time")


def bomb(size: int) -> bytes:
    """A small frame that contains `size` zeros, and does not declare its size."""
    out = io.BytesIO()
    compress(io.BytesIO(bytes(size)), out)
    return out.getvalue()


def greedy() -> bytes:
    """A valid document in a frame that requires 128 MiB of memory for its window."""
    wide = zstandard.ZstdCompressionParameters.from_level(1, window_log=27)
    compressor = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    text = zstandard.ZstdDecompressor().decompress(DOCUMENT)
    return compressor.compress(text) + compressor.flush()


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LOGIN = answer(b"<!DOCTYPE html><title>Sign in</title>", more="Content-Type: text/html\r\n")

ANSWERS: dict[str, Respond] = {
    "nothing": says(b""),
    "not http": says(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "zeros": says(bytes(10_000)),
    "empty": says(answer(b"")),
    "wrong bytes": says(answer(bytes(range(256)) * 10)),
    "page": says(LOGIN),
    "gzip": says(answer(gzip.compress(DOCUMENT), more="Content-Encoding: gzip\r\n")),
    "truncated": says(answer(DOCUMENT[:-9])),
    "cut off": says(answer(DOCUMENT[:-9], length=len(DOCUMENT))),
    "negative length": says(OK + b"Content-Length: -5\r\n\r\n<html>"),
    "two lengths": says(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n<html>"),
    "no number": says(OK + b"Content-Length: \xb2\r\n\r\n<html>"),
    "huge length": says(answer(DOCUMENT, length=1 << 62)),
    "bad chunk": says(CHUNKED + b"zz\r\n<html>"),
    "part": says(answer(DOCUMENT, status="206 Partial Content")),
    "no content": says(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "not modified": says(b"HTTP/1.1 304 Not Modified\r\n\r\n"),
    "server error": says(answer(b"sorry", status="500 Internal Server Error")),
    "unknown status": says(answer(b"", status="999 What")),
    "bomb": says(answer(bomb(64 << 20))),
    "greedy": says(answer(greedy())),
    "redirect to itself": says(
        answer(b"", status="302 Found", more=f"Location: /builds/ac/{KEY}\r\n")
    ),
    "redirect to nobody": says(
        answer(b"", status="301 Moved", more=f"Location: http://127.0.0.1:{free_port()}/\r\n")
    ),
    "redirect to a file": says(
        answer(b"", status="302 Found", more="Location: file:///etc/passwd\r\n")
    ),
    "redirect nowhere": says(answer(b"", status="302 Found", more="Location: http://[::1\r\n")),
    "endless body": repeats(OK + b"\r\n", bytes(65536)),
    "endless chunks": repeats(CHUNKED, b"10000\r\n" + bytes(65536) + b"\r\n"),
    "endless status": repeats(b"HTTP/1.1 200 ", b"O" * 65536),
    "endless headers": repeats(OK, b"X-More: of this\r\n"),
    "endless continue": repeats(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "silence": repeats(b"", b"", 0.05),
    "a header now and then": repeats(OK, b"X", 0.05),
    "a byte now and then": repeats(OK + b"Content-Length: 999999\r\n\r\n", b"\x28", 0.05),
    "a chunk now and then": repeats(CHUNKED, b"1\r\nx\r\n", 0.05),
}


@pytest.mark.parametrize("respond", ANSWERS.values(), ids=ANSWERS)
def test_what_is_no_document_is_a_miss(respond: Respond) -> None:
    with hostile(respond) as server:
        build = Build(server.url)
        for _ in range(5):
            assert build.remote.document(KEY) is None
        assert len(build.messages) == 1
        assert build.messages[0].startswith(f"the remote cache {server.url} ")
        # Three bad responses are enough; each takes one request and at most three redirects.
        assert not build.remote.writable
        assert len(server.heads) <= 3 * 4


def with_document(respond: Respond) -> Respond:
    """A server with valid documents that responds to requests for blobs with `respond`."""

    def both(connection: socket.socket, head: str, server: Hostile) -> None:
        if " /builds/ac/" in head:
            connection.sendall(answer(DOCUMENT))
        else:
            respond(connection, head, server)

    return both


OTHER = frame_of(b"another content")
BLOBS: dict[str, Respond] = {
    "page": says(LOGIN),
    "another frame": says(answer(OTHER)),
    "padded": says(answer(OTHER + bytes(len(FRAME) - len(OTHER)))),
    "cut off": says(answer(FRAME[:-3], length=len(FRAME))),
    "longer": says(answer(FRAME + b"more")),
    "longer without saying": says(OK + b"\r\n" + FRAME + b"more"),
    "endless": repeats(OK + b"\r\n" + FRAME, bytes(65536)),
    "bomb": says(answer(bomb(200 << 20))),
    "refused": says(answer(b"", status="403 Forbidden")),
    "broken": says(answer(b"", status="503 Service Unavailable")),
    "silence": repeats(OK, b"", 0.05),
    "stalls": repeats(OK + b"\r\n" + FRAME[:20], b"", 0.05),
    "a byte now and then": repeats(OK + b"\r\n", b"\x28", 0.05),
}


PATIENT = 3.0
"""Seconds in which a busy machine gives the first answer, which is good."""


@pytest.mark.parametrize("respond", BLOBS.values(), ids=BLOBS)
def test_what_is_no_blob_leaves_no_file(tmp_path: Path, respond: Respond) -> None:
    with hostile(with_document(respond)) as server:
        build = Build(server.url, timeout=PATIENT)
        document = build.remote.document(KEY)
        assert document is not None
        assert not document.fetch(sha256(CONTENT), tmp_path / "lib")
        assert list(tmp_path.iterdir()) == []
        assert len(build.messages) == 1


def test_a_document_that_lies_about_its_blob(tmp_path: Path) -> None:
    big = bomb(64 << 20)
    for frame, content in (
        (ZstdFrame(sha256(FRAME), len(FRAME), len(CONTENT)), sha256(b"another")),
        (ZstdFrame(sha256(OTHER), len(FRAME), len(CONTENT)), sha256(CONTENT)),
        (ZstdFrame(sha256(FRAME), len(FRAME), len(CONTENT) - 1), sha256(CONTENT)),
        (ZstdFrame(sha256(FRAME), len(FRAME), len(CONTENT) + 1), sha256(CONTENT)),
        (ZstdFrame(sha256(FRAME), len(FRAME) - 1, len(CONTENT)), sha256(CONTENT)),
        (ZstdFrame(sha256(FRAME), len(FRAME) + 1, len(CONTENT)), sha256(CONTENT)),
        (ZstdFrame(sha256(big), len(big), 10), sha256(bytes(10))),
    ):
        document = pack(KEY, b"data", {content: frame})
        assert document is not None
        blob = big if frame.size == 10 else FRAME

        def respond(
            connection: socket.socket,
            head: str,
            server: Hostile,
            a: bytes = document,
            b: bytes = blob,
        ) -> None:
            connection.sendall(answer(a if "/ac/" in head else b))

        with hostile(respond) as server:
            build = Build(server.url)
            found = build.remote.document(KEY)
            assert found is not None
            assert not found.fetch(content, tmp_path / "lib")
            assert list(tmp_path.iterdir()) == []
            assert len(build.messages) == 1


def test_a_file_is_replaced_by_a_whole_one_only(tmp_path: Path) -> None:
    with hostile(with_document(says(answer(FRAME)))) as server:
        document = Build(server.url).remote.document(KEY)
        assert document is not None
        (tmp_path / "lib").write_bytes(b"old")
        assert document.fetch(sha256(CONTENT), tmp_path / "lib")
        assert (tmp_path / "lib").read_bytes() == CONTENT
        assert (tmp_path / "lib").stat().st_mode & 0o777 == 0o644
        # A local error is not the server's fault; the build itself reports what it cannot write.
        (tmp_path / "folder").mkdir()
        assert not document.fetch(sha256(CONTENT), tmp_path / "folder")
        assert not document.fetch(sha256(CONTENT), tmp_path / "lib" / "below a file")
        assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "lib"]


def test_a_full_disk_is_not_the_servers_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "part").symlink_to("/dev/full")

    @contextlib.contextmanager
    def on_a_full_disk(_: Path) -> Iterator[Path]:
        yield tmp_path / "part"
        (tmp_path / "part").unlink(missing_ok=True)

    with hostile(with_document(says(answer(FRAME)))) as server:
        build = Build(server.url)
        document = build.remote.document(KEY)
        assert document is not None
        monkeypatch.setattr(client, "temporary_file", on_a_full_disk)
        for _ in range(4):
            assert not document.fetch(sha256(CONTENT), tmp_path / "lib")
            if not (tmp_path / "part").is_symlink():
                (tmp_path / "part").symlink_to("/dev/full")
        assert not (tmp_path / "lib").exists()
        assert build.remote.writable
        assert len(build.messages) == 1
        assert "No space left on device" in build.messages[0]


@pytest.mark.parametrize(
    "respond",
    [
        says(b""),
        says(answer(b"", status="507 Insufficient Storage")),
        says(answer(b"", status="401 Unauthorized")),
        says(answer(b"", status="307 Elsewhere", more="Location: http://example.com/\r\n")),
        repeats(b"", b"", 0.05),
        repeats(b"HTTP/1.1 201 Created\r\n", b"X", 0.05),
    ],
    ids=["closes", "full", "refuses", "redirects", "silence", "trickles"],
)
def test_what_cannot_be_stored(tmp_path: Path, respond: Respond) -> None:
    (tmp_path / "lib").write_bytes(CONTENT)
    with hostile(respond) as server:
        build = Build(server.url)
        for _ in range(5):
            assert not build.remote.put(KEY, b"data", {sha256(CONTENT): tmp_path / "lib"})
        assert not build.remote.writable
        assert len(build.messages) == 1
        assert not any(f"/ac/{KEY}" in head for head in server.heads)


def test_an_upload_does_not_follow_redirects(tmp_path: Path) -> None:
    (tmp_path / "lib").write_bytes(CONTENT)
    with hostile(says(answer(b"", status="201 Created"))) as target:
        there = f"Location: {target.url}/x\r\n"

        def respond(connection: socket.socket, head: str, server: Hostile) -> None:
            missing = head.startswith("HEAD")
            status = "404 Not Found" if missing else "307 Temporary Redirect"
            connection.sendall(answer(b"", status=status, more="" if missing else there))
            connection.shutdown(socket.SHUT_RDWR)

        with hostile(respond) as server:
            build = Build(server.url)
            assert not build.remote.put(KEY, b"data", {sha256(CONTENT): tmp_path / "lib"})
            assert "does not accept an upload (status 307)" in build.messages[0]
        assert target.heads == []


def test_a_server_that_stops_reading(tmp_path: Path) -> None:
    """The request fills the buffers of the sockets; then nothing is transferred."""
    content = hashlib.shake_128(b"").digest(12_000_000)
    (tmp_path / "lib").write_bytes(content)

    def respond(connection: socket.socket, head: str, server: Hostile) -> None:
        if head.startswith("HEAD"):
            connection.sendall(answer(b"", status="404 Not Found"))
        else:
            server.over.wait(30)

    with hostile(respond) as server:
        build = Build(server.url)
        assert not build.remote.put(KEY, b"data", {sha256(content): tmp_path / "lib"})
        assert len(build.messages) == 1
        assert not build.remote.writable


def test_many_slow_answers_are_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """No single request takes too long, but all of them together do."""
    monkeypatch.setattr(requests, "GRACE_SECONDS", 0.0)

    def respond(connection: socket.socket, head: str, server: Hostile) -> None:
        server.over.wait(0.4)
        connection.sendall(answer(b"", status="404 Not Found"))

    with hostile(respond) as server:
        build = Build(server.url)
        for _ in range(10):
            assert build.remote.document(KEY) is None
        assert len(server.heads) < 5
        assert len(build.messages) == 1
        assert "is slow" in build.messages[0]


def test_a_broken_connection_is_tried_once_more() -> None:
    def respond(connection: socket.socket, head: str, server: Hostile) -> None:
        if len(server.heads) == 1:
            connection.shutdown(socket.SHUT_RDWR)
        else:
            connection.sendall(answer(DOCUMENT))

    with hostile(respond) as server:
        build = Build(server.url)
        assert build.remote.document(KEY) is not None
        assert build.messages == []
        assert len(server.heads) == 2
