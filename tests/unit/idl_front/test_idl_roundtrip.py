"""Random models that are written as IDL and read again stay the same."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from buildtool.idl.model import (
    Alias,
    Array,
    Constant,
    Declaration,
    Direction,
    DmaHandle,
    Enum,
    Interface,
    Member,
    Method,
    Parameter,
    Primitive,
    Sequence,
    String,
    Struct,
    Type,
)
from buildtool.idl.parse import load
from buildtool.idl.types import is_flat, strip_typedefs

EXAMPLES = 2000 if os.environ.get("BUILDTOOL_LONG") else 100

STANDARD = {Primitive.BOOL, Primitive.LONGLONG_T, Primitive.ULONGLONG_T}  # of another mode
PRIMITIVES = st.sampled_from([each for each in Primitive if each not in STANDARD])
BOUNDS = st.none() | st.integers(1, 1000)
STRINGS = st.builds(String, st.booleans(), BOUNDS)
INTEGERS = [
    *(Primitive.OCTET, Primitive.SHORT, Primitive.USHORT, Primitive.LONG, Primitive.ULONG),
    *(Primitive.LONGLONG, Primitive.ULONGLONG, Primitive.INT8, Primitive.UINT8, Primitive.INT16),
    *(Primitive.UINT16, Primitive.INT32, Primitive.UINT32, Primitive.INT64, Primitive.UINT64),
]
SIGNED = {"SHORT", "LONG", "LONGLONG", "INT8", "INT16", "INT32", "INT64"}


class Writer:
    """Draws declarations, each of which may use the earlier ones."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.types: list[Type] = []
        self.count = 0

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def element(self) -> Type:
        named = [each for each in self.types if not isinstance(strip_typedefs(each), DmaHandle)]
        choices: list[st.SearchStrategy[Type]] = [
            PRIMITIVES,
            STRINGS,
            *([st.sampled_from(named)] * 2 if named else []),
        ]
        return self.draw(st.one_of(choices))

    def kind(self) -> Type:
        if self.draw(st.integers(0, 3)) == 0:
            return Sequence(self.element(), self.draw(BOUNDS))
        return self.element()

    def declared(self) -> Type:
        """A type with a declarator, which may make it an array."""
        kind = self.kind()
        flat = is_flat(kind) and not isinstance(strip_typedefs(kind), Array)
        if flat and self.draw(st.integers(0, 3)) == 0:
            return Array(kind, self.draw(st.integers(1, 100)))
        return kind

    def constant(self) -> Constant:
        draw, name = self.draw, self.name("C")
        match draw(st.integers(0, 3)):
            case 0:
                kind = draw(st.sampled_from(INTEGERS))
                bits, signed = 8 * kind.size, kind.name in SIGNED
                low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, 2**bits - 1)
                return Constant(name, kind, draw(st.integers(low, high)))
            case 1:
                floats = st.floats(allow_nan=False, allow_infinity=False)
                return Constant(name, Primitive.DOUBLE, draw(floats))
            case 2:
                return Constant(name, Primitive.BOOLEAN, draw(st.booleans()))
            case _:
                letters = st.characters(min_codepoint=1, max_codepoint=255)
                return Constant(name, String(), draw(st.text(letters, max_size=20)))

    def declaration(self) -> Declaration:
        made: Declaration
        match self.draw(st.integers(0, 3)):
            case 0:
                names = [self.name("e") for _ in range(self.draw(st.integers(1, 4)))]
                made = Enum(self.name("E"), tuple(names))
            case 1:
                count = self.draw(st.integers(1, 4))
                members = [Member(self.name("m"), self.declared()) for _ in range(count)]
                made = Struct(self.name("S"), tuple(members))
            case 2:
                made = Alias(self.name("T"), self.declared())
            case _:
                return self.constant()
        self.types.append(made)
        return made

    def parameter(self) -> Parameter:
        kind = self.kind()
        if self.draw(st.integers(0, 9)) == 0:
            shared: list[Type] = [DmaHandle(), Sequence(DmaHandle())]
            kind = self.draw(st.sampled_from(shared))
        plain = strip_typedefs(kind)
        once = is_flat(plain.element) if isinstance(plain, Sequence) else is_flat(plain)
        directions = (
            list(Direction)
            if once or isinstance(plain, String)
            else [
                Direction.IN,
                Direction.ROUT,
            ]
        )
        return Parameter(self.name("p"), self.draw(st.sampled_from(directions)), kind)

    def interface(self) -> Interface:
        name = self.name("I")
        methods = []
        for _ in range(self.draw(st.integers(0, 4))):
            parameters = [self.parameter() for _ in range(self.draw(st.integers(0, 4)))]
            result = self.draw(st.sampled_from([None, Primitive.LONG, Primitive.INT32]))
            methods.append(Method(self.name("f"), tuple(parameters), result))
        return Interface(name, name, tuple(methods), multi_domain=False)


@st.composite
def units(draw: st.DrawFn) -> list[Declaration]:
    writer = Writer(draw)
    return [*(writer.declaration() for _ in range(draw(st.integers(0, 8)))), writer.interface()]


def type_text(kind: Type) -> str:
    match kind:
        case Primitive():
            return kind.idl_name
        case String():
            return ("wstring" if kind.wide else "string") + bound_text("<", kind.bound, ">")
        case Sequence():
            return f"sequence<{type_text(kind.element)}{bound_text(', ', kind.bound, '')}>"
        case DmaHandle():
            return "dmahandle"
        case Enum() | Struct() | Alias():
            return kind.c_name
    raise AssertionError(kind)


def bound_text(before: str, bound: int | None, after: str) -> str:
    return f"{before}{bound}{after}" if bound is not None else ""


def declarator_text(kind: Type, name: str) -> str:
    if isinstance(kind, Array):
        return f"{type_text(kind.element)} {name}[{kind.length}]"
    return f"{type_text(kind)} {name}"


def value_text(value: float | str | bool) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return '"' + "".join(f"\\{ord(char):03o}" for char in value) + '"'
    return repr(value)


def text_of(declaration: Declaration) -> str:
    match declaration:
        case Constant():
            value = value_text(declaration.value)
            return f"const {type_text(declaration.type)} {declaration.c_name} = {value};"
        case Enum():
            return f"enum {declaration.c_name} {{ {', '.join(declaration.enumerators)} }};"
        case Alias():
            return f"typedef {declarator_text(declaration.target, declaration.c_name)};"
        case Struct():
            lines = [f"{declarator_text(each.type, each.name)};" for each in declaration.members]
            return f"struct {declaration.c_name} {{ {' '.join(lines)} }};"
        case Interface():
            lines = [method_text(method) for method in declaration.methods]
            return f"interface {declaration.name} {{ {' '.join(lines)} }};"


def method_text(method: Method) -> str:
    result = "void" if method.result is None else type_text(method.result)
    parameters = ", ".join(
        f"{each.direction.value} {type_text(each.type)} {each.name}" for each in method.parameters
    )
    return f"{result} {method.name}({parameters});"


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(units())
def test_what_is_written_is_read_back(declarations: list[Declaration]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "main.idl")
        path.write_text("\n".join(map(text_of, declarations)), encoding="utf-8")
        assert load(path).declarations == tuple(declarations)
