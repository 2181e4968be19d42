"""What every method of a skel has: its records, its implementation's call, shared buffers."""

from __future__ import annotations

from buildtool.idl.emit.c_declarations import function_name, is_unsigned, takes_handle
from buildtool.idl.emit.c_text import fill, if_any
from buildtool.idl.emit.records import FieldNames, copied, record_name
from buildtool.idl.layout.method_layout import RecordKind, WireMethod
from buildtool.idl.layout.types import element_of, flat_size, strip_typedefs
from buildtool.idl.model import (
    Array,
    Direction,
    DmaHandle,
    Handle,
    Interface,
    Method,
    Parameter,
    Primitive,
    Sequence,
    String,
    Struct,
)

REFUSED = ("return AEE_EBADPARM;",)


def declarations(interface: Interface, wire: WireMethod) -> list[str]:
    """The variables that any method needs."""
    method = interface.methods[wire.index]
    name = function_name(interface, method)
    lines = []
    if wire.prim_in.fields:
        lines.append(f"{record_name(name, RecordKind.IN)} _in = {{0}};")
    if wire.prim_rout.fields:
        lines.append(f"{record_name(name, RecordKind.RESULT)} _out = {{0}};")
    for parameter in method.parameters:
        if isinstance(strip_typedefs(parameter.type), DmaHandle):
            lines.append(f"uint32_t {parameter.name}Len = 0;")
        if (
            isinstance(strip_typedefs(parameter.type), Handle)
            and parameter.direction is Direction.ROUT
        ):
            lines.append(f"remote_handle64 {parameter.name} = 0;")
    return [*lines, "int _err;"]


def dma_places(method: Method, wire: WireMethod, base: str, first: int) -> dict[str, str]:
    """The C expression of each shared buffer's argument: `base[first…]`, by parameter."""
    handles = (*wire.in_handles, *wire.out_handles)
    dma = {p.name for p in method.parameters if isinstance(strip_typedefs(p.type), DmaHandle)}
    return {name: f"{base}[{first + at}]" for at, name in enumerate(handles) if name in dma}


def dma_lengths(places: dict[str, str]) -> list[str]:
    """The lengths of shared buffers do not travel: the DSP's mapping knows them."""
    unmapped = [
        f"adsp_mmap_fd_getinfo({place}.dma.fd, &{name}Len) != 0" for name, place in places.items()
    ]
    return if_any(unmapped, REFUSED)


def dma_arguments(name: str, place: str) -> list[str]:
    return [f"{place}.dma.fd", f"{place}.dma.offset", f"{name}Len"]


def flat_argument(parameter: Parameter, names: FieldNames) -> str:
    """The C argument of a parameter that is in primIn or primROut itself."""
    name, type_ = parameter.name, strip_typedefs(parameter.type)
    if parameter.direction is Direction.IN:
        field = f"_in.{names[name, False]}"
        if isinstance(type_, Struct):
            return f"&{field}"
        return f"{field} != 0" if type_ is Primitive.BOOLEAN else field
    return f"_out.{name}" if isinstance(type_, Array) else f"&_out.{name}"


def flat_inrout(parameter: Parameter, names: FieldNames) -> str:
    """The statement that carries an inrout value over to primROut."""
    field = f"_in.{names[parameter.name, False]}"
    return copied(f"_out.{parameter.name}", field, parameter.type, received=True)


def element_size(parameter: Parameter) -> int:
    """Bytes of an element of a flat sequence or text."""
    many = strip_typedefs(parameter.type)
    if not isinstance(many, Sequence | String):
        raise ValueError(f"not a sequence: {parameter.name}")
    return flat_size(element_of(many))[0]


def implementation(interface: Interface, wire: WireMethod, arguments: list[str]) -> str:
    """The statement that calls the implementation."""
    method = interface.methods[wire.index]
    handle = ["_h"] if takes_handle(interface, wire.index) else []
    descriptor = ["NULL"] if method.is_async else []
    called = f"__QAIC_IMPL({function_name(interface, method)})"
    cast = "(int)" if is_unsigned(method) else ""
    return fill(f"_err = {cast}{called}", [*handle, *descriptor, *arguments], ";", width=92)
