"""Compares two versions of an IDL file: what changed for programs and skels that were released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from buildtool.core.value import Value
from buildtool.idl.model import (
    Array,
    Enum,
    Interface,
    Location,
    Method,
    Primitive,
    String,
    Struct,
    Type,
    Unit,
)
from buildtool.idl.model import Sequence as SequenceType
from buildtool.idl.types import strip_typedefs

FIRST_VERSION = "1.0.0"


class InterfaceChange(Value):
    """A change; with `breaks` a released program cannot use the skel, or the other way round."""

    text: str
    location: Location | None
    breaks: bool


def changes(released: Unit, unit: Unit) -> list[InterfaceChange]:
    """The changes of all interfaces of an IDL file.  Names of parameters and comments do not
    count, nor does the name of a method that keeps its number and parameters."""
    now = {interface.name: interface for interface in unit.interfaces}
    found = list[InterfaceChange]()
    for before in released.interfaces:
        interface = now.get(before.name)
        if interface is None:
            found.append(InterfaceChange(f"interface {before.name} is gone", None, True))
        elif interface.multi_domain != before.multi_domain:
            text = f"interface {before.name} is another kind: with and without remote_handle64"
            found.append(InterfaceChange(text, interface.location, True))
        else:
            found += _changes(before, interface)
    return found


def _changes(before: Interface, now: Interface) -> Iterator[InterfaceChange]:
    numbers = {method.name: number for number, method in enumerate(now.methods)}
    moved = list[str]()
    for number, method in enumerate(before.methods):
        there = numbers.get(method.name)
        same_place = now.methods[number] if number < len(now.methods) else None
        if there is None:
            renamed = same_place is not None and _signature(same_place) == _signature(method)
            known = same_place is not None and any(
                each.name == same_place.name for each in before.methods
            )
            if not renamed or known:
                yield InterfaceChange(f"method {method.name} is gone", now.location, True)
        elif there != number:
            moved.append(method.name)
        elif (text := _difference(method, now.methods[there])) is not None:
            location = now.methods[there].location
            yield InterfaceChange(f"{text} of method {method.name} changed", location, True)
    if moved:
        more = f", and of {len(moved) - 1} more," if len(moved) > 1 else ""
        text = f"the number of method {moved[0]}{more} changed"
        yield InterfaceChange(text, now.methods[numbers[moved[0]]].location, True)
    for method in now.methods[len(before.methods) :]:
        if method.name not in {each.name for each in before.methods}:
            yield InterfaceChange(f"method {method.name} is new", method.location, False)


def _difference(before: Method, now: Method) -> str | None:
    """What differs between two versions of a method; None if nothing does."""
    if len(before.parameters) != len(now.parameters):
        return "the number of parameters"
    for old, new in zip(before.parameters, now.parameters, strict=True):
        if old.direction is not new.direction:
            return f"the direction of `{new.name}`"
        if _shape(old.type) != _shape(new.type):
            return f"the type of `{new.name}`"
    return None


def _signature(method: Method) -> Sequence[object]:
    return [(each.direction, _shape(each.type)) for each in method.parameters]


def _shape(type_: Type) -> object:
    """What of a type is on the wire."""
    match strip_typedefs(type_):
        case Primitive() as primitive:
            return (primitive.size, primitive in (Primitive.FLOAT, Primitive.DOUBLE))
        case Enum():
            return Enum
        case String(wide=wide):
            return (String, wide)
        case SequenceType(element=element):
            return (SequenceType, _shape(element))
        case Array(element=element, length=length):
            return (Array, _shape(element), length)
        case Struct(members=members):
            return tuple(_shape(member.type) for member in members)
        case other:
            return type(other)


def version_numbers(version: str | None) -> tuple[int, ...]:
    """The numbers of an IDL_VERSION, without zeros at the end; () without one."""
    numbers = [int(part) for part in version.split(".")] if version else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def needed_version(released: str | None, *, breaks: bool) -> str:
    """The IDL_VERSION that a change needs: the next main number if it breaks the interface,
    otherwise the next second number."""
    if not released:
        return FIRST_VERSION
    main, second, *_ = (*(int(part) for part in released.split(".")), 0)
    return f"{main + 1}.0.0" if breaks else f"{main}.{second + 1}.0"
