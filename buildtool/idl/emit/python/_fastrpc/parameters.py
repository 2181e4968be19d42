"""The parameters of methods: what C is passed for an argument, and what comes back.

`Parameter.pass_` adds both to a `Call`.
"""

from __future__ import annotations

import abc
import ctypes
from typing import Any, Callable

from .scalars import (
    INT32,
    NULL,
    UINT32,
    DmaHandle,
    Keep,
    Scalar,
    Type,
    check_view,
    numbers,
    room_for,
    view_of,
)
from .types import Pointed, Sequence, Text


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
