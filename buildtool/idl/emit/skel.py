"""The skel of an interface: unpacks an invocation, checks it, and calls the implementation.

Nothing that arrives is believed: counts must be exact, buffers large enough, lengths
within their buffers, texts terminated; else AEE_EBADPARM.
"""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.idl.emit.idl_note import note
from buildtool.idl.emit.records import (
    composites,
    has_record,
    method_records,
    record_struct,
    size_checks,
)
from buildtool.idl.emit.skel_entry import entry
from buildtool.idl.emit.skel_methods import method_function
from buildtool.idl.emit.skel_records import give_function, in_function, room_function
from buildtool.idl.emit.support import support
from buildtool.idl.emit.support_skel import SKEL
from buildtool.idl.emit.version import version_check
from buildtool.idl.layout.method_layout import RecordKind, record_of, wire_methods
from buildtool.idl.layout.types import strip_typedefs
from buildtool.idl.model import Direction, DmaHandle, Interface, Method, Unit

DMA = """\
/* The DSP's own look-up of a shared buffer's size; not 0 when it is not mapped. */
extern int adsp_mmap_fd_getinfo(int fd, uint32_t* size);
"""


def skel(unit: Unit, interface: Interface) -> str:
    """The text of `<interface>_skel.c`.  Raises IdlError for what the wire cannot carry."""
    wires = wire_methods(interface)
    version = unit.idl_version if interface.multi_domain else None
    parameters = [p for method in interface.methods for p in method.parameters]
    body = [
        *_composites(interface.methods),
        *(method_records(interface, wire, received=True) for wire in wires),
        version_check(version) if version else "",
        *(
            method_function(interface, wire, versioned=bool(version and wire.index == 0))
            for wire in wires
        ),
        *entry(unit, interface, wires),
    ]
    parts = [
        f"/* {interface.c_name}_skel.c: the called side of {interface.c_name}, generated from\n"
        f" * {unit.stem}.idl by buildtool idl; do not edit. */",
        f'#include "{unit.stem}.h"\n',
        DMA if any(isinstance(strip_typedefs(p.type), DmaHandle) for p in parameters) else "",
        note(unit.digest),
        support("\n".join(body), SKEL),
        size_checks(parameters),
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
            record_struct(inner.c_type, RecordKind.IN, record, received=True),
            in_function(inner),
        ]
    for inner in composites(parameters, Direction.ROUT):
        room = record_of(inner.members, RecordKind.CAPACITY)
        parts.append(record_struct(inner.c_type, RecordKind.CAPACITY, room, received=True))
        if has_record(inner, RecordKind.RESULT):
            out = record_of(inner.members, RecordKind.RESULT)
            parts.append(record_struct(inner.c_type, RecordKind.RESULT, out, received=False))
        parts += [room_function(inner), give_function(inner)]
    return parts
