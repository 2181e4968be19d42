"""C source text: layout with lines of up to 100 columns, literals, declarations, and records.

The mapping of IDL types to C is that of qaic.  Source: qualcomm/QAIC, src/Language/SO/ToHeader.hs.
The records of a call are C structs whose layout is that of the wire.
"""

from __future__ import annotations

import textwrap
from collections import abc
from collections.abc import Iterable, Iterator, Mapping

from buildtool.core.value import Value
from buildtool.idl.method_layout import RecordField, RecordKind, Role, WireMethod, WireRecord
from buildtool.idl.model import (
    Alias,
    Array,
    Constant,
    Direction,
    DmaHandle,
    Enum,
    Handle,
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
from buildtool.idl.types import (
    composite,
    element_of,
    flat_size,
    is_dma_sequence,
    is_flat,
    strip_typedefs,
)

WIDTH = 100
INDENT = "    "
SUFFIXES = {
    **dict.fromkeys((Primitive.LONGLONG, Primitive.INT64), "ll"),
    **dict.fromkeys((Primitive.ULONGLONG, Primitive.UINT64), "ull"),
    **dict.fromkeys((Primitive.ULONG, Primitive.UINT32), "u"),
}


def fill(head: str, items: abc.Sequence[str], tail: str, *, width: int = WIDTH) -> str:
    """`head(item, item…)tail`, broken after commas where a line would become too long."""
    lines, line = [], f"{head}("
    for at, item in enumerate(items):
        last = at == len(items) - 1
        piece = item + (f"){tail}" if last else ",")
        if at > 0 and len(line) + 1 + len(piece) > width:
            lines.append(line)
            line = INDENT + piece
        else:
            line += (" " if at > 0 else "") + piece
    if not items:
        line += f"){tail}"
    return "\n".join([*lines, line])


def block(lines: Iterable[str]) -> str:
    """Lines (or groups of them) one level deeper; empty lines stay empty."""
    text = "\n".join(lines)
    return textwrap.indent(text, INDENT, lambda line: bool(line.strip()))


def if_any(conditions: abc.Sequence[str], body: Iterable[str]) -> list[str]:
    """`if (a || b) { body }`, with one condition on each line; [] without conditions."""
    if not conditions:
        return []
    joined = f" ||\n{INDENT}".join(conditions)
    return [f"if ({joined}) {{", block(body), "}"]


def function(signature: str, body: Iterable[str]) -> str:
    """A whole function definition."""
    return f"{signature}\n{{\n{block(body)}\n}}\n"


def literal(constant: Constant) -> str:
    """The value as a C expression of the constant's type, valid inside any expression."""
    type_, value = strip_typedefs(constant.type), constant.value
    if isinstance(value, str):
        wide = type_ is Primitive.WCHAR or (isinstance(type_, String) and type_.wide)
        return ("L" if wide else "") + quoted(value, '"' if isinstance(type_, String) else "'")
    if type_ is Primitive.BOOLEAN:
        return "TRUE" if value else "FALSE"
    if type_ in (Primitive.FLOAT, Primitive.DOUBLE):
        return _signed(f"{float(value)!r}{'f' if type_ is Primitive.FLOAT else ''}")
    suffix = SUFFIXES.get(type_, "") if isinstance(type_, Primitive) else ""
    # The most negative value has no literal: in -N, N is out of range.
    if value in (-(2**31), -(2**63)):
        return f"({int(value) + 1}{suffix} - 1)"
    return _signed(f"{int(value)}{suffix}")


def quoted(text: str, quote: str = '"') -> str:
    """`text` as a C string or character literal without its prefix.

    Characters are bytes, or UTF-16 units of a wide string.  `??` is split, because it could start
    a trigraph.
    """
    parts = [quote]
    for char in text:
        code = ord(char)
        if char in ("\\", quote):
            parts.append("\\" + char)
        elif " " <= char <= "~":
            parts.append(char)
        elif code < 0o1000:
            parts.append(f"\\{code:03o}")
        elif code < 0x10000 and not 0xD800 <= code < 0xE000:
            parts.append(f"\\u{code:04x}")
        else:
            parts.append(f"\\x{code:x}" + ('" L"' if quote == '"' else ""))
    return "".join([*parts, quote]).replace("??", "?\\?")


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


class CVariable(Value):
    """One C parameter or struct member; `suffix` follows the name, such as `[4]`."""

    type: str
    name: str
    suffix: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.name}{self.suffix}"


def c_type(type_: Type) -> str:
    """The C name of a type that has one.  Raises ValueError for a bare sequence or array."""
    match type_:
        case Primitive():
            return type_.c_name
        case Alias(c_name=c_name) | Enum(c_name=c_name) | Struct(c_name=c_name):
            return c_name
        case String(wide=wide):
            return "_wstring1_t" if wide else "_cstring1_t"
        case DmaHandle():
            return "_dmahandle1_t"
        case Handle():
            return "remote_handle64"
        case _:
            raise ValueError(f"no C name: {type_!r}")


def result_type(method: Method) -> str:
    """The return type: a typedef keeps its name, `void` becomes `int`."""
    return "int" if method.result is None else c_type(method.result)


def converts_result(method: Method) -> bool:
    """Whether the error code, a C `int`, has another type as the result of the method."""
    return method.result is not None and strip_typedefs(method.result) not in (
        Primitive.LONG,
        Primitive.INT32,
    )


def parameter_variables(parameter: Parameter) -> tuple[CVariable, ...]:
    """The C parameters that one IDL parameter becomes."""
    name, type_ = parameter.name, parameter.type
    const = "const " if parameter.direction is Direction.IN else ""
    match strip_typedefs(type_):
        case DmaHandle():
            return (
                CVariable("int", name),
                CVariable("uint32_t", f"{name}Offset"),
                CVariable("uint32_t", f"{name}Len"),
            )
        case String() as string if const:
            return (CVariable(f"const {c_type(element_of(string))}*", name),)
        case Sequence() | String() as many:
            element = c_type(element_of(many))
            return CVariable(f"{const}{element}*", name), CVariable("int", f"{name}Len")
        case Array(element=element, length=length) if not isinstance(type_, Alias):
            return (CVariable(f"{const}{c_type(element)}", name, f"[{length}]"),)
        case Array():
            return (CVariable(f"{const}{c_type(type_)}", name),)
        case Struct() if const:
            return (CVariable(f"const {c_type(type_)}*", name),)
        case _:
            return (CVariable(c_type(type_) + ("" if const else "*"), name),)


def member_variables(member: Member) -> tuple[CVariable, ...]:
    """The C members that one struct member becomes; a typedef'd sequence also becomes two."""
    match strip_typedefs(member.type):
        case Sequence() | String() as many:
            return (
                CVariable(f"{c_type(element_of(many))}*", member.name),
                CVariable("int", f"{member.name}Len"),
            )
        case Array(element=element, length=length) if not isinstance(member.type, Alias):
            return (CVariable(c_type(element), member.name, f"[{length}]"),)
        case _:
            return (CVariable(c_type(member.type), member.name),)


def function_name(interface: Interface, method: Method) -> str:
    """`t_m` for method m of interface t."""
    return f"{interface.c_name}_{method.name}"


def function_parameters(interface: Interface, method: Method, index: int) -> tuple[CVariable, ...]:
    """All C parameters of a method's function, the handle first."""
    first: list[CVariable] = []
    if takes_handle(interface, index):
        first.append(CVariable("remote_handle64", "_h"))
    if method.is_async:
        first.append(CVariable("fastrpc_async_descriptor_t*", "asyncDesc"))
    return (*first, *(v for p in method.parameters for v in parameter_variables(p)))


def takes_handle(interface: Interface, index: int) -> bool:
    """Whether the method at `index` has the handle `_h` first: not in open and close."""
    return interface.multi_domain and index > 1


def public_signature(
    side: str, method: Method, name: str, variables: tuple[CVariable, ...], end: str = ""
) -> str:
    """The signature of a public function, with the hooks of its side (HEADER or STUB)."""
    return fill(
        f"__QAIC_{side}_EXPORT {result_type(method)} __QAIC_{side}({name})",
        [str(variable) for variable in variables] or ["void"],
        f" __QAIC_{side}_ATTRIBUTE{end}",
    )


def uses_dma(types: Iterable[Type]) -> bool:
    """Whether any of the types is `dmahandle` or a sequence of it."""
    return any(isinstance(strip_typedefs(t), DmaHandle) or is_dma_sequence(t) for t in types)


def uses_strings(types: list[Type], *, wide: bool) -> bool:
    """Whether any of the types is or contains a (wide) string."""
    return any(_contains_string(type_, wide) for type_ in types)


def _contains_string(type_: Type, wide: bool) -> bool:
    match strip_typedefs(type_):
        case String(wide=is_wide):
            return is_wide == wide
        case Sequence(element=element) | Array(element=element):
            return _contains_string(element, wide)
        case Struct(members=members) if not is_flat(type_):
            return any(_contains_string(member.type, wide) for member in members)
        case _:
            return False


SUFFIX = {RecordKind.IN: "in", RecordKind.CAPACITY: "room", RecordKind.RESULT: "out"}


def record_name(owner: str, kind: RecordKind) -> str:
    """`struct S__in`, `struct S__room` or `struct S__out`."""
    return f"struct {owner}__{SUFFIX[kind]}"


def record_struct(owner: str, kind: RecordKind, record: WireRecord, *, received: bool) -> str:
    """C source of the record.

    `received` is true if its bytes come from the other side: then a boolean is read as an octet,
    because a C `bool` must be 0 or 1.
    """
    name = record_name(owner, kind)
    lines = "".join(
        f"    {_variable(field, received)};".ljust(40) + f" /* at {field.offset} */\n"
        for field in record.fields
    )
    return (
        f"{name} {{\n{lines}}};\n"
        f'_Static_assert(sizeof({name}) == {record.padded}, "wire layout");\n'
    )


def _variable(field: RecordField, received: bool) -> CVariable:
    type_ = field.type
    if type_ is None:
        return CVariable("uint32_t", field.name)
    if field.kind is not None:
        return CVariable(record_name(composite(type_).c_type, field.kind), field.name)
    if received and strip_typedefs(type_) is Primitive.BOOLEAN:
        return CVariable("uint8_t", field.name)
    if isinstance(type_, Array):
        return CVariable(c_type(type_.element), field.name, f"[{type_.length}]")
    return CVariable(c_type(type_), field.name)


def method_records(interface: Interface, wire: WireMethod, *, received: bool) -> str:
    """primIn and primROut of a method; `received` is true if this side receives primIn."""
    name = function_name(interface, interface.methods[wire.index])
    parts = []
    if wire.prim_in.fields:
        parts.append(record_struct(name, RecordKind.IN, wire.prim_in, received=received))
    if wire.prim_rout.fields:
        parts.append(record_struct(name, RecordKind.RESULT, wire.prim_rout, received=not received))
    return "\n".join(parts)


def size_checks(parameters: Iterable[Parameter]) -> str:
    """Assertions that structs and arrays in sequences have the same size in C and on the wire."""
    types = {c_type(t): flat_size(t)[0] for p in parameters for t in _elements(p.type)}
    return "".join(
        f'_Static_assert(sizeof({name}) == {size}, "wire layout");\n'
        for name, size in types.items()
    )


def _elements(type_: Type) -> Iterator[Type]:
    resolved = strip_typedefs(type_)
    if isinstance(resolved, Sequence):
        element = resolved.element
        if is_flat(element) and isinstance(strip_typedefs(element), Struct | Array):
            yield element
        yield from _elements(element)
    elif isinstance(resolved, Struct):
        for member in resolved.members:
            yield from _elements(member.type)


FieldNames = Mapping[tuple[str, bool], str]
"""A record's field names by parameter and by whether the field is a capacity."""


def field_names(record: WireRecord) -> FieldNames:
    """The field names of a method's record."""
    return {(f.source, f.role is Role.CAPACITY): f.name for f in record.fields}


def copied(target: str, source: str, type_: Type, *, received: bool = False) -> str:
    """The statement that copies a flat value; `received` as in `record_struct`."""
    if isinstance(strip_typedefs(type_), Array):
        return f"memcpy({target}, {source}, {flat_size(type_)[0]});"
    if received and strip_typedefs(type_) is Primitive.BOOLEAN:
        return f"{target} = {source} != 0;"
    return f"{target} = {source};"
