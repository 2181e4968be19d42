"""The stub of an interface: functions that turn a C call into a FastRPC invocation."""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.idl.emit.c_declarations import function_name, function_parameters, public_signature
from buildtool.idl.emit.c_text import function
from buildtool.idl.emit.idl_note import note
from buildtool.idl.emit.plain import HANDLE
from buildtool.idl.emit.records import (
    composites,
    has_record,
    method_records,
    record_struct,
    size_checks,
)
from buildtool.idl.emit.stub_methods import method_function
from buildtool.idl.emit.stub_records import fetch_function, in_function, room_function
from buildtool.idl.emit.support import support
from buildtool.idl.emit.support_stub import STUB
from buildtool.idl.layout.method_layout import RecordKind, record_of, wire_methods
from buildtool.idl.model import Direction, Interface, Method, Unit

ASYNC = """\
/* Older libraries lack these: then an async method is AEE_EUNSUPPORTED. */
#pragma weak remote_handle64_invoke_async
#pragma weak remote_handle_invoke_async
"""


def stub(unit: Unit, interface: Interface) -> str:
    """The text of `<interface>_stub.c`.  Raises IdlError for what the wire cannot carry."""
    first = 2 if interface.multi_domain else 0
    methods = interface.methods[first:]
    wires = wire_methods(interface)[first:]
    body = [
        *_composites(methods),
        *(method_records(interface, wire, received=False) for wire in wires),
        *(_open_and_close(interface) if first else _handle(interface)),
        *(method_function(interface, wire) for wire in wires),
    ]
    parts = [
        f"/* {interface.c_name}_stub.c: the calling side of {interface.c_name}, generated from\n"
        f" * {unit.stem}.idl by buildtool idl; do not edit. */",
        f'#include "{unit.stem}.h"\n',
        ASYNC if any(method.is_async for method in methods) else "",
        note(unit.digest),
        support("\n".join(body), STUB),
        size_checks(parameter for method in methods for parameter in method.parameters),
        *body,
    ]
    return "\n".join(part for part in parts if part)


def _composites(methods: Sequence[Method]) -> list[str]:
    """The records of the composites in use, each with its functions, inner ones first."""
    parameters = [parameter for method in methods for parameter in method.parameters]
    parts = []
    for inner in composites(parameters, Direction.IN):
        record = record_of(inner.members, RecordKind.IN)
        parts += [
            record_struct(inner.c_type, RecordKind.IN, record, received=False),
            in_function(inner),
        ]
    for inner in composites(parameters, Direction.ROUT):
        room = record_of(inner.members, RecordKind.CAPACITY)
        parts.append(record_struct(inner.c_type, RecordKind.CAPACITY, room, received=False))
        if has_record(inner, RecordKind.RESULT):
            out = record_of(inner.members, RecordKind.RESULT)
            parts.append(record_struct(inner.c_type, RecordKind.RESULT, out, received=True))
        parts += [room_function(inner), fetch_function(inner)]
    return parts


def _handle(interface: Interface) -> list[str]:
    return [HANDLE.replace("INTERFACE", interface.c_name)]


def _open_and_close(interface: Interface) -> list[str]:
    functions = []
    for index, name in enumerate(("open", "close")):
        method = interface.methods[index]
        variables = function_parameters(interface, method, index)
        arguments = ", ".join(variable.name for variable in variables)
        functions.append(
            function(
                public_signature("STUB", method, function_name(interface, method), variables),
                [f"return __QAIC_REMOTE(remote_handle64_{name})({arguments});"],
            )
        )
    return functions
