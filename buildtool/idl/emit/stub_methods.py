"""The functions of a stub, one for each method.

A method whose parameters have one level fills an array of arguments by index.  A method with
sequences inside structs or sequences traverses its values and adds their buffers in that order.

A stub adds the buffers of composites to a call, and fetches their results.
"""

from __future__ import annotations

from buildtool.idl.emit.c_text import (
    FieldNames,
    block,
    converts_result,
    copied,
    field_names,
    fill,
    function,
    function_name,
    function_parameters,
    if_any,
    public_signature,
    record_name,
    result_type,
)
from buildtool.idl.emit.composites import CompositeWriter, braces, element_loop, has_record
from buildtool.idl.method_layout import RecordKind, Role, WireMethod
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
)
from buildtool.idl.types import Composite, is_flat, is_nested, strip_typedefs


def stub_function(interface: Interface, wire: WireMethod) -> str:
    """The C function of the method that `wire` lays out."""
    method = interface.methods[wire.index]
    body = (_nested_body if _is_nested(method) else _flat_body)(interface, method, wire)
    variables = function_parameters(interface, method, wire.index)
    return function(
        public_signature("STUB", method, function_name(interface, method), variables), body
    )


def _is_nested(method: Method) -> bool:
    return any(is_nested(parameter.type) for parameter in method.parameters)


def _flat_body(interface: Interface, method: Method, wire: WireMethod) -> list[str]:
    """A call with a fixed number of buffers: one array, filled by index."""
    lines = _declarations(interface, method, wire)
    counts = wire.counts
    if sum(counts):
        lines.append(f"remote_arg _pra[{sum(counts)}];")
    lines += [*_handle(interface, method), "", *_checks(method)]
    lines += _fields(method, wire)
    arguments: list[str] = []
    if wire.prim_in.fields:
        arguments.append("_buffer(&_in, sizeof(_in))")
    names = field_names(wire.prim_in)
    arguments += [_in_buffer(p, names) for p in _arrays(method, Direction.IN)]
    if wire.prim_rout.fields:
        arguments.append("_buffer(&_out, sizeof(_out))")
    arguments += [_array(p) for p in _arrays(method, Direction.ROUT)]
    arguments += [f"_dma({p.name}, {p.name}Offset)" for p in _dma_parameters(method)]
    lines += [f"_pra[{at}] = {argument};" for at, argument in enumerate(arguments)]
    scalars = f"REMOTE_SCALARS_MAKEX(0, {wire.method_field}, {', '.join(map(str, counts))})"
    lines += _invoke(interface, method, scalars, "_pra" if arguments else "NULL")
    return [*lines, *_results(method), _return(method)]


def _nested_body(interface: Interface, method: Method, wire: WireMethod) -> list[str]:
    """A call whose number of buffers depends on its values: adds the buffers of each value."""
    lines = _declarations(interface, method, wire)
    lines.append("_Call* _call;")
    lines += [*_handle(interface, method), "", *_checks(method), "_call = _call_new();"]
    lines += if_any(["_call == NULL"], [_fail(method, "AEE_ENOMEMORY")])
    if wire.prim_in.fields:
        lines.append("_add_in(_call, &_in, 1, sizeof(_in));")
    if wire.prim_rout.fields:
        lines.append("_add_out(_call, &_out, 1, sizeof(_out));")
    lines += _fields(method, wire)
    scalars = f"_call_scalars(_call, {wire.method_field})"
    lines += [
        "_err = _call->err;",
        *if_any(["_err == 0"], _invoke(interface, method, scalars, "_call_args(_call)")),
    ]
    return [*lines, *_results(method), "_call_free(_call);", _return(method)]


def _return(method: Method) -> str:
    return _fail(method, "_err")


def _fail(method: Method, code: str) -> str:
    cast = f"({result_type(method)})" if converts_result(method) else ""
    return f"return {cast}{code};"


def _declarations(interface: Interface, method: Method, wire: WireMethod) -> list[str]:
    name = function_name(interface, method)
    lines = []
    if wire.prim_in.fields:
        lines.append(f"{record_name(name, RecordKind.IN)} _in = {{0}};")
    if wire.prim_rout.fields:
        lines.append(f"{record_name(name, RecordKind.RESULT)} _out = {{0}};")
    lines.append("int _err;")
    return lines


def _handle(interface: Interface, method: Method) -> list[str]:
    """The statements that get the handle of an interface without `remote_handle64`."""
    if interface.multi_domain:
        return []
    return [
        f"remote_handle _h = _{interface.c_name}_handle();",
        "",
        *if_any(["_h == (remote_handle)-1"], [_fail(method, "AEE_EINVHANDLE")]),
    ]


def _checks(method: Method) -> list[str]:
    """Checks of the caller's arguments before the call."""
    nested, wrong = _is_nested(method), []
    for parameter in method.parameters:
        name, direction = parameter.name, parameter.direction
        match strip_typedefs(parameter.type):
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
            case DmaHandle() if nested:
                pass  # registered when it is added to the call
            case DmaHandle():
                wrong.append(f"__QAIC_REMOTE(remote_register_dma_handle)({name}, {name}Len) != 0")
            case Struct() | Array():
                wrong.append(f"{name} == NULL")
            case _ if direction is not Direction.IN:
                wrong.append(f"{name} == NULL")
    return if_any(wrong, [_fail(method, "AEE_EBADPARM")])


def _fields(method: Method, wire: WireMethod) -> list[str]:
    """Statements that fill primIn, and in a nested method add the buffers."""
    names = field_names(wire.prim_in)
    nested, lines = _is_nested(method), []
    if any(field.role is Role.METHOD_ID for field in wire.prim_in.fields):
        lines.append(f"_in._mid = {wire.index};")
    for parameter in method.parameters:
        name, type_ = parameter.name, parameter.type
        resolved = strip_typedefs(type_)
        if isinstance(resolved, DmaHandle) and nested:
            out = int(parameter.direction is Direction.ROUT)
            lines.append(f"_add_dma(_call, {out}, {name}, {name}Offset, {name}Len);")
        if isinstance(resolved, DmaHandle | Handle):
            continue
        if is_flat(type_):
            if parameter.direction is not Direction.ROUT:
                field = f"_in.{names[name, False]}"
                lines.append(copied(field, _value(parameter), type_))
            continue
        if is_nested(type_):
            kind = RecordKind.CAPACITY
            if parameter.direction is Direction.IN:
                kind = RecordKind.IN
            member = Member(name, type_)
            lines.append(
                StubComposites().member(kind, member, name, name, wire="_in.", names=names)
            )
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
    name, type_ = parameter.name, strip_typedefs(parameter.type)
    if not isinstance(type_, String):
        return f"(uint32_t){name}Len"
    kind = "wide" if type_.wide else "text"
    if parameter.direction is Direction.INROUT:
        return f"_{kind}_size_within({name}, {name}Len)"
    return f"_{kind}_size({name})"


def _value(parameter: Parameter) -> str:
    """The C expression of a flat parameter's value."""
    resolved = strip_typedefs(parameter.type)
    if isinstance(resolved, Array):
        return parameter.name
    if isinstance(resolved, Struct) or parameter.direction is not Direction.IN:
        return f"*{parameter.name}"
    return parameter.name


def _arrays(method: Method, direction: Direction) -> list[Parameter]:
    return [
        p
        for p in method.parameters
        if isinstance(strip_typedefs(p.type), Sequence | String)
        and p.direction in (direction, Direction.INROUT)
    ]


def _dma_parameters(method: Method) -> list[Parameter]:
    """The shared buffers in the order of the wire: in before rout."""
    handles = [p for p in method.parameters if isinstance(strip_typedefs(p.type), DmaHandle)]
    return sorted(handles, key=lambda p: p.direction is not Direction.IN)


def _array(parameter: Parameter) -> str:
    name = parameter.name
    return f"_buffer({name}, (size_t){name}Len * sizeof(*{name}))"


def _in_buffer(parameter: Parameter, names: FieldNames) -> str:
    """The in buffer of a sequence or string; the length of a string is in primIn."""
    if not isinstance(strip_typedefs(parameter.type), String):
        return _array(parameter)
    name = parameter.name
    return f"_buffer({name}, _in.{names[name, False]} * sizeof(*{name}))"


def _invoke(interface: Interface, method: Method, scalars: str, arguments: str) -> list[str]:
    invoke = "remote_handle64_invoke" if interface.multi_domain else "remote_handle_invoke"
    if not method.is_async:
        return [fill(f"_err = __QAIC_REMOTE({invoke})", ["_h", scalars, arguments], ";", width=88)]
    call = f"__QAIC_REMOTE({invoke}_async)"
    given = ["_h", "asyncDesc", scalars, arguments]
    return [
        f"if ({call} == NULL) {{",
        block(["_err = AEE_EUNSUPPORTED;"]),
        "} else {",
        block([fill(f"_err = {call}", given, ";", width=88)]),
        "}",
    ]


def _results(method: Method) -> list[str]:
    """Statements that copy the results to the caller after a successful call."""
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
            member = Member(name, type_)
            lines.append(
                StubComposites().member(RecordKind.RESULT, member, name, name, wire="_out.")
            )
    lines = [line for line in lines if line]
    return if_any(["_err == 0"], lines) if lines else []


class StubComposites(CompositeWriter):
    """`_in_S` fills the record of a value, `_room_S` offers room for one that comes back, and
    `_fetch_S` copies the results after a successful call."""

    result_verb = "fetch"
    receives_results = True

    def buffer(self, kind: RecordKind, many: Sequence | String, value: str, length: str) -> str:
        if kind is RecordKind.CAPACITY:
            return f"{length} = _add_out(_call, {value}, {value}Len, sizeof(*{value}));"
        if isinstance(many, String):
            return f"{length} = _add_{'wide' if many.wide else 'text'}(_call, {value}, {value}Len);"
        return f"{length} = _add_in(_call, {value}, {value}Len, sizeof(*{value}));"

    def handles(self, kind: RecordKind, value: str, length: str) -> str:
        out = int(kind is RecordKind.CAPACITY)
        return f"{length} = _add_dmas(_call, {out}, {value}, {value}Len);"

    def elements(self, kind: RecordKind, element: Composite, value: str, length: str) -> str:
        record = record_name(element.c_type, kind)
        records = "_records" if kind is RecordKind.IN else "_rooms"
        lines = [
            f"{record}* {records} = ({record}*)",
            f"    _add_in_records(_call, {value}, {value}Len, sizeof({record}));",
        ]
        if kind is RecordKind.CAPACITY:
            results = "NULL"
            if has_record(element, RecordKind.RESULT):
                out = record_name(element.c_type, RecordKind.RESULT)
                lines.append(
                    f"void* _results = _add_out_records(_call, {value}Len, sizeof({out}));"
                )
                results = "_results"
            if self.has_results(element):
                lines.append(f"_remember(_call, {value}, {results}, (uint32_t){value}Len);")
        call = f"{self.function_name(element, kind)}(_call, &{records}[_i], &{value}[_i]);"
        lines += element_loop("int", f"_call->err == 0 && _i < {value}Len", [call])
        return f"{length} = (uint32_t){value}Len;\n{braces(lines)}"

    def element_results(self, element: Composite) -> str:
        name, record = element.c_type, ""
        lines = ["_Sequence _all = _recall(_call);", f"{name}* _values = ({name}*)_all.native;"]
        if has_record(element, RecordKind.RESULT):
            out, record = record_name(name, RecordKind.RESULT), "&_results[_i], "
            lines.append(f"const {out}* _results =\n    (const {out}*)_all.wire;")
        call = self.result_call(element, record, "&_values[_i]")
        return braces([*lines, *element_loop("uint32_t", "_i < _all.count", [call])])
