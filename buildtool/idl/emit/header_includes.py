"""The `#include` lines of a generated header: those of qaic's, and what they include in turn.

Source: qualcomm/QAIC, src/Language/SO/ToHeader.hs and Env.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.idl.errors import IdlError
from buildtool.idl.model import (
    Alias,
    Array,
    Constant,
    Declaration,
    Enum,
    Interface,
    Location,
    Primitive,
    Sequence,
    Struct,
    Type,
    Unit,
)

FOREIGN_HEADERS = ("AEEStdDef", "AEEStdErr", "remote")
"""Included IDL files whose headers are system headers, in angle brackets."""
SYSTEM = ("AEEStdDef.h", "AEEStdErr.h", "remote.h")
STANDARD = ("stdint.h", "stdio.h", "stdlib.h", "string.h")
MACROS = ("bool", "true", "false")
"""The macros that `<stdbool.h>` defines."""


def includes(unit: Unit) -> str:
    """The lines.

    `<stdbool.h>` is included when the file uses `boolean`, unless it declares one of that header's
    names itself, as in `enum state { off, on, bool }`.

    Raises IdlError if it must be included and cannot be.
    """
    standard = list(STANDARD)
    booleans = [each for each in _basic_types(unit) if each.kind is Primitive.BOOLEAN]
    taken = [(name, at) for name, at in _names(unit) if name in MACROS]
    if booleans and not taken:
        standard.insert(0, "stdbool.h")
    elif Primitive.BOOL in booleans:
        name, at = taken[0]
        raise IdlError(
            f"`{name}` cannot be a name here",
            code="idl-duplicate",
            location=at,
            why="`boolean` is C's `bool` with --standard-types, and <stdbool.h> defines"
            " `bool`, `true` and `false`",
            remedy="rename it, or compile without --standard-types",
        )
    own = [f'#include "{stem}.h"\n' for stem in unit.includes if stem not in FOREIGN_HEADERS]
    return (
        "".join(f"#include <{name}>\n" for name in standard)
        + "\n"
        + "".join(f"#include <{name}>\n" for name in SYSTEM)
        + "".join(own)
    )


def _basic_types(unit: Unit) -> Iterator[Primitive]:
    """The basic types that the declarations of the file name themselves."""
    for declaration in unit.declarations:
        for type_ in _types(declaration):
            inner = type_
            while isinstance(inner, Sequence | Array):
                inner = inner.element
            if isinstance(inner, Primitive):
                yield inner


def _types(declaration: Declaration) -> Iterator[Type]:
    match declaration:
        case Constant(type=type_) | Alias(target=type_):
            yield type_
        case Struct(members=members):
            yield from (member.type for member in members)
        case Interface(methods=methods):
            for method in methods:
                yield from (parameter.type for parameter in method.parameters)
                if method.result is not None:
                    yield method.result
        case Enum():
            pass


def _names(unit: Unit) -> Iterator[tuple[str, Location | None]]:
    """The names that the header declares."""
    for declaration in unit.declarations:
        yield declaration.c_name, declaration.location
        match declaration:
            case Enum(enumerators=enumerators):
                yield from ((name, declaration.location) for name in enumerators)
            case Struct(members=members):
                yield from ((member.name, member.location) for member in members)
            case Interface(methods=methods):
                for method in methods:
                    yield from ((each.name, each.location) for each in method.parameters)
