"""A cache on another machine, over plain HTTP: documents below /ac/, blobs below /cas/.

The protocol is that of Bazel's remote caches (GET, PUT and HEAD of `<base>/ac/<sha256>` and
`<base>/cas/<sha256>`), so the servers that serve it serve this too.  Nothing that comes from a
server is believed, and nothing that goes wrong with it is more than a warning and a miss.
"""

from __future__ import annotations

import io
import os
import stat
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from buildtool.cache.remote import document as remote_document
from buildtool.cache.remote import frames as remote_frames
from buildtool.cache.remote.config import RemoteConfig
from buildtool.cache.remote.document import MAX_BLOB, is_digest
from buildtool.cache.remote.failure_policy import REFUSED, FailurePolicy
from buildtool.cache.remote.frames import BadAnswerError, Frame
from buildtool.cache.remote.request_thread import (
    MIN_BYTES_PER_SECOND,
    GoneError,
    NoPlaceError,
    OverdueError,
    RefusedError,
    RequestThread,
)
from buildtool.core.events import Listener

if TYPE_CHECKING:
    from buildtool.cache.remote.http import Answer, Server

T = TypeVar("T")

FOUND = (200,)
MISSING = (404, 410)
STORED = (200, 201, 202, 204)


@dataclass(frozen=True)
class RemoteDocument:
    """What was stored under a key: `data`, and by content digest the files that can be fetched,
    with their sizes."""

    data: bytes
    files: Mapping[str, int]
    _cache: RemoteCache = field(repr=False, compare=False)
    _frames: Mapping[str, Frame] = field(repr=False, compare=False)

    def fetch(self, content_digest: str, into: Path) -> bool:
        """Put the file with this content at `into`, whole and verified, mode 0644; else False.

        A file that was at `into` is replaced, or stays as it is.
        """
        frame = self._frames.get(content_digest)
        return frame is not None and self._cache._fetch(content_digest, frame, into)


class RemoteCache:
    """One server for the time of a process; steps that run in parallel share it.

    No method raises because of the server, the network or a file; each gives the answer that
    makes the build go on without.  `listener` hears of the first failure, once; `failures` is told
    of what turns out wrong with a document later.
    """

    def __init__(self, config: RemoteConfig, listener: Listener) -> None:
        self._config = config
        self.failures = FailurePolicy(config, listener)
        self._lock = threading.Lock()
        self._server: Server | None = None
        self._kept: dict[str, Frame] = {}  # content digest → the frame that the server has
        self._wrong: set[str] = set()  # frames that the server has with other bytes

    @property
    def url(self) -> str:
        """Its address, without credentials."""
        return self._config.url

    @property
    def writable(self) -> bool:
        """Whether something that is stored now has a chance to be kept."""
        off = self.failures.disabled.is_set() or self.failures.writes_disabled.is_set()
        return self._config.mode == "read-write" and not off

    def document(self, key: str) -> RemoteDocument | None:
        """What is stored under `key`, a sha256 in hex; None when there is nothing to be had."""
        path = _path("ac", key)

        def work(thread: RequestThread[RemoteDocument | None]) -> RemoteDocument | None:
            with self._connected().ask(thread, "GET", path) as answer:
                if not _there(answer):
                    return None
                try:
                    stored = remote_document.receive(answer)
                    data, frames = remote_document.unpack(key, stored)
                except BadAnswerError as bad:
                    raise BadAnswerError(
                        f"{bad} ({answer.kind})" if answer.kind else str(bad)
                    ) from None
                sizes = {content: frame.size for content, frame in frames.items()}
                return RemoteDocument(data, sizes, self, frames)

        return self._do(work, self.failures.bad_response)

    def put(self, key: str, data: bytes, files: Mapping[str, Path]) -> bool:
        """Store `data` under `key`, and with it files by content digest; whether all of it is kept.

        The document goes last, so that who finds it finds its files.  A file whose content is not
        what its digest says is not stored, nor is the document then.
        """
        path = _path("ac", key)
        if not self.writable:
            return False
        frames: dict[str, Frame] = {}
        for content, file in files.items():
            frame = self._put_blob(content, file)
            if frame is None or not self.writable:
                return False
            frames[content] = frame
        stored = remote_document.pack(key, data, frames)
        if stored is None:
            self.failures.local_error("what there is to say of a step is longer than it may be")
            return False
        return self._put(path, lambda: io.BytesIO(stored), len(stored))

    def _put_blob(self, content: str, file: Path) -> Frame | None:
        if frame := self._kept.get(content):
            return frame
        try:
            status = file.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BLOB:
                return None
            with tempfile.TemporaryDirectory(prefix="buildtool-") as folder:
                packed = Path(folder, "frame")
                with file.open("rb") as source, packed.open("wb") as target:
                    found, size, digest, packed_size = remote_frames.compress(source, target)
                frame = Frame(digest, packed_size, size)
                if found != content or max(size, packed_size) > MAX_BLOB:
                    return None
                path = _path("cas", digest)
                kept = self._has(path, frame) or self._put(
                    path, lambda: packed.open("rb"), packed_size
                )
        except OSError as error:
            self.failures.local_error(_told(error))
            return None
        if kept:
            self._kept[content] = frame
            self._wrong.discard(frame.digest)
        return frame if kept else None

    def _has(self, path: str, frame: Frame) -> bool:
        if frame.digest in self._wrong:
            return False

        def work(thread: RequestThread[bool]) -> bool:
            with self._connected().ask(thread, "HEAD", path) as answer:
                # A server that cannot say is given the blob.
                return answer.status in FOUND and answer.length == frame.frame_size

        return self._do(work, self.failures.not_stored) or False

    def _put(self, path: str, opened: Callable[[], BinaryIO], size: int) -> bool:
        def work(thread: RequestThread[int]) -> int:
            with self._connected().ask(thread, "PUT", path, opened, size) as answer:
                return answer.status

        status = self._do(work, self.failures.not_stored)
        if status is None or status in STORED:
            return status is not None
        self.failures.not_stored(f"does not take what is stored (status {status})", status)
        return False

    def _fetch(self, content: str, frame: Frame, into: Path) -> bool:
        try:
            into.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=into.parent, prefix=".fetched.")
        except OSError as error:
            self.failures.local_error(_told(error))
            return False
        os.close(handle)
        part = Path(name)

        def work(thread: RequestThread[bool]) -> bool:
            path = _path("cas", frame.digest)
            # Not "wb": who gave up waiting has taken the file away.
            with (
                part.open("r+b", buffering=0) as out,
                self._connected().ask(thread, "GET", path) as answer,
            ):
                if not _there(answer):
                    return False
                try:
                    remote_frames.receive(answer, frame, content, _Counting(out, thread))
                except BadAnswerError:
                    self._wrong.add(frame.digest)
                    raise
                return True

        try:
            if not self._do(work, self.failures.bad_response):
                self._kept.pop(content, None)
                return False
            part.chmod(0o644)
            part.replace(into)
        except OSError as error:
            self.failures.local_error(_told(error))
            return False
        finally:
            part.unlink(missing_ok=True)
        self._kept[content] = frame
        return True

    def _do(self, work: Callable[[RequestThread[T]], T], bad: Callable[[str], None]) -> T | None:
        """The result of one thread; None when there is none, which the listener has heard of."""
        if self.failures.disabled.is_set():
            return None
        self.failures.before_request()
        thread = RequestThread(work)
        try:
            result = thread.run_with_deadline(self._config.timeout, self.failures.disabled)
        except OverdueError:
            if not self.failures.disabled.is_set():
                self.failures.unreachable(f"did not answer within {thread.seconds:.0f} s")
            return None
        except GoneError as gone:
            self.failures.unreachable(str(gone))
        except RefusedError as refused:
            self.failures.access_denied(refused.status)
        except BadAnswerError as said:
            bad(f"sent {said}")
        except NoPlaceError as error:
            self.failures.local_error(str(error))
        except Exception as error:
            bad(f"sent an answer that cannot be read ({type(error).__name__})")
        else:
            self.failures.add_wait(thread.seconds - thread.moved / MIN_BYTES_PER_SECOND)
            return result
        return None

    def _connected(self) -> Server:
        with self._lock:
            if self._server is None:
                from buildtool.cache.remote.http import Server  # noqa: PLC0415 - slow

                self._server = Server(self._config)
            return self._server


class _Counting:
    """A file on this side: what is written to it buys time, as what is received does."""

    def __init__(self, out: BinaryIO, thread: RequestThread[bool]) -> None:
        self._out, self._exchange = out, thread

    def write(self, data: bytes, /) -> int:
        left = memoryview(data)
        try:
            while left:  # not buffered: what does not fit is found here, not when it is closed
                left = left[self._out.write(left) :]
        except OSError as error:
            raise NoPlaceError(_told(error)) from None
        self._exchange.alive(len(data))
        return len(data)


def _told(error: OSError) -> str:
    return f"{error.strerror or error}: {error.filename}" if error.filename else str(error.strerror)


def _there(answer: Answer) -> bool:
    """Whether the answer holds what was asked for.

    Raises `BadAnswerError` or `RefusedError` when it is neither that nor a plain miss.
    """
    if answer.status in MISSING:
        return False
    if answer.status in REFUSED:
        raise RefusedError(answer.status)
    if answer.status not in FOUND:
        raise BadAnswerError(f"status {answer.status} instead of what was asked for")
    return True


def _path(kind: str, digest: str) -> str:
    if not is_digest(digest):
        raise ValueError(f"{digest!r} is no sha256 in hex")
    return f"/{kind}/{digest}"
