"""Types that consist of others, and parameters: what C is passed, and what comes back.

`Parameter.pass_` adds both to a `Call`.
"""

from __future__ import annotations

import abc
import ctypes
import operator
from typing import Any, Callable

from .scalars import (
    INT32,
    NULL,
    UINT8,
    UINT16,
    UINT32,
    DmaHandle,
    Keep,
    Scalar,
    Type,
    borrow,
    check_view,
    checked_length,
    numbers,
    room_for,
    view_of,
)


class Struct(Type):
    """A struct: `make` makes its value from those of its members, which are attributes of it."""

    def __init__(self, make: Callable[..., Any], members: tuple[tuple[str, Type], ...]) -> None:
        self._make = make
        self._members = members
        fields = [type_.members(f"m{at}_") for at, (_, type_) in enumerate(members)]
        self._names = [[name for name, _ in each] for each in fields]
        self.c_type = type(
            make.__name__,
            (ctypes.Structure,),
            {"_fields_": [each for all_ in fields for each in all_]},
        )

    def to_c(self, value: Any, keep: Keep) -> Any:
        return self._filled(lambda type_, member: type_.to_c(member, keep), value)

    def room(self, like: Any, keep: Keep) -> Any:
        return self._filled(lambda type_, member: type_.room(member, keep), like)

    def _filled(self, fill: Callable[[Type, Any], Any], value: Any) -> Any:
        parts = (type_.spread(fill(type_, getattr(value, name))) for name, type_ in self._members)
        return self.c_type(*(part for each in parts for part in each))

    def from_c(self, value: Any) -> Any:
        return self._make(
            *(
                type_.from_c(type_.gather(*(getattr(value, name) for name in names)))
                for names, (_, type_) in zip(self._names, self._members)
            )
        )


DMA = Struct(DmaHandle, (("fd", INT32), ("offset", UINT32), ("length", UINT32)))
"""A `dmahandle` as an element of a sequence."""


class Array(Type):
    """A fixed array.  Its elements contain no sequences and strings."""

    def __init__(self, element: Type, length: int) -> None:
        self._element = element
        self._length = length
        self.c_type = element.c_type * length

    def to_c(self, value: Any, keep: Keep) -> Any:
        view = view_of(value)
        if view is not None and isinstance(self._element, Scalar):
            self._check(check_view(view, self._element))
            return self.c_type.from_buffer_copy(view)
        values = [self._element.to_c(each, keep) for each in value]
        self._check(len(values))
        return self.c_type(*values)

    def from_c(self, value: Any) -> Any:
        return [self._element.from_c(each) for each in value]

    def _check(self, length: int) -> None:
        if length != self._length:
            raise ValueError(f"the array has {self._length} elements, not {length}")


class Pointed(Type):
    """A type whose values are an address and a length, as in `{T *data; int dataLen}`."""

    def __init__(self, element: Type) -> None:
        self.element = element
        self.pointer = ctypes.POINTER(element.c_type)
        self.c_type = type("pointed", (ctypes.Structure,), {"_fields_": self.members("data")})

    def members(self, name: str) -> list[tuple[str, Any]]:
        return [(name, self.pointer), (f"{name}Len", ctypes.c_int)]

    def spread(self, value: Any) -> tuple[Any, ...]:
        return value.data, value.dataLen

    def gather(self, *members: Any) -> Any:
        return self.c_type(*members)

    def block(self, values: list[Any], keep: Keep) -> Any:
        """The C value that points to these C values."""
        length = checked_length(len(values))
        return self.c_type(
            keep((self.element.c_type * length)(*values)) if length else NULL, length
        )

    def empty(self, length: int, keep: Keep) -> Any:
        """A C value with room for so many elements, or units with the terminator."""
        length = checked_length(operator.index(length))
        return self.c_type(keep((self.element.c_type * length)()) if length else NULL, length)


class Sequence(Pointed):
    """A sequence; a bound is checked by the DSP."""

    def to_c(self, value: Any, keep: Keep) -> Any:
        if isinstance(self.element, Scalar):
            return self.c_type(*borrow(value, self.element, keep))
        return self.block([self.element.to_c(each, keep) for each in value], keep)

    def room(self, like: Any, keep: Keep) -> Any:
        """`like` has a value for each element, from which the room for it follows."""
        if isinstance(self.element, Scalar):
            view = view_of(like)
            length = len(like) if view is None else check_view(view, self.element)
            return self.empty(length, keep)
        return self.block([self.element.room(each, keep) for each in like], keep)

    def from_c(self, value: Any) -> Any:
        return [self.element.from_c(value.data[at]) for at in range(value.dataLen)]


class Text(Pointed):
    """A string: UTF-8, or UTF-16 for a wide one, with a terminator.  Other bytes are surrogates."""

    def __init__(self, *, wide: bool = False) -> None:
        self.unit = UINT16 if wide else UINT8
        self.wide = wide
        super().__init__(self.unit)

    def to_c(self, value: Any, keep: Keep) -> Any:
        return self.c_type(*borrow(self.encoded(value), self.unit, keep))

    def room(self, like: Any, keep: Keep) -> Any:
        """Room for a string of the same length."""
        return self.empty(len(self.encoded(like)) // self.unit.size, keep)

    def from_c(self, value: Any) -> str:
        units = value.data[: value.dataLen] if value.dataLen else []
        if 0 in units:
            units = units[: units.index(0)]
        raw = bytes(numbers(units, self.unit))
        if self.wide:
            return raw.decode("utf-16-le", "surrogatepass")
        return raw.decode("utf-8", "surrogateescape")

    def encoded(self, value: str) -> bytes:
        """The bytes of `value` with the terminator; raises `ValueError` if it has one inside."""
        if not isinstance(value, str):
            raise TypeError(f"a str is needed, not {type(value).__name__}")
        if "\0" in value:
            raise ValueError("a string cannot contain NUL")
        if self.wide:
            return value.encode("utf-16-le", "surrogatepass") + b"\0\0"
        return value.encode("utf-8", "surrogateescape") + b"\0"


class Call:
    """One call: the arguments for C, and functions that return its results afterwards."""

    def __init__(self) -> None:
        self.arguments: list[Any] = []
        self.results: list[Callable[[], Any]] = []
        self.keep = Keep()


class Parameter(abc.ABC):
    """A parameter; `c_types` are those of the C parameters that it becomes.

    `arguments` is the number of arguments that the caller passes for it.
    """

    arguments = 1
    c_types: list[Any]

    def __init__(self, name: str) -> None:
        self.name = name

    @abc.abstractmethod
    def pass_(self, call: Call, *arguments: Any) -> None:
        """Add what these arguments become to `call`."""


class In(Parameter):
    """An `in` parameter."""

    def __init__(self, name: str, type_: Type) -> None:
        super().__init__(name)
        self._type = type_
        if isinstance(type_, Scalar):
            self.c_types = [type_.c_type]
        elif isinstance(type_, Text):
            self.c_types = [type_.pointer]
        else:
            self.c_types = pointer_types(type_)

    def pass_(self, call: Call, *arguments: Any) -> None:
        value = self._type.to_c(arguments[0], call.keep)
        if isinstance(self._type, Scalar):
            call.arguments.append(value)
        elif isinstance(self._type, Pointed):
            call.arguments += self._type.spread(value)[: len(self.c_types)]
        else:
            call.arguments.append(ctypes.byref(value))


class Rout(Parameter):
    """A `rout` parameter.

    Its argument is the room for the result: for a sequence of numbers a length or a writable
    buffer, for another sequence or a string a length, for nested types a value of the same shape.
    Other types need no argument.
    """

    def __init__(self, name: str, type_: Type, *, nested: bool = False) -> None:
        super().__init__(name)
        self._type = type_
        self._nested = nested
        self.arguments = 1 if nested or isinstance(type_, Pointed) else 0
        self.c_types = pointer_types(type_)

    def pass_(self, call: Call, *arguments: Any) -> None:
        type_ = self._type
        if isinstance(type_, Sequence) and isinstance(type_.element, Scalar):
            pass_room(call, room_for(arguments[0], type_.element), type_.element)
            return
        if self._nested:
            value = type_.room(arguments[0], call.keep)
        elif isinstance(type_, Pointed):
            value = type_.empty(arguments[0], call.keep)
        else:
            value = type_.c_type()
        pass_value(call, type_, value)


class InRout(Parameter):
    """An `inrout` parameter.  A sequence of numbers in a writable buffer is changed in place."""

    def __init__(self, name: str, type_: Type) -> None:
        super().__init__(name)
        self._type = type_
        self.c_types = pointer_types(type_)

    def pass_(self, call: Call, *arguments: Any) -> None:
        type_, value = self._type, arguments[0]
        if isinstance(type_, Sequence) and isinstance(type_.element, Scalar):
            view = view_of(value)
            if view is None or view.readonly:
                view = memoryview(numbers(value, type_.element)) if view is None else view
                check_view(view, type_.element)
                value = bytearray(view)
            pass_room(call, room_for(value, type_.element), type_.element)
            return
        converted = type_.to_c(value, call.keep)
        pass_value(call, type_, type_.c_type(converted) if isinstance(type_, Scalar) else converted)


class InRoutText(Parameter):
    """An `inrout` string: its second argument is the room in units, with the terminator."""

    arguments = 2

    def __init__(self, name: str, type_: Text) -> None:
        super().__init__(name)
        self._type = type_
        self.c_types = pointer_types(type_)

    def pass_(self, call: Call, *arguments: Any) -> None:
        value, size = arguments
        text = self._type.encoded(value)
        room = self._type.empty(size, call.keep)
        if len(text) > size * self._type.unit.size:
            raise ValueError(f"the string does not fit into {size} units with its terminator")
        ctypes.memmove(room.data, text, len(text))
        pass_value(call, self._type, room)


class Dma(Parameter):
    """A `dmahandle`, of either direction: the memory is the caller's."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.c_types = [ctypes.c_int, ctypes.c_uint32, ctypes.c_uint32]

    def pass_(self, call: Call, *arguments: Any) -> None:
        checked = zip(DmaHandle(*arguments[0]), (INT32, UINT32, UINT32))
        call.arguments += [scalar.to_c(number, call.keep) for number, scalar in checked]


def pointer_types(type_: Type) -> list[Any]:
    """The types of the C parameters for a pointer to a value, or to the elements of one."""
    if isinstance(type_, Pointed):
        return [type_.pointer, ctypes.c_int]
    return [ctypes.POINTER(type_.c_type)]


def pass_room(call: Call, room: memoryview, scalar: Scalar) -> None:
    """Pass the address and length of `room`, which is also the result."""
    length = room.nbytes // scalar.size
    block = (scalar.c_type * length).from_buffer(room) if length else NULL
    call.arguments += [call.keep(block), length]
    call.results.append(lambda: room)


def pass_value(call: Call, type_: Type, value: Any) -> None:
    """Pass a pointer to the C value, or what it points to; its contents are the result."""
    call.keep(value)
    if isinstance(type_, Pointed):
        call.arguments += type_.spread(value)
    else:
        call.arguments.append(ctypes.byref(value))
    is_scalar = isinstance(type_, Scalar)
    call.results.append(lambda: type_.from_c(value.value if is_scalar else value))
