"""The model of an IDL file, after preprocessing and name resolution.

The model is plain data: every name is resolved, every constant is a number or a string, and it is
independent of C syntax and of the wire format.  `Unit` is one IDL file with its includes.

Every name is valid in C: reserved words of C have a prefix.  `doc` has no comment markers and
nothing that would end a comment; lines are separated by line feeds.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A location: the file as the user named it, line and column from 1."""

    file: str
    line: int
    column: int


class Direction(enum.Enum):
    """The direction of a parameter."""

    IN = "in"
    ROUT = "rout"
    INROUT = "inrout"


class Primitive(enum.Enum):
    """A basic type.  The value is (IDL name, C name, size in bytes); alignment is the size.

    Types that differ in their C name only have the same `kind`.  Which of them a word of IDL means
    depends on the C names that are asked for, see `keywords.SIZED` and `keywords.STANDARD`.
    """

    OCTET = ("octet", "unsigned char", 1)
    CHAR = ("char", "char", 1)
    BOOLEAN = ("boolean", "boolean", 1)
    BOOL = ("boolean", "bool", 1)
    WCHAR = ("wchar", "_wchar_t", 2)
    SHORT = ("short", "short", 2)
    USHORT = ("unsigned short", "unsigned short", 2)
    LONG = ("long", "int", 4)
    ULONG = ("unsigned long", "unsigned int", 4)
    LONGLONG = ("long long", "int64", 8)
    LONGLONG_T = ("long long", "int64_t", 8)
    ULONGLONG = ("unsigned long long", "uint64", 8)
    ULONGLONG_T = ("unsigned long long", "uint64_t", 8)
    FLOAT = ("float", "float", 4)
    DOUBLE = ("double", "double", 8)
    INT8 = ("int8", "int8", 1)
    UINT8 = ("uint8", "uint8", 1)
    INT16 = ("int16", "int16", 2)
    UINT16 = ("uint16", "uint16", 2)
    INT32 = ("int32", "int32", 4)
    UINT32 = ("uint32", "uint32", 4)
    INT64 = ("int64", "int64", 8)
    UINT64 = ("uint64", "uint64", 8)
    INT8_T = ("int8_t", "int8_t", 1)
    UINT8_T = ("uint8_t", "uint8_t", 1)
    INT16_T = ("int16_t", "int16_t", 2)
    UINT16_T = ("uint16_t", "uint16_t", 2)
    INT32_T = ("int32_t", "int32_t", 4)
    UINT32_T = ("uint32_t", "uint32_t", 4)
    INT64_T = ("int64_t", "int64_t", 8)
    UINT64_T = ("uint64_t", "uint64_t", 8)

    @property
    def kind(self) -> Primitive:
        """The type without regard to its C name: INT8 for INT8_T, BOOLEAN for BOOL."""
        if self is Primitive.BOOL:
            return Primitive.BOOLEAN
        return Primitive[self.name.removesuffix("_T")]

    @property
    def idl_name(self) -> str:
        return self.value[0]

    @property
    def c_name(self) -> str:
        return self.value[1]

    @property
    def size(self) -> int:
        return self.value[2]


@dataclass(frozen=True, slots=True)
class String:
    """`string`/`wstring`, optionally bounded; lengths on the wire include the terminator."""

    wide: bool = False
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Sequence:
    """`sequence<element>` or `sequence<element, bound>`."""

    element: Type
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """A fixed array of one dimension."""

    element: Type
    length: int


ROOT_INTERFACE = "remote_handle64"
"""The interface from which those with an open and a close descend."""


@dataclass(frozen=True, slots=True)
class DmaHandle:
    """`dmahandle`: (int fd, uint32 offset, uint32 length) in C, a handle on the wire."""


@dataclass(frozen=True, slots=True)
class Handle:
    """A `remote_handle64` as a parameter: only `rout` in an open, `in` in a close."""


@dataclass(frozen=True, slots=True)
class Enum:
    """An enum: four bytes on the wire."""

    c_name: str  # the scoped name joined by `_`
    enumerators: tuple[str, ...]  # from 0; C's names: unscoped, as qaic writes them
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False)
    enumerator_docs: tuple[str, ...] = field(default=(), compare=False)  # one for each, or none


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a struct."""

    name: str
    type: Type
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct; flat if it contains no sequence, string or handle at any depth."""

    c_name: str
    members: tuple[Member, ...]
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Alias:
    """A typedef of `target` with the name `c_name`.  A typedef of an alias keeps the chain."""

    c_name: str
    target: Type
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False)


Type = Primitive | String | Sequence | Array | DmaHandle | Handle | Enum | Struct | Alias


@dataclass(frozen=True, slots=True)
class Constant:
    """`const T name = value`; becomes a `#define`.  `value` is evaluated (C semantics).

    An int for integers and enums (the member's number), float for float and double, bool
    for boolean, str for strings and, of one character, for char and wchar.  In narrow
    strings U+0080 to U+00FF are bytes; wide strings have UTF-16 units.  No string has a NUL.
    """

    c_name: str
    type: Type
    value: int | float | str | bool
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    direction: Direction
    type: Type
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Method:
    """One operation.  `result` is None for `void` (C `int`); an Alias keeps its name in C."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Type | None = None
    is_async: bool = False
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface with all its methods, the parents' first, in wire order."""

    name: str
    c_name: str
    methods: tuple[Method, ...]  # with open and close, the first two, if it is `multi_domain`
    multi_domain: bool  # descends from `remote_handle64`
    base: str | None = None
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False)


Declaration = Constant | Enum | Struct | Alias | Interface


@dataclass(frozen=True, slots=True)
class Unit:
    """One IDL file."""

    stem: str
    # In source order, those in an interface before it; none of includes
    declarations: tuple[Declaration, ...]
    includes: tuple[str, ...]  # stems of all included files with declarations at file scope
    dependencies: tuple[str, ...]  # all files read, itself first
    digest: str  # sha256 (hex) of the preprocessed tokens, without comments and layout
    idl_version: str | None = None

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        return tuple(d for d in self.declarations if isinstance(d, Interface))
