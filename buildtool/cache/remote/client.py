"""A cache on another machine, over plain HTTP: documents below /ac/, blobs below /cas/.

The protocol is that of Bazel's remote caches (GET, PUT and HEAD of `<base>/ac/<sha256>` and
`<base>/cas/<sha256>`), so their servers can be used.  Whatever a server sends is verified, and a
failure is never more than a warning and a miss.

A document is one zstd frame of a line of JSON, which says what frames hold the files of a step, and
of some bytes:

{"buildtool": 1, "key": …, "sha256": …, "files": {content: [frame, size of it, size]}}

A file is stored as a zstd frame, named by the sha256 of the *frame*, so that a server that verifies
what is stored below /cas/ accepts it.  `files` says which frame holds which content.
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from buildtool.cache.remote.config import RemoteConfig
from buildtool.cache.remote.requests import (
    ACCESS_DENIED,
    MIN_BYTES_PER_SECOND,
    AccessDeniedError,
    BadResponseError,
    DeadlineError,
    FailurePolicy,
    RequestThread,
    UnavailableError,
)
from buildtool.cache.remote.zstd_frames import (
    HashedStream,
    ZstdFrame,
    compress,
    decompress,
    receive,
    zstd_frame,
)
from buildtool.core.events import Listener
from buildtool.core.files import (
    is_digest,
    open_regular,
    parse_bounded,
    replace_file,
    temporary_file,
)

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

    from buildtool.cache.remote import http, reapi

    Server = http.Server | reapi.Server
    Response = BaseHTTPResponse | reapi.Response

T = TypeVar("T")

FOUND = 200
MISSING = (404, 410)
STORED = (200, 201, 202, 204)


@dataclass(frozen=True)
class RemoteDocument:
    """A document that was stored under a key: `data`, and the sizes in bytes of the files that can
    be fetched, by the sha256 of their content."""

    data: bytes
    files: Mapping[str, int]
    _cache: RemoteCache = field(repr=False, compare=False)
    _frames: Mapping[str, ZstdFrame] = field(repr=False, compare=False)

    def fetch(self, content_digest: str, into: Path) -> bool:
        """Write the file with this content to `into`, whole and verified, mode 0644.

        Returns False when it is not available; `into` then stays as it is.
        """
        frame = self._frames.get(content_digest)
        return frame is not None and self._cache._fetch(content_digest, frame, into)


class RemoteCache:
    """One server for the time of a process; steps that run in parallel share it.

    No method raises because of the server, the network or a file: it returns a value with which
    the build continues without the cache.  `listener` receives the first failure; `failures`
    receives errors in a document that are found later.
    """

    def __init__(self, config: RemoteConfig, listener: Listener) -> None:
        self._config = config
        self.failures = FailurePolicy(config, listener)
        self._lock = threading.Lock()
        self._server: Server | None = None
        self._stored: dict[str, ZstdFrame] = {}  # content digest → the frame that the server has
        self._damaged: set[str] = set()  # digests of frames that the server has with other bytes

    @property
    def url(self) -> str:
        """The server's address, without credentials."""
        return self._config.url

    @property
    def writable(self) -> bool:
        """Whether an attempt to store something can succeed."""
        disabled = self.failures.disabled.is_set() or self.failures.writes_disabled.is_set()
        return self._config.mode == "read-write" and not disabled

    def document(self, key: str) -> RemoteDocument | None:
        """The document stored under `key`, a sha256 in hex; None when none is available."""
        path = _path("ac", key)

        def get() -> RemoteDocument | None:
            with self._connected().request("GET", path) as response:
                if not _is_found(response):
                    return None
                try:
                    data, frames = unpack(key, response)
                except BadResponseError as error:
                    raise BadResponseError(f"{error}{_media_type(response)}") from None
                sizes = {content: frame.size for content, frame in frames.items()}
                return RemoteDocument(data, sizes, self, frames)

        return self._run(get, self.failures.bad_response)

    def put(self, key: str, data: bytes, files: Mapping[str, Path]) -> bool:
        """Store `data` under `key`, with files by content digest; returns whether all is stored.

        The document is stored last, so that its files can be fetched once it is found.  A file
        with another digest is not stored, and then neither is the document.
        """
        path = _path("ac", key)
        if not self.writable:
            return False
        frames: dict[str, ZstdFrame] = {}
        for content, file in files.items():
            frame = self._put_blob(content, file)
            if frame is None or not self.writable:
                return False
            frames[content] = frame
        stored = pack(key, data, frames)
        if stored is None:
            self.failures.local_error("the description of a step is longer than the limit")
            return False
        return self._put(path, io.BytesIO(stored), len(stored))

    def _put_blob(self, content: str, file: Path) -> ZstdFrame | None:
        if frame := self._stored.get(content):
            return frame
        try:
            with open_regular(file, follow=True) as source, tempfile.TemporaryFile() as packed:
                digest, frame = compress(source, packed)
                if digest != content or max(frame.size, frame.frame_size) > MAX_BLOB:
                    return None
                packed.seek(0)
                path = _path("cas", frame.digest)
                if not self._has(path, frame) and not self._put(path, packed, frame.frame_size):
                    return None
        except OSError as error:
            self.failures.local_error(_text(error))
            return None
        self._stored[content] = frame
        self._damaged.discard(frame.digest)
        return frame

    def _has(self, path: str, frame: ZstdFrame) -> bool:
        if frame.digest in self._damaged:
            return False

        def head() -> bool:
            with self._connected().request("HEAD", path, size=frame.frame_size) as response:
                # A blob is stored again if the server does not report its size.
                length = response.headers.get("content-length")
                return response.status == FOUND and length == str(frame.frame_size)

        return self._run(head, self.failures.not_stored) or False

    def _put(self, path: str, body: BinaryIO, size: int) -> bool:
        def put() -> int:
            with self._connected().request("PUT", path, body, size) as response:
                return response.status

        status = self._run(put, self.failures.not_stored)
        if status is None or status in STORED:
            return status is not None
        self.failures.not_stored(f"does not accept an upload (status {status})", status)
        return False

    def _fetch(self, content: str, frame: ZstdFrame, into: Path) -> bool:
        def get(part: Path) -> bool:
            # Not "wb": when the request was abandoned, the file has been removed.
            with part.open("r+b") as out:
                path, size = _path("cas", frame.digest), frame.frame_size
                with self._connected().request("GET", path, size=size) as response:
                    if not _is_found(response):
                        return False
                    try:
                        receive(response, frame, content, out)
                    except BadResponseError:
                        self._damaged.add(frame.digest)
                        raise
            return True

        try:
            into.parent.mkdir(parents=True, exist_ok=True)
            with temporary_file(into.parent) as part:
                if not self._run(lambda: get(part), self.failures.bad_response):
                    self._stored.pop(content, None)
                    return False
                replace_file(part, into)
        except OSError as error:
            self.failures.local_error(_text(error))
            return False
        self._stored[content] = frame
        return True

    def _run(self, work: Callable[[], T], report: Callable[[str], None]) -> T | None:
        """The result of a request; None when it failed, with `report` for a bad response."""
        if self.failures.disabled.is_set():
            return None
        self.failures.before_request()
        thread = RequestThread(work)
        try:
            result = thread.run_with_deadline(self._config.timeout, self.failures.disabled)
        except DeadlineError:
            if not self.failures.disabled.is_set():
                self.failures.unreachable(f"did not answer within {thread.seconds:.0f} s")
        except UnavailableError as error:
            self.failures.unreachable(str(error))
        except AccessDeniedError as error:
            self.failures.access_denied(error.status)
        except BadResponseError as error:
            report(f"sent {error}")
        except OSError as error:  # of a file: urllib3 has its own errors for those of sockets
            self.failures.local_error(_text(error))
        except Exception as error:
            report(f"sent an unreadable response ({type(error).__name__})")
        else:
            self.failures.add_wait(thread.seconds - thread.transferred / MIN_BYTES_PER_SECOND)
            return result
        return None

    def _connected(self) -> Server:
        with self._lock:
            if self._server is None:
                self._server = _server(self._config)
            return self._server


def _server(config: RemoteConfig) -> Server:
    if config.url.startswith("grpc"):
        from buildtool.cache.remote import reapi  # noqa: PLC0415 - slow, as the other one

        return reapi.Server(config)
    from buildtool.cache.remote import http  # noqa: PLC0415

    return http.Server(config)


def _text(error: OSError) -> str:
    return f"{error.strerror or error}: {error.filename}" if error.filename else str(error.strerror)


def _media_type(response: Response) -> str:
    """The media type for a message: a login page in place of a document is text/html."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip()[:40]
    return f" ({kind})" if kind and kind.isascii() and kind.isprintable() else ""


def _is_found(response: Response) -> bool:
    """Whether the response holds what was requested; False for a plain miss.

    Raises `BadResponseError` or `AccessDeniedError` when it is neither.
    """
    if response.status in MISSING:
        return False
    if response.status in ACCESS_DENIED:
        raise AccessDeniedError(response.status)
    if response.status != FOUND:
        raise BadResponseError(f"status {response.status} instead of the requested data")
    return True


def _path(kind: str, digest: str) -> str:
    if not is_digest(digest):
        raise ValueError(f"{digest!r} is not a sha256 in hex")
    return f"/{kind}/{digest}"


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
        header = parse_bounded(line)
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
