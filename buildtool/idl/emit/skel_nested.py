"""A skel's method that walks over its records: the buffers are taken as they are met."""

from __future__ import annotations

from buildtool.idl.emit.c_declarations import c_type
from buildtool.idl.emit.c_text import block, if_any
from buildtool.idl.emit.records import FieldNames, field_names
from buildtool.idl.emit.skel_call import (
    REFUSED,
    declarations,
    dma_arguments,
    dma_lengths,
    dma_places,
    element_size,
    flat_argument,
    flat_inrout,
    implementation,
)
from buildtool.idl.emit.skel_records import give, unpack_in, unpack_room
from buildtool.idl.layout.method_layout import WireMethod
from buildtool.idl.layout.types import element_of, is_flat, is_nested, strip_typedefs
from buildtool.idl.model import (
    Direction,
    DmaHandle,
    Handle,
    Interface,
    Member,
    Method,
    Parameter,
    Sequence,
    String,
    Struct,
)

BAD_CALL = ("_call->err = AEE_EBADPARM;",)


def nested_body(interface: Interface, wire: WireMethod) -> list[str]:
    """The body of the method's function."""
    method = interface.methods[wire.index]
    names = field_names(wire.prim_in)
    places = dma_places(method, wire, "_handles", 0)
    _, _, n_in, n_out = wire.counts
    lines = [
        *_declarations(interface, wire, places),
        "",
        *if_any([f"(_sc & 0xffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, {n_in}, {n_out})"], REFUSED),
        *dma_lengths(places),
        "_call_begin(_call, _sc, _pra);",
        *_take_records(wire),
    ]
    for parameter in method.parameters:
        lines += _take(parameter, names)
    arguments = [a for p in method.parameters for a in _arguments(p, names, places)]
    lines += [
        "_err = _call_end(_call);",
        *if_any(["_err == 0"], [implementation(interface, wire, arguments)]),
    ]
    results = _results(method, wire)
    if results:
        lines += if_any(["_err == 0"], results)
    return [*lines, "_free_blocks(_call);", "return _err;"]


def _declarations(interface: Interface, wire: WireMethod, places: dict[str, str]) -> list[str]:
    lines = [*declarations(interface, wire), "_Call _call[1];"]
    if wire.prim_rout.fields:
        lines.append("void* _result;")
    if places:
        handles = "_pra + REMOTE_SCALARS_INBUFS(_sc) + REMOTE_SCALARS_OUTBUFS(_sc)"
        lines.append(f"const remote_arg* _handles =\n    {handles};")
    for parameter in interface.methods[wire.index].parameters:
        lines += _native_variables(parameter)
    return lines


def _take_records(wire: WireMethod) -> list[str]:
    """primIn is the first in buffer, primROut the first rout buffer."""
    lines = []
    if wire.prim_in.fields:
        there = f"_call->in != _call->in_end && _read(&_in, _call->in, {wire.prim_in.size})"
        lines += [f"if ({there}) {{", block(["_call->in++;"]), "} else {", block(BAD_CALL), "}"]
    if wire.prim_rout.fields:
        lines.append(f"_result = _take_out(_call, 1, {wire.prim_rout.size});")
    return lines


def _native_variables(parameter: Parameter) -> list[str]:
    """The variables that hold what is taken out of the call."""
    name = parameter.name
    match strip_typedefs(parameter.type):
        case Sequence() | String() as many:
            return [f"{c_type(element_of(many))}* {name};", f"int {name}Len;"]
        case Struct() if not is_flat(parameter.type):
            return [f"{c_type(parameter.type)} {name};"]
        case _:
            return []


def _take(parameter: Parameter, names: FieldNames) -> list[str]:
    """Statements that fill a parameter's variables."""
    name, type_, direction = parameter.name, parameter.type, parameter.direction
    resolved = strip_typedefs(type_)
    if isinstance(resolved, DmaHandle | Handle):
        return []
    if is_flat(type_):
        return [flat_inrout(parameter, names)] if direction is Direction.INROUT else []
    member = Member(name, type_)
    lines = [f"memset(&{name}, 0, sizeof({name}));"] if isinstance(resolved, Struct) else []
    if direction is Direction.ROUT:
        return [*lines, unpack_room(member, name, "_in.", names)]
    if direction is Direction.INROUT:
        return _take_inrout(parameter, names)
    lines.append(unpack_in(member, name, "_in.", names))
    if isinstance(resolved, String):
        # The implementation gets no length: there must be a terminator.
        lines += if_any([f"_call->err == 0 && {name}Len == 0"], BAD_CALL)
    return lines


def _take_inrout(parameter: Parameter, names: FieldNames) -> list[str]:
    name, many, size = parameter.name, strip_typedefs(parameter.type), element_size(parameter)
    length, room = f"_in.{names[name, False]}", f"_in.{names[name, True]}"
    take = f"_take_in(_call, {length}, {size})"
    lines = if_any([f"_call->err == 0 && {length} > {room}"], BAD_CALL)
    if isinstance(many, String):
        take = f"_take_{'wide' if many.wide else 'text'}(_call, {length})"
        lines += if_any([f"_call->err == 0 && {length} == 0 && {room} > 0"], BAD_CALL)
    carried = f"_call->err == 0 && {length} > 0 && _came != {name}"
    inner = [
        f"const void* _came = {take};",
        f"{name} = _take_out(_call, {room}, {size});",
        f"{name}Len = (int){room};",
        *if_any([carried], [f"memmove({name}, _came, (size_t){length} * {size});"]),
    ]
    return [*lines, "{", block(inner), "}"]


def _arguments(parameter: Parameter, names: FieldNames, places: dict[str, str]) -> list[str]:
    """The C arguments of one parameter."""
    name = parameter.name
    match strip_typedefs(parameter.type):
        case DmaHandle():
            return dma_arguments(name, places[name])
        case String() if parameter.direction is Direction.IN:
            return [name]
        case Sequence() | String():
            return [name, f"{name}Len"]
        case Struct() if not is_flat(parameter.type):
            return [f"&{name}"]
        case _:
            return [flat_argument(parameter, names)]


def _results(method: Method, wire: WireMethod) -> list[str]:
    """What goes back after a good call."""
    lines = [
        give(Member(p.name, p.type), p.name, f"&{p.name}", "_out.")
        for p in method.parameters
        if p.direction is Direction.ROUT and is_nested(p.type)
    ]
    if wire.prim_rout.fields:
        lines.append(f"memcpy(_result, &_out, {wire.prim_rout.size});")
    return [line for line in lines if line]
