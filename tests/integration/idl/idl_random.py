"""Random IDL files with random values for every parameter, as hypothesis strategies.

The types are those of the IDL model; `idl_text` writes them as IDL text, so that a
case goes through the whole compiler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from hypothesis import strategies as st

from buildtool.idl.model import (
    Alias,
    Array,
    Direction,
    Enum,
    Member,
    Primitive,
    Sequence,
    String,
    Struct,
    Type,
)

#: The basic types that IDL has names for; the others are those of --standard-types.
PRIMITIVES = tuple(
    each
    for each in Primitive
    if each not in (Primitive.BOOL, Primitive.LONGLONG_T, Primitive.ULONGLONG_T)
)
#: Names that generated code might use itself, and reserved words of C.
NAMES = (
    "a", "b", "i", "j", "n", "w", "v", "h", "x", "err", "all", "call", "sc", "pra", "out_",
    "record", "records", "rooms", "result", "results", "data", "status", "memory", "handle",
    "size", "count", "text", "next", "register", "volatile", "int8_", "length",
)  # fmt: skip


@dataclass(frozen=True)
class Text:
    """A string: its units, and the extra capacity after them; `missing` means NULL."""

    units: tuple[int, ...]
    extra: int = 0
    missing: bool = False


@dataclass(frozen=True)
class Argument:
    """One parameter with its input and its result; values have the shape of the type."""

    name: str
    direction: Direction
    type: Type
    given: Any
    result: Any


@dataclass(frozen=True)
class Case:
    """One IDL file: its types, and the arguments of its methods by the methods' names."""

    types: tuple[Enum | Struct | Alias, ...]
    methods: tuple[tuple[str, tuple[Argument, ...]], ...]

    def within(self, buffers: int) -> Case:
        """The case without the methods that might need more buffers than a call may have."""
        return Case(self.types, tuple(m for m in self.methods if buffer_counts(m[1]) <= buffers))


def flat(type_: Type) -> bool:
    match type_:
        case Alias(target=target):
            return flat(target)
        case Array(element=element):
            return flat(element)
        case Struct(members=members):
            return all(flat(member.type) for member in members)
        case _:
            return not isinstance(type_, Sequence | String)


def plain(type_: Type) -> Type:
    return plain(type_.target) if isinstance(type_, Alias) else type_


@st.composite
def cases(draw: st.DrawFn, methods: int = 20) -> Case:
    """A whole file with so many methods."""
    types: list[Enum | Struct | Alias] = [Enum("colour", ("red", "green", "blue"))]
    for index in range(draw(st.integers(2, 6))):
        types.append(draw(declarations(f"t{index}", tuple(types))))
    named = tuple(types)
    return Case(
        named,
        tuple((f"m{index}", draw(arguments(named))) for index in range(methods)),
    )


@st.composite
def declarations(draw: st.DrawFn, name: str, known: tuple[Type, ...]) -> Struct | Alias:
    kind = draw(st.sampled_from(("struct", "struct", "struct", "sequence", "array", "alias")))
    if kind == "sequence":
        return Alias(name, Sequence(draw(elements(known))))
    if kind == "array":
        flats = [type_ for type_ in known if flat(type_) and not isinstance(plain(type_), Array)]
        element = draw(st.sampled_from((*PRIMITIVES, *flats)))
        return Alias(name, Array(element, draw(st.integers(1, 5))))
    if kind == "alias":
        return Alias(name, draw(st.sampled_from((*PRIMITIVES, *known))))
    types = st.one_of(
        elements(known),
        st.builds(Sequence, elements(known)),
        st.builds(Array, st.sampled_from(PRIMITIVES), st.integers(1, 3)),
    )
    members = draw(st.dictionaries(st.sampled_from(NAMES), types, min_size=1, max_size=4))
    return Struct(name, tuple(Member(*each) for each in members.items()))


def elements(known: tuple[Type, ...]) -> st.SearchStrategy[Type]:
    """The types that can be parameters, members of a struct, or elements of a sequence."""
    return st.one_of(
        st.sampled_from(PRIMITIVES),
        st.sampled_from(known),
        st.builds(String, st.booleans()),
    )


@st.composite
def arguments(draw: st.DrawFn, known: tuple[Type, ...]) -> tuple[Argument, ...]:
    made = []
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=True)):
        type_ = draw(st.one_of(elements(known), st.builds(Sequence, elements(known))))
        direction = draw(st.sampled_from(tuple(Direction)))
        if direction is Direction.INROUT and not one_level(type_):
            direction = Direction.ROUT
        given = result = None
        optional = not (isinstance(plain(type_), String) and direction is Direction.IN)
        if direction is not Direction.ROUT:
            given = draw(values(type_, optional=optional))
        if direction is not Direction.IN:
            like = given if direction is Direction.INROUT else None
            result = draw(values(type_, optional=optional, like=like))
        made.append(Argument(name, direction, type_, given, result))
    return tuple(made)


def one_level(type_: Type) -> bool:
    """Whether a parameter of the type may be inrout."""
    inner = plain(type_)
    if isinstance(inner, Sequence):
        return flat(inner.element)
    return isinstance(inner, String) or flat(type_)


@st.composite
def values(draw: st.DrawFn, type_: Type, *, optional: bool = True, like: Any = None) -> Any:
    """A value of the type; a sequence or text fits the capacity of `like` if that is not None."""
    match plain(type_):
        case Primitive() as primitive:
            return draw(numbers(primitive))
        case Enum(enumerators=enumerators):
            return draw(st.integers(0, len(enumerators) - 1))
        case String(wide=wide):
            if isinstance(like, Text):
                room = len(like.units) + like.extra
                units = draw(st.lists(st.integers(1, 255), max_size=room))
                return Text(tuple(units), room - len(units), like.missing)
            top = 0xFFFF if wide else 0xFF
            units = draw(st.lists(st.integers(1, top), max_size=4))
            missing = optional and draw(st.integers(0, 7)) == 0
            return Text(() if missing else tuple(units), draw(st.integers(0, 2)), missing)
        case Sequence(element=element):
            size = draw(st.integers(0, 3)) if like is None else len(like)
            return [draw(values(element)) for _ in range(size)]
        case Array(element=element, length=length):
            return [draw(values(element)) for _ in range(length)]
        case Struct(members=members):
            return [draw(values(member.type)) for member in members]
        case other:
            raise ValueError(other)


def numbers(primitive: Primitive) -> st.SearchStrategy[int | float | bool]:
    if primitive in (Primitive.FLOAT, Primitive.DOUBLE):
        width: Literal[32, 64] = 32 if primitive is Primitive.FLOAT else 64
        return st.floats(width=width, allow_nan=False, allow_infinity=False)
    if primitive is Primitive.BOOLEAN:
        return st.booleans()
    bits = primitive.size * 8
    if primitive is Primitive.CHAR:
        return st.integers(0, 127)
    if "u" in primitive.c_name or primitive is Primitive.WCHAR:
        return st.integers(0, 2**bits - 1)
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def buffer_counts(arguments_: tuple[Argument, ...]) -> int:
    """An upper bound of the number of buffers of a call with these values."""

    def count(value: Any) -> int:
        return 2 + sum(map(count, value)) if isinstance(value, list) else 2

    return sum(count(a.given) + count(a.result) for a in arguments_)


def idl_text(case: Case) -> str:
    """The case as an IDL file with the interface `loop`."""
    lines = ['#include "AEEStdDef.idl"', '#include "remote.idl"']
    for type_ in case.types:
        match type_:
            case Enum(c_name=name, enumerators=enumerators):
                lines.append(f"enum {name} {{ {', '.join(enumerators)} }};")
            case Struct(c_name=name, members=members):
                inner = " ".join(f"{declared(m.type, m.name)};" for m in members)
                lines.append(f"struct {name} {{ {inner} }};")
            case Alias(c_name=name, target=target):
                lines.append(f"typedef {declared(target, name)};")
    lines.append("interface loop : remote_handle64 {")
    for name, arguments_ in case.methods:
        inner = ", ".join(f"{a.direction.value} {idl_type(a.type)} {a.name}" for a in arguments_)
        lines.append(f"    AEEResult {name}({inner});")
    return "\n".join([*lines, "};", ""])


def declared(type_: Type, name: str) -> str:
    if isinstance(type_, Array):
        return f"{idl_type(type_.element)} {name}[{type_.length}]"
    return f"{idl_type(type_)} {name}"


def idl_type(type_: Type) -> str:
    match type_:
        case Primitive():
            return type_.idl_name
        case String(wide=wide):
            return "wstring" if wide else "string"
        case Sequence(element=element):
            return f"sequence<{idl_type(element)}>"
        case Alias(c_name=name) | Struct(c_name=name) | Enum(c_name=name):
            return name
        case other:
            raise ValueError(other)
