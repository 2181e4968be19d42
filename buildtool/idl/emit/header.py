"""The C header of one IDL file: constants, types, and the functions of its interfaces.

Its `#include` lines are those of qaic's headers, and what they include in turn.

Source: qualcomm/QAIC, src/Language/SO/ToHeader.hs and Env.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from buildtool.idl.emit.c_text import (
    c_type,
    function_name,
    function_parameters,
    literal,
    member_variables,
    public_signature,
    quoted,
    uses_dma,
    uses_strings,
)
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


def header(unit: Unit) -> str:
    """The text of `<stem>.h`."""
    guard = f"_{re.sub(r'[^A-Z0-9]', '_', unit.stem.upper())}_H"
    blocks = [
        f"/* {unit.stem}.h: generated from {unit.stem}.idl by buildtool idl; do not edit. */\n"
        f"#ifndef {guard}\n#define {guard}\n",
        includes(unit),
        *([_hooks()] if unit.interfaces else []),
        '#ifdef __cplusplus\nextern "C" {\n#endif\n',
        *_element_types(unit),
        *(_declaration(declaration, unit) for declaration in unit.declarations),
        "#ifdef __cplusplus\n}\n#endif\n",
        f"#endif /* {guard} */\n",
    ]
    return "\n".join(blocks)


def uri(unit: Unit, interface: Interface) -> str:
    """The URI that opens the interface, without `_dom`."""
    version = f"&_idlver={unit.idl_version}" if unit.idl_version else ""
    return (
        f"file:///lib{unit.stem}_skel.so?{interface.c_name}_skel_handle_invoke&_modver=1.0{version}"
    )


def _hooks() -> str:
    lines = ["/* Define these before including to rename or decorate the functions. */"]
    for side in ("REMOTE", "HEADER", "IMPL", "STUB", "SKEL"):
        visible = ' __attribute__((visibility("default")))' if side == "SKEL" else ""
        for name, value in (("(ff)", " ff"), ("_EXPORT", visible), ("_ATTRIBUTE", "")):
            if side == "REMOTE" and name != "(ff)":
                continue
            plain = f"__QAIC_{side}{name}".removesuffix("(ff)")
            lines.append(f"#ifndef {plain}\n#define __QAIC_{side}{name}{value}\n#endif")
    return "\n".join(lines) + "\n"


def _element_types(unit: Unit) -> list[str]:
    """The types of strings and shared buffers as elements."""
    types = [type_ for declaration in unit.declarations for type_ in _types_in(declaration)]
    blocks = []
    if uses_strings(types, wide=False):
        blocks.append(_element_type("cstring", "char* data;", "int dataLen;"))
    if uses_strings(types, wide=True):
        blocks.append(_element_type("wstring", "_wchar_t* data;", "int dataLen;"))
    if uses_dma(types):
        blocks.append(_element_type("dmahandle", "int fd;", "uint32_t offset;", "uint32_t len;"))
    return blocks


def _element_type(name: str, *members: str) -> str:
    """`_<name>1_t`, with the guards that other generated headers use."""
    kind = name.upper().removeprefix("C")
    lines = "".join(f"    {member}\n" for member in members)
    return (
        f"#if !defined(__QAIC_{kind}1_OBJECT_DEFINED__) && !defined(__{kind}1_OBJECT__)\n"
        f"#define __QAIC_{kind}1_OBJECT_DEFINED__\n"
        f"#define __{kind}1_OBJECT__\n"
        f"typedef struct _{name}1_s {{\n{lines}}} _{name}1_t;\n"
        f"#endif\n"
    )


def _types_in(declaration: Declaration) -> list[Type]:
    match declaration:
        case Struct() | Alias():
            return [declaration]
        case Interface(methods=methods):
            return [parameter.type for method in methods for parameter in method.parameters]
        case _:
            return []


def _declaration(declaration: Declaration, unit: Unit) -> str:
    doc = doc_comment(declaration.doc)
    match declaration:
        case Constant():
            return f"{doc}#define {declaration.c_name} {literal(declaration)}\n"
        case Enum(c_name=name, enumerators=enumerators, enumerator_docs=docs):
            labels = "".join(
                f"{doc_comment(text, '    ')}    {label},\n"
                for label, text in zip_longest(enumerators, docs, fillvalue="")
            )
            placeholder = f"    _32BIT_PLACEHOLDER_{name} = 0x7fffffff\n"
            return f"{doc}enum {name} {{\n{labels}{placeholder}}};\ntypedef enum {name} {name};\n"
        case Struct(c_name=name, members=members):
            lines = "".join(
                f"{doc_comment(member.doc, '    ')}    {variable};\n"
                if at == 0
                else f"    {variable};\n"
                for member in members
                for at, variable in enumerate(member_variables(member))
            )
            return f"{doc}typedef struct {name} {name};\nstruct {name} {{\n{lines}}};\n"
        case Alias():
            return doc + _typedef(declaration)
        case Interface():
            return doc + _interface(declaration, unit)


def _typedef(alias: Alias) -> str:
    match alias.target:
        case Sequence(element=element):
            tag = f"_{alias.c_name}__seq_{_sequence_tag(element)}"
            return (
                f"typedef struct {tag} {tag};\n"
                f"typedef {tag} {alias.c_name};\n"
                f"struct {tag} {{\n"
                f"    {c_type(element)}* data;\n"
                f"    int dataLen;\n"
                f"}};\n"
            )
        case Array(element=element, length=length):
            return f"typedef {c_type(element)} {alias.c_name}[{length}];\n"
        case target:
            return f"typedef {c_type(target)} {alias.c_name};\n"


def _sequence_tag(element: Type) -> str:
    """The element's part in the struct tag of a sequence: `unsignedLong` for `unsigned long`."""
    if not isinstance(element, Primitive):
        return c_type(element)
    if element is Primitive.WCHAR:
        return "wideChar"
    if "int" in element.idl_name:
        return element.idl_name
    first, *rest = element.idl_name.split()
    return first + "".join(word.capitalize() for word in rest)


def _interface(interface: Interface, unit: Unit) -> str:
    lines = []
    for index, method in enumerate(interface.methods):
        variables = function_parameters(interface, method, index)
        name = function_name(interface, method)
        lines.append(
            doc_comment(method.doc) + public_signature("HEADER", method, name, variables, ";\n")
        )
    if interface.multi_domain:
        name = f"{interface.c_name}_URI"
        lines.append(f"#ifndef {name}\n#define {name} {quoted(uri(unit, interface))}\n#endif\n")
    return "\n".join(lines)


def doc_comment(doc: str, indent: str = "") -> str:
    """A Doxygen comment with the text of `doc`; "" if it is empty."""
    if not doc.strip():
        return ""
    lines = doc.strip("\n").split("\n")
    if len(lines) == 1:
        return f"{indent}/** {lines[0].strip()} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


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
