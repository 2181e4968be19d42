"""What the buffers of a method hold, from the IDL of the project."""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.core.value import Value
from buildtool.diagnose.method_names import SkelMethods
from buildtool.idl.method_layout import Role, WireMethod, WireRecord, wire_methods
from buildtool.idl.model import Direction, Interface, Method, Sequence, String
from buildtool.idl.types import element_of, is_flat, strip_typedefs
from buildtool.project.model import Project
from buildtool.run.recorded.numbers import Field, Shape, fields_of


class MethodShapes(Value):
    """The C name of a method, and the shapes of its in and out buffers: () if their number depends
    on values."""

    name: str
    inputs: tuple[Shape, ...] = ()
    outputs: tuple[Shape, ...] = ()


class Shapes:
    """Finds the shapes of methods of a project's skels, for as long as nothing is built."""

    def __init__(self, project: Project) -> None:
        self._methods = SkelMethods(project)
        self._known: dict[str, tuple[MethodShapes, ...]] = {}

    def __call__(self, skel: str, method: int) -> MethodShapes:
        if skel not in self._known:
            interface = self._methods.interface(skel)
            self._known[skel] = tuple(_shapes(interface)) if interface else ()
        for found in self._known[skel][method : method + 1]:
            return found
        return MethodShapes(f"method {method} of {skel}")


def _shapes(interface: Interface) -> Iterator[MethodShapes]:
    for method, wire in zip(interface.methods, wire_methods(interface), strict=True):
        name = f"{interface.c_name}_{method.name}"
        if any(buffer.repeated for buffer in (*wire.inputs, *wire.outputs)):
            yield MethodShapes(name)
        else:
            yield MethodShapes(name, *_buffers(method, wire))


def _buffers(method: Method, wire: WireMethod) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    sides = []
    for buffers, first, record, direction in (
        (wire.inputs, "primIn", wire.prim_in, Direction.IN),
        (wire.outputs, "primROut", wire.prim_rout, Direction.ROUT),
    ):
        of = {
            parameter.name: parameter.type
            for parameter in method.parameters
            if parameter.direction in (direction, Direction.INROUT)
        }
        shapes = []
        for buffer in buffers:
            if buffer.source == first:
                shapes.append(Shape("", record.size, tuple(_record(record))))
                continue
            fields: list[Field] = []
            type_ = strip_typedefs(of[buffer.source]) if buffer.source in of else None
            if isinstance(type_, Sequence | String) and is_flat(element_of(type_)):
                fields = fields_of(element_of(type_))
            shapes.append(Shape(buffer.source, buffer.element_size, tuple(fields)))
        sides.append(tuple(shapes))
    return sides[0], sides[1]


def _record(record: WireRecord) -> Iterator[Field]:
    """The numbers of primIn or primROut, in the order of parameters."""
    for field in record.fields:
        if field.role is Role.VALUE and field.type:
            yield from fields_of(field.type, field.source, field.offset)
        elif field.role in (Role.LENGTH, Role.CAPACITY):
            yield Field(field.name, field.offset, "u32")
