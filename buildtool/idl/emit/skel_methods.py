"""The functions of a skel, one for each method.

The buffers of a method whose parameters have one level are at known indices: each is checked and
used there.  In a method with sequences inside structs or sequences, the number of buffers depends
on the values: it traverses the records and takes the buffers in that order.
"""

from __future__ import annotations

from collections.abc import Mapping

from buildtool.core.value import Value
from buildtool.idl.emit.c_text import (
    FieldNames,
    block,
    c_type,
    converts_result,
    copied,
    field_names,
    fill,
    function,
    function_name,
    if_any,
    record_name,
    takes_handle,
)
from buildtool.idl.emit.composites import SkelComposites, braces
from buildtool.idl.method_layout import RecordKind, WireMethod
from buildtool.idl.model import (
    Array,
    Direction,
    DmaHandle,
    Handle,
    Interface,
    Member,
    Method,
    Parameter,
    Primitive,
    Sequence,
    String,
    Struct,
)
from buildtool.idl.types import element_of, flat_size, is_flat, is_nested, strip_typedefs

REFUSED = ("return AEE_EBADPARM;",)
BAD_CALL = ("_call->err = AEE_EBADPARM;",)


class _Arguments(Value):
    """Where a method's parameters are."""

    inputs: Mapping[str, str]  # C expressions of their `remote_arg` by name, if indices are known
    outputs: Mapping[str, str]  # likewise
    names: FieldNames  # the fields of primIn

    def of(self, parameter: Parameter) -> str:
        """The argument that the implementation sees: of an inrout one, the rout buffer."""
        by_name = self.inputs if parameter.direction is Direction.IN else self.outputs
        return by_name[parameter.name]

    def field(self, name: str) -> str:
        """The field of primIn with a parameter's value or length."""
        return f"_in.{self.names[name, False]}"

    def room(self, name: str) -> str:
        """The field of primIn with the length that the caller has room for."""
        return f"_in.{self.names[name, True]}"


def skel_function(interface: Interface, wire: WireMethod, *, versioned: bool) -> str:
    """The C function of the method that `wire` lays out; a `versioned` open checks its URI."""
    method = interface.methods[wire.index]
    if any(is_nested(parameter.type) for parameter in method.parameters):
        body = _nested_body(interface, wire)
    else:
        body = _flat_body(interface, wire, versioned=versioned)
    handle = "remote_handle64 _h, " if takes_handle(interface, wire.index) else ""
    name = function_name(interface, method)
    return function(f"static int _skel_{name}({handle}uint32_t _sc, remote_arg* _pra)", body)


def _flat_body(interface: Interface, wire: WireMethod, *, versioned: bool) -> list[str]:
    method = interface.methods[wire.index]
    n_in, n_out, *_ = wire.counts
    inputs = {buffer.source: f"_pra[{at}]" for at, buffer in enumerate(wire.inputs)}
    outputs = {buffer.source: f"_pra[{n_in + at}]" for at, buffer in enumerate(wire.outputs)}
    handles = _handle_arguments(wire, "_pra", n_in + n_out)
    where = _Arguments({**inputs, **handles}, {**outputs, **handles}, field_names(wire.prim_in))
    lines = [*_declarations(interface, wire)]
    lines += [f"uint32_t {p.name}Len = 0;" for p in _dma_parameters(method)]
    lines += ["int _err;", ""]
    if not sum(wire.counts):
        lines.append("(void)_pra;")
    scalars = f"REMOTE_SCALARS_MAKEX(0, 0, {', '.join(map(str, wire.counts))})"
    lines += if_any([f"(_sc & 0x00ffffffu) != {scalars}"], REFUSED)
    lines += if_any(_wrong_buffers(method, wire, where), REFUSED)
    lines += _dma_lengths(method, where)
    if versioned:
        uri = f"(const char*){where.of(method.parameters[0])}.buf.pv"
        lines += if_any([f"_stub_is_newer({uri})"], ["return AEE_ESTUBSKELVERMISMATCH;"])
    for parameter in method.parameters:
        if parameter.direction is Direction.INROUT:
            lines.append(_carry_over(parameter, where))
    lines.append(_implementation(interface, wire, where))
    results = [
        f"{where.of(p)}.h64 = {p.name};" for p in method.parameters if _is_returned_handle(p)
    ]
    if wire.prim_rout.fields:
        results.append(f"memcpy(_pra[{n_in}].buf.pv, &_out, {wire.prim_rout.size});")
    return [*lines, *(if_any(["_err == 0"], results) if results else []), "return _err;"]


def _nested_body(interface: Interface, wire: WireMethod) -> list[str]:
    method = interface.methods[wire.index]
    where = _Arguments({}, {}, field_names(wire.prim_in))
    lines = [*_declarations(interface, wire), "int _err;", "_Call _call[1];"]
    if wire.prim_rout.fields:
        lines.append("void* _result;")
    for parameter in method.parameters:
        lines += _native_variables(parameter)
    lines += ["", "_call_begin(_call, _sc, _pra);", *_take_records(wire)]
    for parameter in method.parameters:
        lines += _take(parameter, where)
    called = _implementation(interface, wire, where)
    lines += ["_err = _call_end(_call);", *if_any(["_err == 0"], [called])]
    results = [
        SkelComposites().member(
            RecordKind.RESULT, Member(p.name, p.type), p.name, f"&{p.name}", wire="_out."
        )
        for p in method.parameters
        if p.direction is Direction.ROUT and is_nested(p.type)
    ]
    if wire.prim_rout.fields:
        results.append(f"memcpy(_result, &_out, {wire.prim_rout.size});")
    if results := [line for line in results if line]:
        lines += if_any(["_err == 0"], results)
    return [*lines, "_free_blocks(_call);", "return _err;"]


def _declarations(interface: Interface, wire: WireMethod) -> list[str]:
    """The variables of the records and of a returned handle."""
    method = interface.methods[wire.index]
    name = function_name(interface, method)
    lines = []
    if wire.prim_in.fields:
        lines.append(f"{record_name(name, RecordKind.IN)} _in = {{0}};")
    if wire.prim_rout.fields:
        lines.append(f"{record_name(name, RecordKind.RESULT)} _out = {{0}};")
    for parameter in method.parameters:
        if _is_returned_handle(parameter):
            lines.append(f"remote_handle64 {parameter.name} = 0;")
    return lines


def _native_variables(parameter: Parameter) -> list[str]:
    """The variables of a nested method that hold what is taken out of the call."""
    name = parameter.name
    match strip_typedefs(parameter.type):
        case Sequence() | String() as many:
            return [f"{c_type(element_of(many))}* {name};", f"int {name}Len;"]
        case Struct() if not is_flat(parameter.type):
            return [f"{c_type(parameter.type)} {name};"]
        case DmaHandle():
            return [f"const _dmahandle1_t* {name};"]
        case _:
            return []


def _is_returned_handle(parameter: Parameter) -> bool:
    is_handle = isinstance(strip_typedefs(parameter.type), Handle)
    return is_handle and parameter.direction is Direction.ROUT


def _handle_arguments(wire: WireMethod, base: str, first: int) -> dict[str, str]:
    """The argument of each handle: `base[first]` and the following."""
    handles = (*wire.in_handles, *wire.out_handles)
    return {each.source: f"{base}[{first + at}]" for at, each in enumerate(handles)}


def _dma_parameters(method: Method) -> list[Parameter]:
    return [p for p in method.parameters if isinstance(strip_typedefs(p.type), DmaHandle)]


def _dma_lengths(method: Method, where: _Arguments) -> list[str]:
    """The lengths of shared buffers are not sent: the DSP's mapping has them."""
    in_order = sorted(_dma_parameters(method), key=lambda p: p.direction is not Direction.IN)
    unmapped = [f"adsp_mmap_fd_getinfo({where.of(p)}.dma.fd, &{p.name}Len) != 0" for p in in_order]
    return if_any(unmapped, REFUSED)


def _wrong_buffers(method: Method, wire: WireMethod, where: _Arguments) -> list[str]:
    """C conditions, each of which says that the buffers are not what primIn says."""
    wrong = []
    if wire.prim_in.fields:
        wrong.append(f"!_read(&_in, &_pra[0], {wire.prim_in.size})")
    for parameter in method.parameters:
        if isinstance(strip_typedefs(parameter.type), Sequence | String):
            wrong += _wrong_sequence(parameter, where)
    if wire.prim_rout.fields:
        wrong.append(f"!_holds(&_pra[{wire.counts[0]}], {wire.prim_rout.size}, 1)")
    return wrong


def _wrong_sequence(parameter: Parameter, where: _Arguments) -> list[str]:
    name, many, size = parameter.name, strip_typedefs(parameter.type), _element_size(parameter)
    inrout = parameter.direction is Direction.INROUT
    wrong = []
    if parameter.direction is not Direction.ROUT:
        buffer, length = f"&{where.inputs[name]}", where.field(name)
        if not isinstance(many, String):
            wrong.append(f"!_holds({buffer}, {length}, {size})")
        else:
            holds = f"!_holds_{'wide' if many.wide else 'text'}({buffer}, {length})"
            # Without room for a text there is none, and no terminator to check.
            wrong.append(f"({where.room(name)} > 0 && {holds})" if inrout else holds)
    if parameter.direction is not Direction.IN:
        wrong.append(f"!_holds(&{where.outputs[name]}, {where.room(name)}, {size})")
        if inrout:
            wrong.append(f"{where.field(name)} > {where.room(name)}")
    return wrong


def _carry_over(parameter: Parameter, where: _Arguments) -> str:
    """The statement that copies an inrout value to where its result goes."""
    name = parameter.name
    if is_flat(parameter.type):
        return copied(f"_out.{name}", where.field(name), parameter.type, received=True)
    size = f"(size_t){where.field(name)} * {_element_size(parameter)}"
    return f"_carry_over(&{where.outputs[name]}, &{where.inputs[name]}, {size});"


def _take_records(wire: WireMethod) -> list[str]:
    """Take primIn, the first in buffer, and primROut, the first rout buffer."""
    lines = []
    if wire.prim_in.fields:
        there = f"_call->in != _call->in_end && _read(&_in, _call->in, {wire.prim_in.size})"
        lines += [f"if ({there}) {{", block(["_call->in++;"]), "} else {", block(BAD_CALL), "}"]
    if wire.prim_rout.fields:
        lines.append(f"_result = _take_out(_call, 1, {wire.prim_rout.size});")
    return lines


def _take(parameter: Parameter, where: _Arguments) -> list[str]:
    """Statements that fill the variables of a nested method's parameter."""
    name, type_, direction = parameter.name, parameter.type, parameter.direction
    resolved = strip_typedefs(type_)
    if isinstance(resolved, DmaHandle):
        return [f"{name} = _take_dmas(_call, {int(direction is Direction.ROUT)}, 1);"]
    if is_flat(type_):
        return [_carry_over(parameter, where)] if direction is Direction.INROUT else []
    if direction is Direction.INROUT:
        return _take_inrout(parameter, where)
    lines = [f"memset(&{name}, 0, sizeof({name}));"] if isinstance(resolved, Struct) else []
    kind = RecordKind.IN if direction is Direction.IN else RecordKind.CAPACITY
    member = Member(name, type_)
    lines.append(
        SkelComposites().member(kind, member, name, f"&{name}", wire="_in.", names=where.names)
    )
    if direction is Direction.IN and isinstance(resolved, String):
        # The implementation gets no length: there must be a terminator.
        lines += if_any([f"_call->err == 0 && {name}Len == 0"], BAD_CALL)
    return lines


def _take_inrout(parameter: Parameter, where: _Arguments) -> list[str]:
    name, many = parameter.name, strip_typedefs(parameter.type)
    length, room, size = where.field(name), where.room(name), _element_size(parameter)
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
    return [*lines, braces(inner)]


def _implementation(interface: Interface, wire: WireMethod, where: _Arguments) -> str:
    """The statement that calls the implementation."""
    method = interface.methods[wire.index]
    called = f"__QAIC_IMPL({function_name(interface, method)})"
    arguments = [
        *(["_h"] if takes_handle(interface, wire.index) else []),
        *(["NULL"] if method.is_async else []),
        *(argument for p in method.parameters for argument in _arguments(p, where)),
    ]
    cast = "(int)" if converts_result(method) else ""
    return fill(f"_err = {cast}{called}", arguments, ";", width=92)


def _arguments(parameter: Parameter, where: _Arguments) -> list[str]:
    """The C arguments of one parameter."""
    name, is_in = parameter.name, parameter.direction is Direction.IN
    known = name in (where.inputs if is_in else where.outputs)
    match strip_typedefs(parameter.type):
        case DmaHandle() if not known:
            return [f"{name}->fd", f"{name}->offset", f"{name}->len"]
        case DmaHandle():
            shared = f"{where.of(parameter)}.dma"
            return [f"{shared}.fd", f"{shared}.offset", f"{name}Len"]
        case Handle():
            return [f"{where.of(parameter)}.h64" if is_in else f"&{name}"]
        case Sequence() | String() as many:
            data = f"{where.of(parameter)}.buf.pv" if known else name
            length = where.field(name) if is_in else where.room(name)
            own_length = f"(int){length}" if known else f"{name}Len"
            return [data] if is_in and isinstance(many, String) else [data, own_length]
        case Struct() if not is_flat(parameter.type):
            return [f"&{name}"]
        case Struct() if is_in:
            return [f"&{where.field(name)}"]
        case Primitive.BOOLEAN if is_in:
            return [f"{where.field(name)} != 0"]
        case Array() if not is_in:
            return [f"_out.{name}"]
        case _:
            return [where.field(name) if is_in else f"&_out.{name}"]


def _element_size(parameter: Parameter) -> int:
    """Bytes of an element of a flat sequence or text."""
    many = strip_typedefs(parameter.type)
    if not isinstance(many, Sequence | String):
        raise ValueError(f"not a sequence: {parameter.name}")
    return flat_size(element_of(many))[0]
