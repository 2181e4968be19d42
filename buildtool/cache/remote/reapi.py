"""Requests to the server of a remote cache that speaks the remote execution API (REv2) over gRPC.

It has the interface of the server in `http.py`.  A file below /cas/ is a blob of the CAS.  A
document below /ac/ is a blob, too: the only output file of an action result, whose digest has the
document's key as its hash.  So servers that look for the outputs of a result find them.

Only the messages that a cache needs are here, with the fields that it uses.  Numbers and types are
those of `build/bazel/remote/execution/v2/remote_execution.proto`
(https://github.com/bazelbuild/remote-apis) and `google/bytestream/bytestream.proto`
(https://github.com/googleapis/googleapis); unknown fields are ignored, as in all protocol buffers.

Importing this module raises `UnavailableError` when the packages of the extra `grpc` are missing.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import ssl
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from buildtool.cache.remote.config import RemoteConfig
from buildtool.cache.remote.requests import BadResponseError, UnavailableError, report_progress
from buildtool.cache.remote.zstd_frames import CHUNK

KEY_SIZE = 64
"""Bytes of the text that a key is, as digests have a size; any constant would do."""


class Response:
    """What the client reads of a response: its status, and the bytes of its body."""

    def __init__(self, status: int, call: Any = (), size: int = 0) -> None:
        self.status = status
        self.headers: Mapping[str, str] = {"content-length": str(size)}
        self._chunks = (message.data for message in call)
        # Here the server says whether it has the blob.
        self._left: bytes = next(self._chunks, b"")

    def read(self, size: int) -> bytes:
        while not self._left and (chunk := next(self._chunks, None)) is not None:
            self._left = chunk
        data, self._left = self._left[:size], self._left[size:]
        return data


class Server:
    """The server of one remote cache; `config.url` ends with the name of the instance, if any.

    Threads share it.  Raises `UnavailableError` when the file with certificates cannot be read.
    """

    def __init__(self, config: RemoteConfig) -> None:
        self._instance = urlsplit(config.url).path.strip("/")
        self._types = message_types()
        self._metadata = credentials(config)
        self._channel = open_channel(config)

    @contextmanager
    def request(
        self, method: str, path: str, body: BinaryIO | None = None, size: int = 0
    ) -> Iterator[Response]:
        """The response for `/ac/<key>`, or for `/cas/<sha256>` of `size` bytes.

        Raises `UnavailableError` when there is no server, and `BadResponseError` for an
        incomplete response.
        """
        _, kind, digest = path.split("/")
        blob = self._digest(digest, size if kind == "cas" else KEY_SIZE)
        call = self._document if kind == "ac" else self._find if method == "HEAD" else self._read
        put = self._put_document if kind == "ac" else self._write
        try:
            response = put(blob, body) if body else call(blob)
        except CallError as error:
            response = Response(status_of(error))
        try:
            yield response
        except CallError as error:
            raise failure(error) from None

    def _document(self, key: Any) -> Response:
        result = self._call(
            "ActionCache/GetActionResult",
            self._request("GetActionResultRequest", action_digest=key),
            "ActionResult",
        )
        if len(result.output_files) != 1:
            raise BadResponseError("the result of another program")
        return self._read(result.output_files[0].digest)

    def _put_document(self, key: Any, body: BinaryIO) -> Response:
        data = body.read()
        blob = self._digest(hashlib.sha256(data).hexdigest(), len(data))
        self._write(blob, io.BytesIO(data))
        file = self._types["OutputFile"](path="document", digest=blob)
        self._call(
            "ActionCache/UpdateActionResult",
            self._request(
                "UpdateActionResultRequest",
                action_digest=key,
                action_result=self._types["ActionResult"](output_files=[file]),
            ),
            "ActionResult",
        )
        return Response(200)

    def _find(self, blob: Any) -> Response:
        found = self._call(
            "ContentAddressableStorage/FindMissingBlobs",
            self._request("FindMissingBlobsRequest", blob_digests=[blob]),
            "FindMissingBlobsResponse",
        )
        return Response(404 if found.missing_blob_digests else 200, size=blob.size_bytes)

    def _read(self, blob: Any) -> Response:
        name = self._resource(f"blobs/{blob.hash}/{blob.size_bytes}")
        call = self._channel.unary_stream(
            "/google.bytestream.ByteStream/Read",
            self._types["ReadRequest"].SerializeToString,
            self._types["ReadResponse"].FromString,
        )(self._types["ReadRequest"](resource_name=name), metadata=self._metadata)
        report_progress(connection=call)
        return Response(200, call, blob.size_bytes)

    def _write(self, blob: Any, body: BinaryIO) -> Response:
        name = self._resource(f"uploads/{uuid.uuid4()}/blobs/{blob.hash}/{blob.size_bytes}")
        thread = threading.current_thread()  # gRPC takes the parts in a thread of its own

        def parts() -> Iterator[Any]:
            offset = 0
            while data := body.read(CHUNK):
                report_progress(len(data), thread=thread)
                end = offset + len(data)
                yield self._types["WriteRequest"](
                    resource_name=name,
                    write_offset=offset,
                    finish_write=end >= blob.size_bytes,
                    data=data,
                )
                offset = end

        written = self._wait(
            self._channel.stream_unary(
                "/google.bytestream.ByteStream/Write",
                self._types["WriteRequest"].SerializeToString,
                self._types["WriteResponse"].FromString,
            ).future(parts(), metadata=self._metadata)
        )
        return Response(200 if written.committed_size == blob.size_bytes else 500)

    def _call(self, method: str, request: Any, answer: str) -> Any:
        return self._wait(
            self._channel.unary_unary(
                f"/build.bazel.remote.execution.v2.{method}",
                type(request).SerializeToString,
                self._types[answer].FromString,
            ).future(request, metadata=self._metadata)
        )

    def _wait(self, call: Any) -> Any:
        report_progress(connection=call)
        return call.result()

    def _request(self, name: str, **fields: Any) -> Any:
        return self._types[name](instance_name=self._instance, **fields)

    def _digest(self, digest: str, size: int) -> Any:
        return self._types["Digest"](hash=digest, size_bytes=size)

    def _resource(self, name: str) -> str:
        return f"{self._instance}/{name}" if self._instance else name


_INT64, _BOOL, _STRING, _MESSAGE, _BYTES = 3, 8, 9, 11, 12
_PACKAGE = "buildtool"
_FIELDS: dict[str, dict[str, tuple[int, int | str]]] = {
    "Digest": {"hash": (1, _STRING), "size_bytes": (2, _INT64)},
    "OutputFile": {"path": (1, _STRING), "digest": (2, "Digest")},
    "ActionResult": {"output_files": (2, "*OutputFile")},
    "GetActionResultRequest": {"instance_name": (1, _STRING), "action_digest": (2, "Digest")},
    "UpdateActionResultRequest": {
        "instance_name": (1, _STRING),
        "action_digest": (2, "Digest"),
        "action_result": (3, "ActionResult"),
    },
    "FindMissingBlobsRequest": {"instance_name": (1, _STRING), "blob_digests": (2, "*Digest")},
    "FindMissingBlobsResponse": {"missing_blob_digests": (2, "*Digest")},
    "ReadRequest": {"resource_name": (1, _STRING)},
    "ReadResponse": {"data": (10, _BYTES)},
    "WriteRequest": {
        "resource_name": (1, _STRING),
        "write_offset": (2, _INT64),
        "finish_write": (3, _BOOL),
        "data": (10, _BYTES),
    },
    "WriteResponse": {"committed_size": (1, _INT64)},
}


def _field(name: str, number: int, kind: int | str) -> dict[str, Any]:
    """A field, of a message if `kind` is a text, and repeated if that begins with an asterisk."""
    if isinstance(kind, int):
        return {"name": name, "number": number, "type": kind, "label": 1}
    label, of = (3, kind[1:]) if kind.startswith("*") else (1, kind)
    type_name = f".{_PACKAGE}.{of}"
    return {"name": name, "number": number, "type": _MESSAGE, "label": label} | {
        "type_name": type_name
    }


def message_types() -> dict[str, Any]:
    """The class of each message, by its name."""
    file = descriptor_pb2.FileDescriptorProto(
        name="buildtool.proto",
        package=_PACKAGE,
        syntax="proto3",
        message_type=[
            {"name": name, "field": [_field(name, *kind) for name, kind in fields.items()]}
            for name, fields in _FIELDS.items()
        ],
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _FIELDS
    }


# gRPC prints what it thinks of servers, and of processes that start others.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
try:
    import google.protobuf  # noqa: F401
    import grpc
except ImportError:
    raise UnavailableError(
        "cannot be used: grpc:// needs the extra of that name: pip install hexagon-buildtool[grpc]"
    ) from None

CallError = grpc.RpcError
_STATUS = {
    "NOT_FOUND": 404,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "UNIMPLEMENTED": 405,
    "RESOURCE_EXHAUSTED": 507,
}
"""The HTTP status with the meaning of a gRPC status."""


def open_channel(config: RemoteConfig) -> Any:
    """The channel to the server; raises `UnavailableError` when the file with certificates cannot
    be read."""
    parts = urlsplit(config.url)
    options = [("grpc.primary_user_agent", "buildtool")]
    if parts.scheme == "grpc":
        return grpc.insecure_channel(parts.netloc, options)
    # The authorities that Python trusts here; gRPC has others inside.
    file = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    try:
        trust = grpc.ssl_channel_credentials(Path(file).read_bytes() if file else None)
    except OSError as error:
        raise UnavailableError(f"cannot be accessed: {error.strerror}") from None
    return grpc.secure_channel(parts.netloc, trust, options)


def credentials(config: RemoteConfig) -> list[tuple[str, str]]:
    """The metadata of each call."""
    if config.token:
        return [("authorization", f"Bearer {config.token}")]
    pair = base64.b64encode(f"{config.user}:{config.password}".encode()).decode()
    return [("authorization", f"Basic {pair}")] if config.user else []


def status_of(error: Any) -> int:
    """The HTTP status of an answer that is an error; raises the exception for one that is none."""
    if status := _STATUS.get(error.code().name):
        return status
    raise failure(error) from None


def failure(error: Any) -> Exception:
    """The exception for a call that failed with this error of gRPC."""
    name = error.code().name
    if name not in ("UNAVAILABLE", "DEADLINE_EXCEEDED"):
        return BadResponseError(f"the gRPC status {name}")
    why = "".join(filter(str.isprintable, error.details() or "")).rpartition(": ")[2]
    return UnavailableError(f"cannot be reached: {why[:80] or name}")
