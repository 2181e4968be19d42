"""The skel of an interface: unpacks an invocation, checks it, and calls the implementation.

Nothing that arrives is believed: counts must be exact, buffers large enough, lengths
within their buffers, texts terminated; else AEE_EBADPARM.
"""

from __future__ import annotations

import textwrap

from buildtool.idl.emit.cnames import (
    c_type,
    function_name,
    takes_handle,
)
from buildtool.idl.emit.constants import quoted
from buildtool.idl.emit.header import uri
from buildtool.idl.emit.note import note
from buildtool.idl.emit.records import (
    FieldNames,
    composites,
    copied,
    field_names,
    has_record,
    record_name,
    record_struct,
    size_checks,
)
from buildtool.idl.emit.skel_records import (
    give,
    give_function,
    in_function,
    room_function,
    unpack_in,
    unpack_room,
)
from buildtool.idl.emit.support import SKEL, support
from buildtool.idl.emit.version import version_check
from buildtool.idl.layout import ESCAPE, Face, WireMethod, record_of, wire_methods
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
    Unit,
)
from buildtool.idl.types import element_of, flat_size, is_flat, is_nested, resolve

QAIC_VERSION = 10051
"""The version of qaic whose generated names and wire format are followed here."""


def skel(unit: Unit, interface: Interface) -> str:
    """The text of `<interface>_skel.c`.  Raises IdlError for what the wire cannot carry."""
    wires = wire_methods(interface)
    methods = tuple(zip(interface.methods, wires, strict=True))
    checked = unit.idl_version if interface.multi_domain else None
    body = "\n".join(
        [
            _composites(interface.methods),
            *(_records(interface, method, wire) for method, wire in methods),
            *([version_check(checked)] if checked else []),
            *(_method(interface, method, wire, checked) for method, wire in methods),
            *_entry(unit, interface, wires),
        ]
    )
    dma = any(
        isinstance(resolve(p.type), DmaHandle) for m in interface.methods for p in m.parameters
    )
    parts = [
        f"/* {interface.c_name}_skel.c: the called side of {interface.c_name}, generated from\n"
        f" * {unit.stem}.idl by buildtool idl; do not edit. */",
        f'#include "{unit.stem}.h"\n',
        "extern int adsp_mmap_fd_getinfo(int fd, uint32_t* size);\n" if dma else "",
        note(unit.digest),
        support(body, SKEL),
        size_checks(p for m in interface.methods for p in m.parameters),
        body,
    ]
    return "\n".join(part for part in parts if part)


def _composites(methods: tuple[Method, ...]) -> str:
    parameters = [p for method in methods for p in method.parameters]
    parts = []
    for inner in composites(parameters, Direction.IN):
        record = record_of(inner.members, Face.IN)
        parts += [record_struct(inner.c_type, Face.IN, record, received=True), in_function(inner)]
    for inner in composites(parameters, Direction.ROUT):
        room = record_of(inner.members, Face.CAPACITY)
        parts.append(record_struct(inner.c_type, Face.CAPACITY, room, received=True))
        if has_record(inner, Face.RESULT):
            out = record_of(inner.members, Face.RESULT)
            parts.append(record_struct(inner.c_type, Face.RESULT, out, received=False))
        parts += [room_function(inner), give_function(inner)]
    return "\n".join(part for part in parts if part)


def _records(interface: Interface, method: Method, wire: WireMethod) -> str:
    name = function_name(interface, method)
    parts = []
    if wire.prim_in.fields:
        parts.append(record_struct(name, Face.IN, wire.prim_in, received=True))
    if wire.prim_rout.fields:
        parts.append(record_struct(name, Face.RESULT, wire.prim_rout, received=False))
    return "\n".join(parts)


def _method(interface: Interface, method: Method, wire: WireMethod, checked: str | None) -> str:
    nested = any(is_nested(p.type) for p in method.parameters)
    build = _nested_body if nested else _flat_body
    is_open = checked is not None and wire.index == 0
    text = "\n".join(build(interface, method, wire, is_open=is_open))
    text = textwrap.indent(text, "    ", lambda line: bool(line.strip()))
    handle = "remote_handle64 _h, " if takes_handle(interface, wire.index) else ""
    return (
        f"static int _skel_{function_name(interface, method)}"
        f"({handle}uint32_t _sc, remote_arg* _pra)\n{{\n{text}\n}}\n"
    )


def _flat_body(
    interface: Interface, method: Method, wire: WireMethod, *, is_open: bool
) -> list[str]:
    """A call whose buffers are known now: each is checked at its index."""
    inputs, outputs = _indices(method, wire)
    names = field_names(wire.prim_in)
    lines = _declarations(interface, method, wire)
    if not sum(wire.counts):
        lines.append("(void)_pra;")
    lines += ["", *_refuse(["(_sc & 0x00ffffffu) != " + _scalars(wire)])]
    wrong = []
    if wire.prim_in.fields:
        wrong.append(f"!_read(&_in, &_pra[0], {wire.prim_in.size})")
    for parameter in method.parameters:
        wrong += _buffer_checks(parameter, inputs, outputs, names)
    if wire.prim_rout.fields:
        wrong.append(f"!_holds(&_pra[{wire.counts[0]}], {wire.prim_rout.size}, 1)")
    lines += _refuse(wrong)
    lines += _dma_lengths(_dma_places(method, wire, "_pra", sum(wire.counts[:2])))
    if is_open:
        text = f"(const char*)_pra[{inputs[method.parameters[0].name]}].buf.pv"
        lines += [f"if (_stub_is_newer({text})) {{", "    return AEE_ESTUBSKELVERMISMATCH;", "}"]
    for parameter in method.parameters:
        if parameter.direction is Direction.INROUT:
            lines.append(_inrout(parameter, inputs, outputs, names))
    arguments = [
        argument
        for p in method.parameters
        for argument in _arguments(p, inputs, outputs, names, wire)
    ]
    lines += _call(interface, method, wire, arguments)
    after = _handle_results(method, f"_pra[{sum(wire.counts[:3])}]")
    if wire.prim_rout.fields:
        out = wire.prim_rout.size
        after.append(f"memcpy(_pra[{wire.counts[0]}].buf.pv, &_out, {out});")
    if after:
        return [*lines, "if (_err == 0) {", *(f"    {line}" for line in after), "}", "return _err;"]
    return [*lines, "return _err;"]


def _nested_body(
    interface: Interface, method: Method, wire: WireMethod, *, is_open: bool
) -> list[str]:
    """A call that walks over its values: the buffers are taken as they are met."""
    del is_open
    names = field_names(wire.prim_in)
    lines = [*_declarations(interface, method, wire), "_Call _call[1];"]
    if wire.prim_rout.fields:
        lines.append("void* _result;")
    for parameter in method.parameters:
        lines += _native_variables(parameter)
    _, _, n_in, n_out = wire.counts
    places = _dma_places(method, wire, "_handles", 0)
    if places:
        lines.append(
            "const remote_arg* _handles =\n"
            "    _pra + REMOTE_SCALARS_INBUFS(_sc) + REMOTE_SCALARS_OUTBUFS(_sc);"
        )
    lines += [
        "",
        *_refuse([f"(_sc & 0xffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, {n_in}, {n_out})"]),
        *_dma_lengths(places),
        "_call_begin(_call, _sc, _pra);",
    ]
    if wire.prim_in.fields:
        lines += [
            f"if (_call->in != _call->in_end && _read(&_in, _call->in, {wire.prim_in.size})) {{",
            "    _call->in++;",
            "} else {",
            "    _call->err = AEE_EBADPARM;",
            "}",
        ]
    if wire.prim_rout.fields:
        lines.append(f"_result = _take_out(_call, 1, {wire.prim_rout.size});")
    for parameter in method.parameters:
        lines += _take(parameter, names)
    lines += ["", "_err = _call_end(_call);", "if (_err == 0) {"]
    arguments = [a for p in method.parameters for a in _nested_arguments(p, names, places)]
    lines += [f"    {line}" for line in _call(interface, method, wire, arguments)]
    lines += ["}"]
    after = [
        give(Member(p.name, p.type), p.name, f"&{p.name}", "_out.")
        for p in method.parameters
        if p.direction is Direction.ROUT and is_nested(p.type)
    ]
    after = [line for line in after if line]
    if wire.prim_rout.fields:
        after.append(f"memcpy(_result, &_out, {wire.prim_rout.size});")
    if after:
        lines += ["if (_err == 0) {", *(textwrap.indent(line, "    ") for line in after), "}"]
    return [*lines, "_free_blocks(_call);", "return _err;"]


def _declarations(interface: Interface, method: Method, wire: WireMethod) -> list[str]:
    name = function_name(interface, method)
    lines = []
    if wire.prim_in.fields:
        lines.append(f"{record_name(name, Face.IN)} _in = {{0}};")
    if wire.prim_rout.fields:
        lines.append(f"{record_name(name, Face.RESULT)} _out = {{0}};")
    for parameter in method.parameters:
        if isinstance(resolve(parameter.type), DmaHandle):
            lines.append(f"uint32_t {parameter.name}Len = 0;")
        if isinstance(resolve(parameter.type), Handle) and parameter.direction is Direction.ROUT:
            lines.append(f"remote_handle64 {parameter.name} = 0;")
    lines.append("int _err;")
    return lines


def _scalars(wire: WireMethod) -> str:
    return f"REMOTE_SCALARS_MAKEX(0, 0, {', '.join(map(str, wire.counts))})"


def _refuse(wrong: list[str]) -> list[str]:
    if not wrong:
        return []
    condition = " ||\n    ".join(wrong)
    return [f"if ({condition}) {{", "    return AEE_EBADPARM;", "}"]


def _indices(method: Method, wire: WireMethod) -> tuple[dict[str, int], dict[str, int]]:
    """Where in `_pra` each parameter has its in buffer or handle, and its rout one."""
    n_in, n_out, n_in_handles, _ = wire.counts
    inputs = {buffer.source: at for at, buffer in enumerate(wire.inputs)}
    outputs = {buffer.source: n_in + at for at, buffer in enumerate(wire.outputs)}
    inputs |= {name: n_in + n_out + at for at, name in enumerate(wire.in_handles)}
    first = n_in + n_out + n_in_handles
    outputs |= {name: first + at for at, name in enumerate(wire.out_handles)}
    return inputs, outputs


def _element_size(parameter: Parameter) -> int:
    many = resolve(parameter.type)
    assert isinstance(many, Sequence | String)
    return flat_size(element_of(many))[0]


def _buffer_checks(
    parameter: Parameter,
    inputs: dict[str, int],
    outputs: dict[str, int],
    names: FieldNames,
) -> list[str]:
    name, many = parameter.name, resolve(parameter.type)
    if not isinstance(many, Sequence | String):
        return []
    size = _element_size(parameter)
    wrong = []
    if parameter.direction is not Direction.ROUT:
        length = f"_in.{names[name, False]}"
        holds = f"!_holds(&_pra[{inputs[name]}], {length}, {size})"
        if isinstance(many, String):
            kind = "wide" if many.wide else "text"
            holds = f"!_holds_{kind}(&_pra[{inputs[name]}], {length})"
            if parameter.direction is Direction.INROUT:
                # No text and no room for one is nothing, not a text without terminator.
                holds = f"(_in.{names[name, True]} > 0 && {holds})"
        wrong.append(holds)
    if parameter.direction is not Direction.IN:
        room = f"_in.{names[name, True]}"
        wrong.append(f"!_holds(&_pra[{outputs[name]}], {room}, {size})")
        if parameter.direction is Direction.INROUT:
            wrong.append(f"_in.{names[name, False]} > {room}")
    return wrong


def _inrout(
    parameter: Parameter,
    inputs: dict[str, int],
    outputs: dict[str, int],
    names: FieldNames,
) -> str:
    name = parameter.name
    if is_flat(parameter.type):
        return copied(f"_out.{name}", f"_in.{names[name, False]}", parameter.type, received=True)
    size = _element_size(parameter)
    return (
        f"_carry_over(&_pra[{outputs[name]}], &_pra[{inputs[name]}], "
        f"(size_t)_in.{names[name, False]} * {size});"
    )


def _arguments(
    parameter: Parameter,
    inputs: dict[str, int],
    outputs: dict[str, int],
    names: FieldNames,
    wire: WireMethod,
) -> list[str]:
    """The C arguments of one parameter in a flat method."""
    name, direction = parameter.name, parameter.direction
    match resolve(parameter.type):
        case DmaHandle():
            at = (inputs if direction is Direction.IN else outputs)[name]
            return [f"_pra[{at}].dma.fd", f"_pra[{at}].dma.offset", f"{name}Len"]
        case Handle():
            return [f"_pra[{inputs[name]}].h64" if direction is Direction.IN else f"&{name}"]
        case String() if direction is Direction.IN:
            return [f"_pra[{inputs[name]}].buf.pv"]
        case Sequence() | String():
            at = (inputs if direction is Direction.IN else outputs)[name]
            length = names[name, direction is not Direction.IN]
            return [f"_pra[{at}].buf.pv", f"(int)_in.{length}"]
        case _:
            return [_flat_argument(parameter, names)]


def _flat_argument(parameter: Parameter, names: FieldNames) -> str:
    name, type_ = parameter.name, resolve(parameter.type)
    if parameter.direction is Direction.IN:
        field = f"_in.{names[name, False]}"
        if isinstance(type_, Struct):
            return f"&{field}"
        return f"{field} != 0" if type_ is Primitive.BOOLEAN else field
    return f"_out.{name}" if isinstance(type_, Array) else f"&_out.{name}"


def _native_variables(parameter: Parameter) -> list[str]:
    """The variables of a nested method that hold what is taken out of the call."""
    name = parameter.name
    match resolve(parameter.type):
        case Sequence() | String() as many:
            return [f"{c_type(element_of(many))}* {name};", f"int {name}Len;"]
        case Struct() if not is_flat(parameter.type):
            return [f"{c_type(parameter.type)} {name};"]
        case _:
            return []


def _take(parameter: Parameter, names: FieldNames) -> list[str]:
    """Statements of a nested method that fill a parameter's variables."""
    name, type_, direction = parameter.name, parameter.type, parameter.direction
    member = Member(name, type_)
    resolved = resolve(type_)
    if isinstance(resolved, DmaHandle | Handle):
        return []
    if is_flat(type_):
        if direction is Direction.INROUT:
            field = f"_in.{names[name, False]}"
            return [copied(f"_out.{name}", field, type_, received=True)]
        return []
    lines = [f"memset(&{name}, 0, sizeof({name}));"] if isinstance(resolved, Struct) else []
    if direction is Direction.IN:
        lines.append(unpack_in(member, name, "_in.", names))
        if isinstance(resolved, String):
            lines += [f"if ({name}Len == 0) {{", "    _call->err = AEE_EBADPARM;", "}"]
        return lines
    if direction is Direction.ROUT:
        return [*lines, unpack_room(member, name, "_in.", names)]
    return _take_inrout(parameter, names)


def _take_inrout(parameter: Parameter, names: FieldNames) -> list[str]:
    name, many = parameter.name, resolve(parameter.type)
    size = _element_size(parameter)
    length, room = f"_in.{names[name, False]}", f"_in.{names[name, True]}"
    take = f"_take_in(_call, {length}, {size})"
    lines = []
    if isinstance(many, String):
        take = f"_take_{'wide' if many.wide else 'text'}(_call, {length})"
        lines = [f"if ({length} == 0 && {room} > 0) {{", "    _call->err = AEE_EBADPARM;", "}"]
    return [
        *lines,
        "{",
        f"    const void* _came = {take};",
        f"    {name} = _take_out(_call, {room}, {size});",
        f"    {name}Len = (int){room};",
        f"    if ({length} > {room}) {{",
        "        _call->err = AEE_EBADPARM;",
        f"    }} else if (_call->err == 0 && {length} > 0 && _came != {name}) {{",
        f"        memmove({name}, _came, (size_t){length} * {size});",
        "    }",
        "}",
    ]


def _nested_arguments(parameter: Parameter, names: FieldNames, places: dict[str, str]) -> list[str]:
    """The C arguments of one parameter in a nested method."""
    name = parameter.name
    match resolve(parameter.type):
        case DmaHandle():
            return [f"{places[name]}.dma.fd", f"{places[name]}.dma.offset", f"{name}Len"]
        case String() if parameter.direction is Direction.IN:
            return [name]
        case Sequence() | String():
            return [name, f"{name}Len"]
        case Struct() if not is_flat(parameter.type):
            return [f"&{name}"]
        case _:
            return [_flat_argument(parameter, names)]


def _dma_lengths(places: dict[str, str]) -> list[str]:
    """The lengths of shared buffers do not travel: the DSP's mapping knows them."""
    return _refuse(
        [f"adsp_mmap_fd_getinfo({place}.dma.fd, &{name}Len) != 0" for name, place in places.items()]
    )


def _dma_places(method: Method, wire: WireMethod, base: str, first: int) -> dict[str, str]:
    """The C expression of each shared buffer's argument."""
    handles = (*wire.in_handles, *wire.out_handles)
    dma = {p.name for p in method.parameters if isinstance(resolve(p.type), DmaHandle)}
    return {name: f"{base}[{first + at}]" for at, name in enumerate(handles) if name in dma}


def _handle_results(method: Method, target: str) -> list[str]:
    return [
        f"{target}.h64 = {p.name};"
        for p in method.parameters
        if isinstance(resolve(p.type), Handle) and p.direction is Direction.ROUT
    ]


def _call(
    interface: Interface, method: Method, wire: WireMethod, arguments: list[str]
) -> list[str]:
    given = [
        *(["_h"] if takes_handle(interface, wire.index) else []),
        *(["NULL"] if method.is_async else []),
        *arguments,
    ]
    call = f"_err = __QAIC_IMPL({function_name(interface, method)})({', '.join(given)});"
    return textwrap.wrap(call, 92, subsequent_indent="    ", break_long_words=False)


def _entry(unit: Unit, interface: Interface, wires: tuple[WireMethod, ...]) -> list[str]:
    """The exported function and the two values beside it."""
    name = interface.c_name
    invoke = f"{name}_skel_handle_invoke" if interface.multi_domain else f"{name}_skel_invoke"
    handle = "remote_handle64 _h, " if interface.multi_domain else ""
    exports = [
        f'__attribute__((visibility("default"))) uint32_t {invoke}_qaic_version = {QAIC_VERSION};'
    ]
    if interface.multi_domain:
        exports.append(
            f'__attribute__((visibility("default"))) char {invoke}_uri[] =\n'
            f"    {quoted(uri(unit, interface))};"
        )
    low = [_case(interface, wire) for wire in wires if wire.index < ESCAPE]
    high = [_case(interface, wire) for wire in wires if wire.index >= ESCAPE]
    switch = "    switch (REMOTE_SCALARS_METHOD(_sc)) {\n" + "".join(low)
    escape = ""
    if high:
        given = "_h, " if interface.multi_domain else ""
        switch += f"    case {ESCAPE}:\n        return _skel_escaped({given}_sc, _pra);\n"
        escape = (
            f"/* Method {ESCAPE} in the scalars: the number is the first word of primIn. */\n"
            f"static int _skel_escaped({handle}uint32_t _sc, remote_arg* _pra)\n"
            f"{{\n"
            f"    uint32_t _mid;\n\n"
            f"    if (REMOTE_SCALARS_INBUFS(_sc) < 1 || !_read(&_mid, &_pra[0], 4)) {{\n"
            f"        return AEE_EBADPARM;\n"
            f"    }}\n"
            f"    switch (_mid) {{\n{''.join(high)}    }}\n"
            f"    return AEE_EUNSUPPORTED;\n"
            f"}}\n"
        )
    unused = "" if not interface.multi_domain or len(wires) > 2 else "    (void)_h;\n"
    signature = f"int __QAIC_SKEL({invoke})({handle}uint32_t _sc, remote_arg* _pra)"
    return [
        *([escape] if escape else []),
        "\n".join(exports) + "\n",
        f"__QAIC_SKEL_EXPORT {signature} __QAIC_SKEL_ATTRIBUTE;\n"
        f"__QAIC_SKEL_EXPORT {signature} __QAIC_SKEL_ATTRIBUTE\n"
        f"{{\n{unused}{switch}    }}\n    return AEE_EUNSUPPORTED;\n}}\n",
    ]


def _case(interface: Interface, wire: WireMethod) -> str:
    method = interface.methods[wire.index]
    given = "_h, " if takes_handle(interface, wire.index) else ""
    return (
        f"    case {wire.index}:\n"
        f"        return _skel_{function_name(interface, method)}({given}_sc, _pra);\n"
    )
