"""The stub of an interface: functions that turn a C call into a FastRPC invocation."""

from __future__ import annotations

import textwrap

from buildtool.idl.emit.cnames import (
    function_name,
    function_parameters,
    parameter_list,
    result_type,
)
from buildtool.idl.emit.note import note
from buildtool.idl.emit.plain import HANDLE
from buildtool.idl.emit.records import (
    composites,
    copied,
    field_names,
    has_record,
    record_name,
    record_struct,
    size_checks,
)
from buildtool.idl.emit.stub_records import (
    fetch,
    fetch_function,
    in_function,
    pack_in,
    pack_room,
    room_function,
)
from buildtool.idl.emit.support import STUB, support
from buildtool.idl.layout import Face, Role, WireMethod, record_of, wire_methods
from buildtool.idl.model import (
    Array,
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
    Unit,
)
from buildtool.idl.types import is_flat, is_nested, resolve


def stub(unit: Unit, interface: Interface) -> str:
    """The text of `<interface>_stub.c`.  Raises IdlError for what the wire cannot carry."""
    wires = wire_methods(interface)
    first = 2 if interface.multi_domain else 0
    methods = tuple(zip(interface.methods, wires, strict=True))[first:]
    body = "\n".join(
        [
            _composites(interface.methods[first:]),
            *(_records(interface, method, wire) for method, wire in methods),
            *(
                _open_and_close(interface)
                if first
                else [HANDLE.replace("INTERFACE", interface.c_name)]
            ),
            *(_method(interface, method, wire) for method, wire in methods),
        ]
    )
    parts = [
        f"/* {interface.c_name}_stub.c: the calling side of {interface.c_name}, generated from\n"
        f" * {unit.stem}.idl by buildtool idl; do not edit. */",
        f'#include "{unit.stem}.h"\n',
        *(
            ["#pragma weak remote_handle64_invoke_async\n#pragma weak remote_handle_invoke_async\n"]
            if any(m.is_async for m in interface.methods)
            else []
        ),
        note(unit.digest),
        support(body, STUB),
        size_checks(p for m in interface.methods for p in m.parameters),
        body,
    ]
    return "\n".join(part for part in parts if part)


def _composites(methods: tuple[Method, ...]) -> str:
    parameters = [p for method in methods for p in method.parameters]
    parts = []
    for inner in composites(parameters, Direction.IN):
        record = record_of(inner.members, Face.IN)
        parts += [
            record_struct(inner.c_type, Face.IN, record, received=False),
            in_function(inner),
        ]
    for inner in composites(parameters, Direction.ROUT):
        room = record_of(inner.members, Face.CAPACITY)
        parts.append(record_struct(inner.c_type, Face.CAPACITY, room, received=False))
        if has_record(inner, Face.RESULT):
            out = record_of(inner.members, Face.RESULT)
            parts.append(record_struct(inner.c_type, Face.RESULT, out, received=True))
        parts += [room_function(inner), fetch_function(inner)]
    return "\n".join(part for part in parts if part)


def _records(interface: Interface, method: Method, wire: WireMethod) -> str:
    name = function_name(interface, method)
    parts = []
    if wire.prim_in.fields:
        parts.append(record_struct(name, Face.IN, wire.prim_in, received=False))
    if wire.prim_rout.fields:
        parts.append(record_struct(name, Face.RESULT, wire.prim_rout, received=True))
    return "\n".join(parts)


def _open_and_close(interface: Interface) -> list[str]:
    lines = []
    for index, name in enumerate(("open", "close")):
        method = interface.methods[index]
        variables = function_parameters(interface, method, index)
        arguments = ", ".join(variable.name for variable in variables)
        lines.append(
            f"__QAIC_STUB_EXPORT {result_type(method)} "
            f"__QAIC_STUB({function_name(interface, method)})({parameter_list(variables)}) "
            f"__QAIC_STUB_ATTRIBUTE\n"
            f"{{\n    return __QAIC_REMOTE(remote_handle64_{name})({arguments});\n}}\n"
        )
    return lines


def _method(interface: Interface, method: Method, wire: WireMethod) -> str:
    nested = any(is_nested(p.type) for p in method.parameters)
    body = (_nested_body if nested else _flat_body)(interface, method, wire)
    parameters = function_parameters(interface, method, wire.index)
    text = textwrap.indent("\n".join(body), "    ", lambda line: bool(line.strip()))
    return (
        f"__QAIC_STUB_EXPORT {result_type(method)} "
        f"__QAIC_STUB({function_name(interface, method)})({parameter_list(parameters)}) "
        f"__QAIC_STUB_ATTRIBUTE\n{{\n{text}\n}}\n"
    )


def _flat_body(interface: Interface, method: Method, wire: WireMethod) -> list[str]:
    """A call whose buffers are known now: one array, filled by index."""
    lines = _declarations(interface, method, wire)
    counts = wire.counts
    if sum(counts):
        lines.append(f"remote_arg _pra[{sum(counts)}];")
    lines += [*_handle(interface), *_checks(method), ""]
    lines += _fields(method, wire)
    arguments: list[str] = []
    if wire.prim_in.fields:
        arguments.append("_buffer(&_in, sizeof(_in))")
    arguments += [
        _array(p) if not _is_input_text(p) else _text(p, wire)
        for p in _arrays(method, Direction.IN)
    ]
    if wire.prim_rout.fields:
        arguments.append("_buffer(&_out, sizeof(_out))")
    arguments += [_array(p) for p in _arrays(method, Direction.ROUT)]
    arguments += [f"_dma({p.name}, {p.name}Offset)" for p in _dma_parameters(method)]
    lines += [f"_pra[{at}] = {argument};" for at, argument in enumerate(arguments)]
    scalars = f"REMOTE_SCALARS_MAKEX(0, {wire.method_field}, {', '.join(map(str, counts))})"
    lines += _invoke(interface, method, scalars, "_pra" if arguments else "NULL")
    results = _results(method)
    if results:
        lines += ["if (_err != 0) {", "    return _err;", "}", *results]
        return [*lines, "return 0;"]
    return [*lines, "return _err;"]


def _nested_body(interface: Interface, method: Method, wire: WireMethod) -> list[str]:
    """A call that walks over its values: the buffers are added as they are met."""
    handles = _dma_parameters(method)
    _, _, n_in, n_out = wire.counts
    lines = _declarations(interface, method, wire)
    lines.append("_Call* _call;")
    if handles:
        lines.append(f"remote_arg _handles[{len(handles)}];")
    lines += [*_handle(interface), *_checks(method)]
    lines += ["_call = _call_new();", "if (_call == NULL) {", "    return AEE_ENOMEMORY;", "}", ""]
    if wire.prim_in.fields:
        lines.append("_add_in(_call, &_in, 1, sizeof(_in));")
    if wire.prim_rout.fields:
        lines.append("_add_out(_call, &_out, 1, sizeof(_out));")
    lines += _fields(method, wire)
    lines += [f"_handles[{at}] = _dma({p.name}, {p.name}Offset);" for at, p in enumerate(handles)]
    arguments = f"_call_args(_call, {'_handles' if handles else 'NULL'}, {len(handles)})"
    scalars = (
        f"REMOTE_SCALARS_MAKEX(0, {wire.method_field}, _call->n_args, _call->n_outs, "
        f"{n_in}, {n_out})"
    )
    lines += ["", "_err = _call->err;", "if (_err == 0) {"]
    lines += [f"    {line}" for line in _invoke(interface, method, scalars, arguments)]
    lines += ["}"]
    results = _results(method)
    if results:
        lines += ["if (_err == 0) {", *(textwrap.indent(line, "    ") for line in results), "}"]
    return [*lines, "_call_free(_call);", "return _err;"]


def _declarations(interface: Interface, method: Method, wire: WireMethod) -> list[str]:
    name = function_name(interface, method)
    lines = []
    if wire.prim_in.fields:
        lines.append(f"{record_name(name, Face.IN)} _in = {{0}};")
    if wire.prim_rout.fields:
        lines.append(f"{record_name(name, Face.RESULT)} _out = {{0}};")
    lines.append("int _err;")
    return lines


def _handle(interface: Interface) -> list[str]:
    if interface.multi_domain:
        return [""]
    return [
        f"remote_handle _h = _{interface.c_name}_handle();",
        "",
        "if (_h == (remote_handle)-1) {",
        "    return AEE_EINVHANDLE;",
        "}",
    ]


def _checks(method: Method) -> list[str]:
    """What of the caller's arguments can be seen to be wrong before the call."""
    wrong = []
    for parameter in method.parameters:
        name, direction = parameter.name, parameter.direction
        match resolve(parameter.type):
            case String(wide=wide):
                size = "_wide_size_within" if wide else "_text_size_within"
                if direction is Direction.IN:
                    wrong.append(f"{name} == NULL")
                else:
                    wrong.append(f"!_is_array({name}, {name}Len)")
                if direction is Direction.INROUT:
                    wrong.append(f"({name}Len > 0 && {size}({name}, {name}Len) == 0)")
            case Sequence():
                wrong.append(f"!_is_array({name}, {name}Len)")
            case DmaHandle():
                wrong.append(f"__QAIC_REMOTE(remote_register_dma_handle)({name}, {name}Len) != 0")
            case Struct() | Array():
                wrong.append(f"{name} == NULL")
            case _ if direction is not Direction.IN:
                wrong.append(f"{name} == NULL")
    if not wrong:
        return []
    return [f"if ({(' ||' + chr(10) + '    ').join(wrong)}) {{", "    return AEE_EBADPARM;", "}"]


def _fields(method: Method, wire: WireMethod) -> list[str]:
    """primIn's fields; a nested method's buffers are added on the way."""
    names = field_names(wire.prim_in)
    nested = any(is_nested(p.type) for p in method.parameters)
    lines = []
    if any(field.role is Role.METHOD_ID for field in wire.prim_in.fields):
        lines.append(f"_in._mid = {wire.index};")
    for parameter in method.parameters:
        name, type_ = parameter.name, parameter.type
        resolved = resolve(type_)
        if isinstance(resolved, DmaHandle | Handle):
            continue
        if is_flat(type_):
            if parameter.direction is not Direction.ROUT:
                field = f"_in.{names[name, False]}"
                lines.append(copied(field, _value(parameter), type_))
            continue
        if is_nested(type_):
            member = Member(name, type_)
            if parameter.direction is Direction.IN:
                lines.append(pack_in(member, name, name, "_in.", names))
            else:
                lines.append(pack_room(member, name, name, "_in.", names))
            continue
        if parameter.direction is not Direction.ROUT:
            lines.append(f"_in.{names[name, False]} = {_in_length(parameter)};")
            if nested:
                count = f"(int)_in.{names[name, False]}"
                lines.append(f"_add_in(_call, {name}, {count}, sizeof(*{name}));")
        if parameter.direction is not Direction.IN:
            lines.append(f"_in.{names[name, True]} = (uint32_t){name}Len;")
            if nested:
                lines.append(f"_add_out(_call, {name}, {name}Len, sizeof(*{name}));")
    return lines


def _in_length(parameter: Parameter) -> str:
    name, type_ = parameter.name, resolve(parameter.type)
    if not isinstance(type_, String):
        return f"(uint32_t){name}Len"
    kind = "wide" if type_.wide else "text"
    if parameter.direction is Direction.INROUT:
        return f"_{kind}_size_within({name}, {name}Len)"
    return f"_{kind}_size({name})"


def _value(parameter: Parameter) -> str:
    """The C expression of a flat parameter's value."""
    resolved = resolve(parameter.type)
    if isinstance(resolved, Array):
        return parameter.name
    if isinstance(resolved, Struct) or parameter.direction is not Direction.IN:
        return f"*{parameter.name}"
    return parameter.name


def _arrays(method: Method, direction: Direction) -> list[Parameter]:
    return [
        p
        for p in method.parameters
        if isinstance(resolve(p.type), Sequence | String)
        and p.direction in (direction, Direction.INROUT)
    ]


def _dma_parameters(method: Method) -> list[Parameter]:
    """The shared buffers, in the order of the wire: those that go in, those that come back."""
    handles = [p for p in method.parameters if isinstance(resolve(p.type), DmaHandle)]
    return sorted(handles, key=lambda p: p.direction is not Direction.IN)


def _is_input_text(parameter: Parameter) -> bool:
    return isinstance(resolve(parameter.type), String)


def _array(parameter: Parameter) -> str:
    name = parameter.name
    return f"_buffer({name}, (size_t){name}Len * sizeof(*{name}))"


def _text(parameter: Parameter, wire: WireMethod) -> str:
    name = parameter.name
    field = next(f.name for f in wire.prim_in.fields if f.source == name and f.role is Role.LENGTH)
    return f"_buffer({name}, _in.{field} * sizeof(*{name}))"


def _invoke(interface: Interface, method: Method, scalars: str, arguments: str) -> list[str]:
    function = "remote_handle64_invoke" if interface.multi_domain else "remote_handle_invoke"
    if not method.is_async:
        return [f"_err = __QAIC_REMOTE({function})(_h, {scalars},", f"    {arguments});"]
    call = f"__QAIC_REMOTE({function}_async)"
    return [
        f"if ({call} == NULL) {{ /* older libraries lack it */",
        "    _err = AEE_EUNSUPPORTED;",
        "} else {",
        f"    _err = {call}(_h, asyncDesc, {scalars},",
        f"        {arguments});",
        "}",
    ]


def _results(method: Method) -> list[str]:
    """What is copied to the caller after a good call."""
    if method.is_async:
        return []
    lines = []
    for parameter in method.parameters:
        if parameter.direction is Direction.IN:
            continue
        name, type_ = parameter.name, parameter.type
        if is_flat(type_):
            lines.append(copied(_value(parameter), f"_out.{name}", type_, received=True))
        else:
            lines.append(fetch(Member(name, type_), name, name, "_out."))
    return [line for line in lines if line]
