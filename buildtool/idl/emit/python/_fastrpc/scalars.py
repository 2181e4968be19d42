"""The base class of IDL types; numbers, and sequences of them in the caller's buffers."""

from __future__ import annotations

import abc
import array
import ctypes
import operator
import sys
from collections.abc import Iterable
from typing import Any, Callable, NamedTuple

NULL = None
"""The address of an empty sequence."""


class Keep:
    """Keeps the memory of a call alive until its end."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def __call__(self, value: Any) -> Any:
        self._kept.append(value)
        return value


class Type(abc.ABC):
    """How the values of one IDL type are represented in C.

    `c_type` is the type of one of them as an element of a sequence.
    """

    c_type: Any

    @abc.abstractmethod
    def to_c(self, value: Any, keep: Keep) -> Any:
        """The C value of `value`."""

    def room(self, like: Any, keep: Keep) -> Any:
        """A C value with room for the results of a value whose sizes are those of `like`."""
        return self.c_type()

    @abc.abstractmethod
    def from_c(self, value: Any) -> Any:
        """The value of a C value; it shares no memory with it."""

    def members(self, name: str) -> list[tuple[str, Any]]:
        """The members of a C struct that a member of this type becomes."""
        return [(name, self.c_type)]

    def spread(self, value: Any) -> tuple[Any, ...]:
        """The values of these members for a C value."""
        return (value,)

    def gather(self, *members: Any) -> Any:
        """The opposite of `spread`."""
        return members[0]


class DmaHandle(NamedTuple):
    """Memory that is shared with the DSP: a file descriptor, and a range in bytes."""

    fd: int
    offset: int
    length: int


MAX_LENGTH = 2**31 - 1
"""Elements of a sequence: its length is an `int` in C."""


class Scalar(Type):
    """A number: `code` is its format in `struct` and `memoryview`; `convert` makes the result."""

    def __init__(self, c_type: Any, code: str, convert: Callable[[Any], Any] = lambda x: x) -> None:
        self.c_type = c_type
        self.code = code
        self.size = ctypes.sizeof(c_type)
        self.convert = convert
        bits = self.size * 8
        self._range = (-(1 << bits - 1), (1 << bits - 1) - 1)
        if code.isupper():
            self._range = (0, (1 << bits) - 1)

    def to_c(self, value: Any, keep: Keep) -> Any:
        if self.code == "?":
            return bool(value)
        if self.code in "fd":
            return float(value)
        number = operator.index(value)
        low, high = self._range
        if not low <= number <= high:
            raise OverflowError(f"{number} is not in {low} … {high}")
        return number

    def from_c(self, value: Any) -> Any:
        return self.convert(value)


def enumeration(convert: Callable[[int], Any]) -> Scalar:
    """The scalar of an enum, whose values become `convert(number)`."""
    return Scalar(ctypes.c_uint32, "I", convert)


INT8 = Scalar(ctypes.c_int8, "b")
UINT8 = Scalar(ctypes.c_uint8, "B")
INT16 = Scalar(ctypes.c_int16, "h")
UINT16 = Scalar(ctypes.c_uint16, "H")
INT32 = Scalar(ctypes.c_int32, "i")
UINT32 = Scalar(ctypes.c_uint32, "I")
INT64 = Scalar(ctypes.c_int64, "q")
UINT64 = Scalar(ctypes.c_uint64, "Q")
FLOAT = Scalar(ctypes.c_float, "f")
DOUBLE = Scalar(ctypes.c_double, "d")
BOOLEAN = Scalar(ctypes.c_bool, "?")


def view_of(values: Any) -> memoryview | None:
    """The memory of an object with the buffer protocol; None for others."""
    try:
        return memoryview(values)
    except TypeError:
        return None


def check_view(view: memoryview, scalar: Scalar) -> int:
    """The number of elements in a buffer, whose elements are such numbers, or bytes.

    Raises `TypeError` for other elements and for memory with gaps, `ValueError` for a part of an
    element.
    """
    if not view.c_contiguous:
        raise TypeError("the buffer is not contiguous")
    kind = _kind(view.format, view.itemsize)
    if kind not in {(_sort(scalar.code), scalar.size), ("u", 1), ("i", 1)}:
        raise TypeError(
            f"the buffer has elements of the format {view.format!r}, not {scalar.code!r}"
        )
    if view.nbytes % scalar.size:
        raise ValueError(f"{view.nbytes} bytes are not a multiple of {scalar.size}")
    return checked_length(view.nbytes // scalar.size)


def checked_length(length: int) -> int:
    """`length`, which a sequence can have; raises `ValueError` for others."""
    if not 0 <= length <= MAX_LENGTH:
        raise ValueError(f"a sequence cannot have {length} elements")
    return length


def borrow(values: Any, scalar: Scalar, keep: Keep) -> tuple[Any, int]:
    """The address and the number of `values`, a buffer or an iterable of numbers.

    Writable buffers and `bytes` are used as they are, others are copied.
    """
    view = view_of(values)
    if view is None:
        view = memoryview(numbers(values, scalar))
    length = check_view(view, scalar)
    if length == 0:
        return NULL, 0
    if isinstance(values, bytes):
        pointer = ctypes.cast(ctypes.c_char_p(values), ctypes.POINTER(scalar.c_type))
        return keep(pointer), length
    block = scalar.c_type * length
    return keep(block.from_buffer_copy(view) if view.readonly else block.from_buffer(view)), length


def numbers(values: Iterable[Any], scalar: Scalar) -> Any:
    """An array of the numbers; raises `TypeError` and `OverflowError` for what is none."""
    if scalar.code == "?":
        return bytearray(map(bool, values))
    return array.array(scalar.code, values)


def room_for(space: Any, scalar: Scalar) -> memoryview:
    """Memory for results: `space` is a number of elements, or a writable buffer."""
    view = view_of(space)
    if view is None:
        length = checked_length(operator.index(space))
        view = memoryview(bytearray(length * scalar.size))
    elif view.readonly:
        raise TypeError("the buffer is read-only")
    if check_view(view, scalar) and (view.ndim != 1 or view.format != scalar.code):
        view = view.cast("B").cast(scalar.code)  # type: ignore[call-overload]
    return view


def _sort(code: str) -> str:
    if code in "?fd":
        return code.replace("d", "f")
    return "u" if code.isupper() else "i"


def _kind(code: str, size: int) -> tuple[str, int]:
    """The sort of number and its size for a format of the buffer protocol; ("", 0) if unknown."""
    order, plain = (code[0], code[1:]) if code[:1] in tuple("@=<>!") else ("@", code)
    foreign = order in ">!" if sys.byteorder == "little" else order == "<"
    if len(plain) != 1 or plain not in "?cbBhHiIlLqQnNfd" or (foreign and size > 1):
        return "", 0
    return ("u" if plain == "c" else _sort(plain)), size
