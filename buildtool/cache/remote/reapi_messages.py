"""The messages of the remote execution API (REv2) that a cache needs, with the fields it uses.

Numbers and types are those of `build/bazel/remote/execution/v2/remote_execution.proto`
(https://github.com/bazelbuild/remote-apis) and `google/bytestream/bytestream.proto`
(https://github.com/googleapis/googleapis); unknown fields are ignored, as in all protocol buffers.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

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
