"""A skel's method whose buffers are known now: each is checked and used at its index."""

from __future__ import annotations

from dataclasses import dataclass

from buildtool.idl.emit.c_text import if_any
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
from buildtool.idl.layout.method_layout import WireMethod
from buildtool.idl.layout.types import is_flat, strip_typedefs
from buildtool.idl.model import (
    Direction,
    DmaHandle,
    Handle,
    Interface,
    Method,
    Parameter,
    Sequence,
    String,
)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where a method's parameters are: indices into `_pra`, names in primIn."""

    inputs: dict[str, int]
    outputs: dict[str, int]
    names: FieldNames

    def at(self, parameter: Parameter) -> int:
        """The index of what the implementation sees: of an inrout one, the rout buffer."""
        by_name = self.inputs if parameter.direction is Direction.IN else self.outputs
        return by_name[parameter.name]


def flat_body(interface: Interface, wire: WireMethod, *, versioned: bool) -> list[str]:
    """The body of the method's function; a `versioned` open looks at its URI."""
    method = interface.methods[wire.index]
    places = _places(wire)
    lines = [*declarations(interface, wire), ""]
    if not sum(wire.counts):
        lines.append("(void)_pra;")
    scalars = f"REMOTE_SCALARS_MAKEX(0, 0, {', '.join(map(str, wire.counts))})"
    lines += if_any([f"(_sc & 0x00ffffffu) != {scalars}"], REFUSED)
    lines += if_any(_wrong_buffers(method, wire, places), REFUSED)
    lines += dma_lengths(dma_places(method, wire, "_pra", sum(wire.counts[:2])))
    if versioned:
        uri = f"(const char*)_pra[{places.at(method.parameters[0])}].buf.pv"
        lines += if_any([f"_stub_is_newer({uri})"], ["return AEE_ESTUBSKELVERMISMATCH;"])
    for parameter in method.parameters:
        if parameter.direction is Direction.INROUT:
            lines.append(_carry_over(parameter, places))
    arguments = [a for p in method.parameters for a in _arguments(p, places)]
    lines.append(implementation(interface, wire, arguments))
    results = _results(method, wire, places)
    return [*lines, *(if_any(["_err == 0"], results) if results else []), "return _err;"]


def _places(wire: WireMethod) -> _Places:
    n_in, n_out, n_in_handles, _ = wire.counts
    first_out_handle = n_in + n_out + n_in_handles
    inputs = {buffer.source: at for at, buffer in enumerate(wire.inputs)}
    inputs |= {name: n_in + n_out + at for at, name in enumerate(wire.in_handles)}
    outputs = {buffer.source: n_in + at for at, buffer in enumerate(wire.outputs)}
    outputs |= {name: first_out_handle + at for at, name in enumerate(wire.out_handles)}
    return _Places(inputs, outputs, field_names(wire.prim_in))


def _wrong_buffers(method: Method, wire: WireMethod, places: _Places) -> list[str]:
    """C conditions, any of which says that the buffers are not what primIn says."""
    wrong = []
    if wire.prim_in.fields:
        wrong.append(f"!_read(&_in, &_pra[0], {wire.prim_in.size})")
    for parameter in method.parameters:
        if isinstance(strip_typedefs(parameter.type), Sequence | String):
            wrong += _wrong_sequence(parameter, places)
    if wire.prim_rout.fields:
        wrong.append(f"!_holds(&_pra[{wire.counts[0]}], {wire.prim_rout.size}, 1)")
    return wrong


def _wrong_sequence(parameter: Parameter, places: _Places) -> list[str]:
    name, many, size = parameter.name, strip_typedefs(parameter.type), element_size(parameter)
    inrout = parameter.direction is Direction.INROUT
    wrong = []
    if parameter.direction is not Direction.ROUT:
        length = f"_in.{places.names[name, False]}"
        buffer = f"&_pra[{places.inputs[name]}]"
        if not isinstance(many, String):
            wrong.append(f"!_holds({buffer}, {length}, {size})")
        else:
            holds = f"!_holds_{'wide' if many.wide else 'text'}({buffer}, {length})"
            # No text and no room for one is nothing, not a text without terminator.
            room = f"_in.{places.names[name, True]}" if inrout else ""
            wrong.append(f"({room} > 0 && {holds})" if inrout else holds)
    if parameter.direction is not Direction.IN:
        room = f"_in.{places.names[name, True]}"
        wrong.append(f"!_holds(&_pra[{places.outputs[name]}], {room}, {size})")
        if inrout:
            wrong.append(f"_in.{places.names[name, False]} > {room}")
    return wrong


def _carry_over(parameter: Parameter, places: _Places) -> str:
    if is_flat(parameter.type):
        return flat_inrout(parameter, places.names)
    name = parameter.name
    size = f"(size_t)_in.{places.names[name, False]} * {element_size(parameter)}"
    return f"_carry_over(&_pra[{places.outputs[name]}], &_pra[{places.inputs[name]}], {size});"


def _arguments(parameter: Parameter, places: _Places) -> list[str]:
    """The C arguments of one parameter."""
    name, direction = parameter.name, parameter.direction
    match strip_typedefs(parameter.type):
        case DmaHandle():
            return dma_arguments(name, f"_pra[{places.at(parameter)}]")
        case Handle():
            return [
                f"_pra[{places.at(parameter)}].h64" if direction is Direction.IN else f"&{name}"
            ]
        case String() if direction is Direction.IN:
            return [f"_pra[{places.at(parameter)}].buf.pv"]
        case Sequence() | String():
            length = places.names[name, direction is not Direction.IN]
            return [f"_pra[{places.at(parameter)}].buf.pv", f"(int)_in.{length}"]
        case _:
            return [flat_argument(parameter, places.names)]


def _results(method: Method, wire: WireMethod, places: _Places) -> list[str]:
    """What goes back after a good call."""
    lines = [
        f"_pra[{places.at(p)}].h64 = {p.name};"
        for p in method.parameters
        if isinstance(strip_typedefs(p.type), Handle) and p.direction is Direction.ROUT
    ]
    if wire.prim_rout.fields:
        lines.append(f"memcpy(_pra[{wire.counts[0]}].buf.pv, &_out, {wire.prim_rout.size});")
    return lines
