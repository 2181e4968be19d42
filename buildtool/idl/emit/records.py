"""The records of a call as C structs, whose layout is that of the wire."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from buildtool.idl.emit.c_text import CVariable, c_type, function_name
from buildtool.idl.method_layout import RecordField, RecordKind, Role, WireMethod, WireRecord
from buildtool.idl.model import Array, Interface, Parameter, Primitive, Sequence, Struct, Type
from buildtool.idl.types import composite, flat_size, is_flat, strip_typedefs

SUFFIX = {RecordKind.IN: "in", RecordKind.CAPACITY: "room", RecordKind.RESULT: "out"}


def record_name(owner: str, kind: RecordKind) -> str:
    """`struct S__in`, `struct S__room` or `struct S__out`."""
    return f"struct {owner}__{SUFFIX[kind]}"


def record_struct(owner: str, kind: RecordKind, record: WireRecord, *, received: bool) -> str:
    """C source of the record.

    `received` is true if its bytes come from the other side: then a boolean is read as an octet,
    because a C `bool` must be 0 or 1.
    """
    name = record_name(owner, kind)
    lines = "".join(
        f"    {_variable(field, received)};".ljust(40) + f" /* at {field.offset} */\n"
        for field in record.fields
    )
    return (
        f"{name} {{\n{lines}}};\n"
        f'_Static_assert(sizeof({name}) == {record.padded}, "wire layout");\n'
    )


def _variable(field: RecordField, received: bool) -> CVariable:
    type_ = field.type
    if type_ is None:
        return CVariable("uint32_t", field.name)
    if field.kind is not None:
        return CVariable(record_name(composite(type_).c_type, field.kind), field.name)
    if received and strip_typedefs(type_) is Primitive.BOOLEAN:
        return CVariable("uint8_t", field.name)
    if isinstance(type_, Array):
        return CVariable(c_type(type_.element), field.name, f"[{type_.length}]")
    return CVariable(c_type(type_), field.name)


def method_records(interface: Interface, wire: WireMethod, *, received: bool) -> str:
    """primIn and primROut of a method; `received` is true if this side receives primIn."""
    name = function_name(interface, interface.methods[wire.index])
    parts = []
    if wire.prim_in.fields:
        parts.append(record_struct(name, RecordKind.IN, wire.prim_in, received=received))
    if wire.prim_rout.fields:
        parts.append(record_struct(name, RecordKind.RESULT, wire.prim_rout, received=not received))
    return "\n".join(parts)


def size_checks(parameters: Iterable[Parameter]) -> str:
    """Assertions that structs and arrays in sequences have the same size in C and on the wire."""
    types = {c_type(t): flat_size(t)[0] for p in parameters for t in _elements(p.type)}
    return "".join(
        f'_Static_assert(sizeof({name}) == {size}, "wire layout");\n'
        for name, size in types.items()
    )


def _elements(type_: Type) -> Iterator[Type]:
    resolved = strip_typedefs(type_)
    if isinstance(resolved, Sequence):
        element = resolved.element
        if is_flat(element) and isinstance(strip_typedefs(element), Struct | Array):
            yield element
        yield from _elements(element)
    elif isinstance(resolved, Struct):
        for member in resolved.members:
            yield from _elements(member.type)


FieldNames = Mapping[tuple[str, bool], str]
"""A record's field names by parameter and by whether the field is a capacity."""


def field_names(record: WireRecord) -> FieldNames:
    """The field names of a method's record."""
    return {(f.source, f.role is Role.CAPACITY): f.name for f in record.fields}


def copied(target: str, source: str, type_: Type, *, received: bool = False) -> str:
    """The statement that copies a flat value; `received` as in `record_struct`."""
    if isinstance(strip_typedefs(type_), Array):
        return f"memcpy({target}, {source}, {flat_size(type_)[0]});"
    if received and strip_typedefs(type_) is Primitive.BOOLEAN:
        return f"{target} = {source} != 0;"
    return f"{target} = {source};"
