"""The wire layout of a method: the records and buffers of a call.

The format is that of qaic, the IDL compiler of Qualcomm's SDK, which is public (qualcomm/QAIC,
src/Language/Slim/Serialize.hs and src/Language/SO/Pack.hs):

    [primIn] [in buffers…] [primROut] [rout buffers…] [in handles] [out handles]

primIn and primROut are records with the layout of a C struct; a record without fields is left
out.  Sizes and offsets are in bytes.  A sequence of handles has its length in primIn and no buffer:
each element is a handle.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

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
    Type,
)
from buildtool.idl.types import (
    align_up,
    check_async,
    check_limits,
    composite,
    element_of,
    flat_size,
    is_dma_sequence,
    is_flat,
    strip_typedefs,
)

ESCAPE = 31
"""The method number in the scalars that means: the number is the first u32 of primIn."""


class Role(enum.Enum):
    """The meaning of a record's field."""

    METHOD_ID = "method id"
    VALUE = "value"
    LENGTH = "length"
    CAPACITY = "capacity"
    RECORD = "record"


class RecordKind(enum.Enum):
    """The three records of a type: the input, the capacity for results, and the results."""

    IN = "in"
    CAPACITY = "capacity"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class RecordField:
    """One field of a record."""

    name: str  # unique in its record
    role: Role
    source: str  # the parameter or member
    offset: int
    size: int
    alignment: int
    type: Type | None = None  # of a VALUE or RECORD
    kind: RecordKind | None = None  # of a RECORD: which record of the type


@dataclass(frozen=True, slots=True)
class WireRecord:
    """Fields in order.  `size` ends with the last field; a stub sends `padded` bytes."""

    fields: tuple[RecordField, ...]
    size: int
    alignment: int

    @property
    def padded(self) -> int:
        return align_up(self.size, self.alignment)


@dataclass(frozen=True, slots=True)
class WireBuffer:
    """One buffer, or if `repeated`, one for each element of an enclosing sequence."""

    source: str  # a path such as `list[].name`
    element_size: int  # for primIn and primROut that of the whole record
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class WireHandle:
    """One handle, or if `repeated`, one for each element of the sequence `source`."""

    source: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class WireMethod:
    """One method on the wire.  `inputs` and `outputs` start with primIn and primROut."""

    index: int
    prim_in: WireRecord
    prim_rout: WireRecord
    inputs: tuple[WireBuffer, ...]
    outputs: tuple[WireBuffer, ...]
    in_handles: tuple[WireHandle, ...]
    out_handles: tuple[WireHandle, ...]

    @property
    def method_field(self) -> int:
        """The method's five bits in the scalars."""
        return min(self.index, ESCAPE)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The numbers of in buffers, rout buffers, in handles and out handles, without repeated
        ones."""
        return (
            sum(not buffer.repeated for buffer in self.inputs),
            sum(not buffer.repeated for buffer in self.outputs),
            sum(not handle.repeated for handle in self.in_handles),
            sum(not handle.repeated for handle in self.out_handles),
        )


def wire_methods(interface: Interface) -> tuple[WireMethod, ...]:
    """All methods in wire order.  Raises IdlError for what the wire cannot carry."""
    return tuple(wire_method(method, i) for i, method in enumerate(interface.methods))


def wire_method(method: Method, index: int) -> WireMethod:
    """The layout of the method at `index` of its interface.  Raises IdlError."""
    prim_in = _prim_in(method, index)
    prim_rout = _prim_rout(method)
    wire = WireMethod(
        index,
        prim_in,
        prim_rout,
        inputs=(*_primary("primIn", prim_in), *_buffers(method.parameters, Direction.IN)),
        outputs=(*_primary("primROut", prim_rout), *_buffers(method.parameters, Direction.ROUT)),
        in_handles=_handles(method.parameters, Direction.IN),
        out_handles=_handles(method.parameters, Direction.ROUT),
    )
    check_limits(method, wire.counts)
    records = [b.source.removesuffix("[]") for b in wire.outputs if b.source.endswith("[]")]
    check_async(method, [*(field.source for field in prim_rout.fields), *records])
    return wire


def record_of(members: Iterable[Member], kind: RecordKind) -> WireRecord:
    """The record of a composite's members, as a part of another record."""
    build = _RecordBuilder()
    for member in members:
        build.add(member, kind)
    return build.record()


def _prim_in(method: Method, index: int) -> WireRecord:
    build = _RecordBuilder()
    if index >= ESCAPE:
        build.append(RecordField("_mid", Role.METHOD_ID, "", 0, 4, 4))
    for parameter in method.parameters:
        inrout = parameter.direction is Direction.INROUT
        if parameter.direction is not Direction.ROUT:
            build.add(parameter, RecordKind.IN, "InLen" if inrout else "Len")
        if parameter.direction is not Direction.IN:
            build.add(parameter, RecordKind.CAPACITY, "RoutLen" if inrout else "Len")
    return build.record()


def _prim_rout(method: Method) -> WireRecord:
    build = _RecordBuilder()
    for parameter in method.parameters:
        if parameter.direction is not Direction.IN:
            build.add(parameter, RecordKind.RESULT)
    return build.record()


class _RecordBuilder:
    """Appends fields at aligned offsets."""

    def __init__(self) -> None:
        self.fields: dict[str, RecordField] = {}
        self.end = 0
        self.alignment = 1

    def add(self, item: Parameter | Member, kind: RecordKind, suffix: str = "Len") -> None:
        """Append the field that `item` has in a record of this kind, if any."""
        name = item.name
        match strip_typedefs(item.type):
            case DmaHandle() | Handle():
                pass
            case Sequence() | String():
                if kind is not RecordKind.RESULT:
                    role = Role.LENGTH if kind is RecordKind.IN else Role.CAPACITY
                    self.append(RecordField(name + suffix, role, name, 0, 4, 4))
            case _ if is_flat(item.type):
                if kind is not RecordKind.CAPACITY:
                    size, alignment = flat_size(item.type)
                    self.append(RecordField(name, Role.VALUE, name, 0, size, alignment, item.type))
            case _:
                inner = record_of(composite(item.type).members, kind)
                size, alignment = inner.padded, inner.alignment
                if inner.fields:
                    self.append(
                        RecordField(name, Role.RECORD, name, 0, size, alignment, item.type, kind)
                    )

    def append(self, field: RecordField) -> None:
        """Append a field at the next aligned offset, with a unique name."""
        name = field.name
        while name in self.fields:
            name += "_"
        offset = align_up(self.end, field.alignment)
        self.fields[name] = replace(field, name=name, offset=offset)
        self.end = offset + field.size
        self.alignment = max(self.alignment, field.alignment)

    def record(self) -> WireRecord:
        return WireRecord(tuple(self.fields.values()), self.end, self.alignment)


def _primary(name: str, record: WireRecord) -> tuple[WireBuffer, ...]:
    return (WireBuffer(name, record.size),) if record.fields else ()


def _buffers(parameters: Iterable[Parameter], wanted: Direction) -> Iterator[WireBuffer]:
    """The buffers after primIn (`wanted` is IN) or primROut (ROUT), in order."""
    for parameter in parameters:
        for direction in (Direction.IN, Direction.ROUT):
            if parameter.direction in (direction, Direction.INROUT):
                # Room for results with sequences inside is described by records that go in.
                for goes, buffer in _buffers_of(parameter, direction, ""):
                    if goes is wanted:
                        yield buffer


def _buffers_of(
    item: Parameter | Member, direction: Direction, around: str, *, repeated: bool = False
) -> Iterator[tuple[Direction, WireBuffer]]:
    """The buffers of a parameter or member, with their directions; `around` is the path prefix."""
    path = around + item.name
    resolved = strip_typedefs(item.type)
    if is_flat(item.type) or isinstance(resolved, DmaHandle | Handle) or is_dma_sequence(resolved):
        return
    if not isinstance(resolved, Sequence | String):
        for member in composite(item.type).members:
            yield from _buffers_of(member, direction, f"{path}.", repeated=repeated)
        return
    element = element_of(resolved)
    if is_flat(element):
        yield direction, WireBuffer(path, flat_size(element)[0], repeated)
        return
    inner = composite(element)
    for kind in (
        (RecordKind.IN,) if direction is Direction.IN else (RecordKind.CAPACITY, RecordKind.RESULT)
    ):
        elements = record_of(inner.members, kind)
        if elements.fields:
            goes = Direction.ROUT if kind is RecordKind.RESULT else Direction.IN
            yield goes, WireBuffer(f"{path}[]", elements.padded, repeated)
    for member in inner.members:
        yield from _buffers_of(member, direction, f"{path}[].", repeated=True)


def _handles(parameters: Iterable[Parameter], direction: Direction) -> tuple[WireHandle, ...]:
    found = []
    for parameter in parameters:
        repeated = is_dma_sequence(parameter.type)
        is_handle = isinstance(strip_typedefs(parameter.type), DmaHandle | Handle)
        if parameter.direction is direction and (repeated or is_handle):
            found.append(WireHandle(parameter.name, repeated))
    return tuple(found)
