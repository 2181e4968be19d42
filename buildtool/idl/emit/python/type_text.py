"""Python text of names and types: annotations, defaults, and how values are passed to C.

Public names have no leading underscore, so generated code uses such names for itself.
"""

from __future__ import annotations

import builtins
import enum
import keyword
import re
from collections import Counter
from collections.abc import Iterable

from buildtool.idl.model import (
    Array,
    Constant,
    Direction,
    DmaHandle,
    Enum,
    Interface,
    Parameter,
    Primitive,
    Sequence,
    String,
    Struct,
    Type,
)
from buildtool.idl.types import is_dma_sequence, is_nested, strip_typedefs

KEYWORDS = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)
# Annotations use the names of builtins and of these imports.
MODULE_NAMES = KEYWORDS | frozenset(dir(builtins)) | {"Buffer", "NamedTuple", "Sequence"}
MEMBERS = KEYWORDS | frozenset(dir(builtins))
ENUMERATORS = KEYWORDS | frozenset(dir(enum.IntEnum)) | {"mro", "name", "value"}
RESULTS = MEMBERS | frozenset(dir(tuple))
METHODS = MEMBERS | {"close", "URI"}
PARAMETERS = KEYWORDS | {"self"}
_C_PREFIX = "_cxx_"  # of names that are reserved in C


def module_name(stem: str) -> str:
    """The name of the module of `<stem>.idl`."""
    return python_name(re.sub(r"\W", "_", stem), KEYWORDS)


def python_name(name: str, taken: Iterable[str]) -> str:
    """`name` as a public Python name that is none of `taken`."""
    plain = name.removeprefix(_C_PREFIX).lstrip("_")
    if not plain.isidentifier():
        plain = f"x{plain}"
    while plain in taken:
        plain += "_"
    return plain


def python_names(names: Iterable[str], reserved: Iterable[str]) -> list[str]:
    """Different Python names for all `names`."""
    taken, made = set(reserved), []
    for name in names:
        made.append(python_name(name, taken))
        taken.add(made[-1])
    return made


def camel(name: str) -> str:
    """`htp_ops` as `HtpOps`."""
    return "".join(part[0].upper() + part[1:] for part in name.split("_") if part)


class ModuleNames:
    """The names at the top of a module: constants keep theirs, types are in CapWords.

    Types whose names would become the same keep those of the IDL.
    """

    def __init__(self, declarations: list[Constant | Enum | Struct | Interface]) -> None:
        self._taken = set(MODULE_NAMES)
        constants = [each for each in declarations if isinstance(each, Constant)]
        types = [each for each in declarations if not isinstance(each, Constant)]
        count = Counter(camel(each.c_name) for each in types)
        self._constants = {each.c_name: self.new(each.c_name) for each in constants}
        self._types = {}
        for each in types:
            name = camel(each.c_name)
            self._types[each.c_name] = self.new(name if count[name] == 1 else each.c_name)

    def new(self, wish: str) -> str:
        """A name that no declaration has: `wish` if possible."""
        name = python_name(wish, self._taken)
        self._taken.add(name)
        return name

    def constant(self, constant: Constant) -> str:
        return self._constants[constant.c_name]

    def type(self, type_: Enum | Struct | Interface) -> str:
        return self._types[type_.c_name]


SCALARS = {
    Primitive.OCTET: "UINT8",
    Primitive.CHAR: "UINT8",
    Primitive.BOOLEAN: "BOOLEAN",
    Primitive.WCHAR: "UINT16",
    Primitive.SHORT: "INT16",
    Primitive.USHORT: "UINT16",
    Primitive.LONG: "INT32",
    Primitive.ULONG: "UINT32",
    Primitive.LONGLONG: "INT64",
    Primitive.ULONGLONG: "UINT64",
}
_PYTHON = {Primitive.BOOLEAN: "bool", Primitive.FLOAT: "float", Primitive.DOUBLE: "float"}
_DEFAULTS = {"bool": "False", "float": "0.0", "int": "0"}


class TypeText:
    """The texts for the types of a module with these names."""

    def __init__(self, names: ModuleNames) -> None:
        self._names = names

    def value(self, type_: Type) -> str:
        """The annotation of a value, also as a member or an element."""
        match strip_typedefs(type_):
            case Primitive() as primitive:
                return _PYTHON.get(primitive, "int")
            case Enum() | Struct() as named:
                return self._names.type(named)
            case String():
                return "str"
            case Sequence(element=element) | Array(element=element):
                return f"Sequence[{self.value(element)}]"
            case DmaHandle():
                return "_rpc.DmaHandle"
            case other:
                raise ValueError(f"not a type of values: {other!r}")

    def argument(self, parameter: Parameter) -> str:
        """The annotation of the argument for a parameter; "" if it has none."""
        type_ = strip_typedefs(parameter.type)
        if isinstance(type_, DmaHandle):
            return self.value(type_)
        if parameter.direction is Direction.ROUT and not is_nested(type_):
            if has_numbers(type_) and isinstance(type_, Sequence):
                return "int | Buffer"
            return "int" if isinstance(type_, Sequence | String) else ""
        if has_numbers(type_) and parameter.direction is not Direction.ROUT:
            return f"Buffer | {self._numbers(type_)}"
        return self.value(type_)

    def result(self, type_: Type, *, inside: bool = False) -> str:
        """The annotation of a result."""
        resolved = strip_typedefs(type_)
        if not isinstance(resolved, Sequence | Array):
            return self.value(type_)
        if isinstance(resolved, Sequence) and has_numbers(resolved) and not inside:
            element = strip_typedefs(resolved.element)
            return f"memoryview[{'int' if isinstance(element, Enum) else self.value(element)}]"
        return f"list[{self.result(resolved.element, inside=True)}]"

    def default(self, type_: Type) -> str:
        """An expression for a value that is zero or empty."""
        match strip_typedefs(type_):
            case Primitive() as primitive:
                return _DEFAULTS[self.value(primitive)]
            case Enum() as enum:
                return f"{self._names.type(enum)}(0)"
            case String():
                return '""'
            case Sequence():
                return "[]"
            case Array(element=element, length=length):
                return f"[{self.default(element)} for _ in range({length})]"
            case _:
                return f"{self.value(type_)}()"

    def member_default(self, type_: Type) -> str:
        """The default of a dataclass's member: mutable values are made anew each time."""
        match strip_typedefs(type_):
            case Sequence():
                return "_field(default_factory=list)"
            case Struct() as struct:
                return f"_field(default_factory={self._names.type(struct)})"
            case Array() | Enum():
                return f"_field(default_factory=lambda: {self.default(type_)})"
            case _:
                return self.default(type_)

    def passed(self, type_: Type) -> str:
        """The expression of the object that passes values of the type to C."""
        match strip_typedefs(type_):
            case Primitive() as primitive:
                return f"_rpc.{SCALARS.get(primitive, primitive.name)}"
            case Enum() | Struct() as named:
                return passing(self._names.type(named))
            case String(wide=wide):
                return f"_rpc.Text({'wide=True' if wide else ''})"
            case Sequence(element=element):
                return f"_rpc.Sequence({self.passed(element)})"
            case Array(element=element, length=length):
                return f"_rpc.Array({self.passed(element)}, {length})"
            case DmaHandle():
                return "_rpc.DMA"
            case other:
                raise ValueError(f"not passed as a value: {other!r}")

    def parameter(self, parameter: Parameter, name: str) -> str:
        """The expression of the object that passes a parameter, `name` in Python, to C."""
        type_ = strip_typedefs(parameter.type)
        if isinstance(type_, DmaHandle):
            return f'_rpc.Dma("{name}")'
        passed = self.passed(type_)
        match parameter.direction:
            case _ if parameter.direction is Direction.IN or is_dma_sequence(type_):
                return f'_rpc.In("{name}", {passed})'
            case Direction.ROUT:
                nested = ", nested=True" if is_nested(type_) else ""
                return f'_rpc.Rout("{name}", {passed}{nested})'
            case _:
                kind = "InRoutText" if isinstance(type_, String) else "InRout"
                return f'_rpc.{kind}("{name}", {passed})'

    def _numbers(self, type_: Type) -> str:
        resolved = strip_typedefs(type_)
        assert isinstance(resolved, Sequence | Array)
        element = strip_typedefs(resolved.element)
        return f"Sequence[{'int' if isinstance(element, Enum) else self.value(element)}]"


def has_numbers(type_: Type) -> bool:
    """Whether it is a sequence or array of numbers, which can share memory with a buffer."""
    resolved = strip_typedefs(type_)
    if not isinstance(resolved, Sequence | Array):
        return False
    return isinstance(strip_typedefs(resolved.element), Primitive | Enum)


def passing(name: str) -> str:
    """The variable with the object that passes the named type to C."""
    return f"_t_{name}"
