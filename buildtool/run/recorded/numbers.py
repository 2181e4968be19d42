"""Numbers in buffers: their types, by name or from the IDL of the project, and how far results are
apart."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence

from buildtool.core.value import Value
from buildtool.diagnose.method_names import SkelMethods
from buildtool.idl import model as idl
from buildtool.idl.method_layout import Role, WireMethod, WireRecord, wire_methods
from buildtool.idl.types import align_up, element_of, flat_size, is_flat, strip_typedefs
from buildtool.project.benches import ELEMENT_CODES, Compare
from buildtool.project.model import Project

FLOATS = {"f16": 16, "f32": 32, "f64": 64}
_PRIMITIVES = {
    **{idl.Primitive.FLOAT: "f32", idl.Primitive.DOUBLE: "f64"},
    **{idl.Primitive.OCTET: "u8", idl.Primitive.BOOLEAN: "u8", idl.Primitive.UINT8: "u8"},
    **{idl.Primitive.CHAR: "i8", idl.Primitive.INT8: "i8"},
    **{idl.Primitive.SHORT: "i16", idl.Primitive.INT16: "i16"},
    **{idl.Primitive.USHORT: "u16", idl.Primitive.WCHAR: "u16", idl.Primitive.UINT16: "u16"},
    **{idl.Primitive.LONG: "i32", idl.Primitive.INT32: "i32"},
    **{idl.Primitive.ULONG: "u32", idl.Primitive.UINT32: "u32"},
    **{idl.Primitive.LONGLONG: "i64", idl.Primitive.INT64: "i64"},
    **{idl.Primitive.ULONGLONG: "u64", idl.Primitive.UINT64: "u64"},
}
MAX_FIELDS = 4096


class Field(Value):
    """A number in an element of a buffer: its path in a struct, its place in bytes, its type."""

    path: str
    place: int
    type: str


class Shape(Value):
    """What a buffer holds: elements of `size` bytes with these fields."""

    name: str
    size: int
    fields: tuple[Field, ...]

    @property
    def is_octets(self) -> bool:
        """Whether an element is a byte, which can be a part of anything."""
        return self.size == 1 and self.fields[0].type == "u8"


def shape_of(name: str, type_: str) -> Shape:
    """A buffer of numbers of a type of `ELEMENT_TYPES`."""
    return Shape(name, struct.calcsize(ELEMENT_CODES[type_]), (Field("", 0, type_),))


def fields_of(type_: idl.Type, path: str = "", place: int = 0) -> list[Field]:
    """The numbers of a flat type of IDL."""
    match strip_typedefs(type_):
        case idl.Primitive() as primitive:
            return [Field(path, place, _PRIMITIVES[primitive])]
        case idl.Enum():
            return [Field(path, place, "u32")]
        case idl.Array(element=element, length=length):
            size, _ = flat_size(element)
            numbers = range(min(length, MAX_FIELDS))
            parts = [fields_of(element, f"{path}[{i}]", place + i * size) for i in numbers]
            return [field for part in parts for field in part][:MAX_FIELDS]
        case idl.Struct(members=members):
            found, at = [], 0
            for member in members:
                size, alignment = flat_size(member.type)
                at = align_up(at, alignment)
                inner = f"{path}.{member.name}" if path else member.name
                found += fields_of(member.type, inner, place + at)
                at += size
            return found[:MAX_FIELDS]
        case _:
            return []


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


def _shapes(interface: idl.Interface) -> Iterator[MethodShapes]:
    for method, wire in zip(interface.methods, wire_methods(interface), strict=True):
        name = f"{interface.c_name}_{method.name}"
        if any(buffer.repeated for buffer in (*wire.inputs, *wire.outputs)):
            yield MethodShapes(name)
        else:
            yield MethodShapes(name, *_buffers(method, wire))


def _buffers(method: idl.Method, wire: WireMethod) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    sides = []
    for buffers, first, record, direction in (
        (wire.inputs, "primIn", wire.prim_in, idl.Direction.IN),
        (wire.outputs, "primROut", wire.prim_rout, idl.Direction.ROUT),
    ):
        of = {
            parameter.name: parameter.type
            for parameter in method.parameters
            if parameter.direction in (direction, idl.Direction.INROUT)
        }
        shapes = []
        for buffer in buffers:
            if buffer.source == first:
                shapes.append(Shape("", record.size, tuple(_record(record))))
                continue
            fields: list[Field] = []
            type_ = strip_typedefs(of[buffer.source]) if buffer.source in of else None
            if isinstance(type_, idl.Sequence | idl.String) and is_flat(element_of(type_)):
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


def first_element(shape: Shape, data: bytes) -> list[tuple[str, float]]:
    """The fields of the first element in `data`, with their values."""
    whole = [
        field
        for field in shape.fields
        if field.place + struct.calcsize(ELEMENT_CODES[field.type]) <= len(data)
    ]
    return [
        (field.path, struct.unpack_from(f"<{ELEMENT_CODES[field.type]}", data, field.place)[0])
        for field in whole
    ]


class Differences(Value):
    """How two buffers differ: the first element with its field, both numbers, how many numbers of
    how many differ, by how much at most, and the normalized mean squared error of all."""

    element: int
    field: Field
    left: float
    right: float
    differ: int
    numbers: int
    largest: float
    nmse: float
    last: int


def differences(
    shape: Shape, left: bytes, right: bytes, rule: Compare | None
) -> tuple[Differences | None, Differences | None]:
    """How the buffers differ beyond `rule`, and how they differ at all; None if they do not."""
    if left == right:
        return None, None
    beyond: Differences | None = None
    any_: Differences | None = None
    error = signal = 0.0
    beyond_count = count = numbers = last = last_beyond = 0
    largest = largest_beyond = 0.0
    elements = min(len(left), len(right)) // shape.size
    columns = [
        (field, _column(left, shape, field, elements), _column(right, shape, field, elements))
        for field in shape.fields
    ]
    for element in range(elements):
        for field, lefts, rights in columns:
            one, other = lefts[element], rights[element]
            numbers += 1
            finite = math.isfinite(one) and math.isfinite(other)
            if math.isfinite(one):
                signal += one * one
            if one == other or (math.isnan(one) and math.isnan(other)):
                continue
            apart = abs(one - other) if finite else math.inf
            error += apart * apart if math.isfinite(apart) else math.inf
            count += 1
            largest = max(largest, apart)
            last = element
            given = Differences(element, field, one, other, 0, 0, 0, 0, 0)
            any_ = any_ or given
            if rule is None or not _within(field.type, one, other, apart, rule):
                beyond_count, last_beyond = beyond_count + 1, element
                largest_beyond = max(largest_beyond, apart)
                beyond = beyond or given
    nmse = error / signal if signal else (math.inf if error else 0.0)
    if rule and rule.nmse and nmse <= rule.nmse:
        beyond = None
    return (
        beyond
        and beyond._replace(
            differ=beyond_count,
            numbers=numbers,
            largest=largest_beyond,
            nmse=nmse,
            last=last_beyond,
        ),
        any_
        and any_._replace(differ=count, numbers=numbers, largest=largest, nmse=nmse, last=last),
    )


def _column(data: bytes, shape: Shape, field: Field, elements: int) -> Sequence[float]:
    letter = ELEMENT_CODES[field.type]
    size = struct.calcsize(letter)
    if size == shape.size:
        return struct.unpack_from(f"<{elements}{letter}", data)
    one = struct.Struct(f"<{letter}")
    places = range(field.place, field.place + elements * shape.size, shape.size)
    return [one.unpack_from(data, place)[0] for place in places]


def _within(type_: str, left: float, right: float, apart: float, rule: Compare) -> bool:
    if apart <= rule.absolute + rule.relative * abs(left):
        return True
    return bool(rule.ulp) and type_ in FLOATS and _steps(type_, left, right) <= rule.ulp


def _steps(type_: str, left: float, right: float) -> float:
    """How many numbers of the type lie between both."""
    if not (math.isfinite(left) and math.isfinite(right)):
        return math.inf
    letter, bits = ELEMENT_CODES[type_], FLOATS[type_]
    whole = {16: "h", 32: "i", 64: "q"}[bits]

    def place(number: float) -> int:
        (value,) = struct.unpack(f"<{whole}", struct.pack(f"<{letter}", number))
        return int(value) if value >= 0 else -(value & ((1 << (bits - 1)) - 1))

    return abs(place(left) - place(right))
