"""The IDL that this compiler accepts and qaic does not, for `--check-qaic`.

qaic's own preprocessor knows five directives, none of which gives a macro a value, and its grammar
is smaller.  Source: qualcomm/QAIC, src/Language/Preprocessor/Cpp.hs and src/Language/Idl/Parser.hs.
For some structs it stops with an internal error.  Source: runs of qaic 01.00.51.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from buildtool.idl.errors import IdlError
from buildtool.idl.model import Array, String, Struct, Type, Unit
from buildtool.idl.model import Sequence as SequenceType
from buildtool.idl.preprocess.preprocessor import BUILTIN_INCLUDES
from buildtool.idl.preprocess.tokens import Kind, Source, Token, read_source, tokenize
from buildtool.idl.types import is_flat, strip_typedefs

CODE = "idl-qaic"
MAX_WARNINGS = 50
_DIRECTIVES = ("include", "define", "ifdef", "ifndef", "endif")
_BEFORE_AN_OPERAND = ("=", "(", "[", "<", ",", *"+-*/%&|^~", "<<", ">>")
_BOM = b"\xef\xbb\xbf"


def qaic_warnings(unit: Unit) -> tuple[IdlError, ...]:
    """Errors about the parts of a compilation's files that qaic refuses or reads in another way.

    Parts that an `#if` excludes are included, because qaic does not know `#if`.
    """
    found: list[IdlError] = []
    for name in unit.dependencies:
        path = Path(name)
        if path.parent.resolve() != BUILTIN_INCLUDES.resolve():
            found += _of_file(path)
    found += _of_structs(unit)
    return tuple(found[:MAX_WARNINGS])


def _of_structs(unit: Unit) -> Iterator[IdlError]:
    """Members of structs that parameters use, with which qaic stops: `bad scalar native size`."""
    parameters = (
        parameter.type
        for interface in unit.interfaces
        for method in interface.methods
        for parameter in method.parameters
    )
    structs: dict[Struct, None] = {}
    for type_ in parameters:
        _add_structs(type_, structs)
    for struct in structs:
        before = ""
        for member in struct.members:
            if before and isinstance(strip_typedefs(member.type), String):
                yield IdlError(
                    f"qaic fails on the text `{member.name}` after `{before}`, a sequence of texts,"
                    " sequences or structs that contain some",
                    code=CODE,
                    location=member.location,
                    width=len(member.name),
                    remedy=f"declare `{member.name}` before `{before}`",
                )
                break
            if not before and _has_nested_sequence(member.type):
                before = member.name


def _add_structs(type_: Type, structs: dict[Struct, None]) -> None:
    resolved = strip_typedefs(type_)
    if isinstance(resolved, SequenceType | Array):
        _add_structs(resolved.element, structs)
    elif isinstance(resolved, Struct) and resolved not in structs:
        structs[resolved] = None
        for member in resolved.members:
            _add_structs(member.type, structs)


def _has_nested_sequence(type_: Type) -> bool:
    resolved = strip_typedefs(type_)
    if isinstance(resolved, SequenceType):
        return not is_flat(resolved.element)
    return isinstance(resolved, Struct) and any(
        _has_nested_sequence(member.type) for member in resolved.members
    )


def _of_file(path: Path) -> Iterator[IdlError]:
    source = read_source(path)
    with path.open("rb") as stream:
        if stream.read(len(_BOM)) == _BOM:
            yield _warning(
                source, 0, "qaic refuses a byte order mark", "save the file as UTF-8 without one"
            )
    for offset in source.splice_offsets:
        yield _warning(
            source,
            max(0, offset - 1),
            "qaic does not join lines that end with `\\`",
            "write one line",
        )
    tokens = list(tokenize(source))
    code, macros = [], {}
    for line in _lines(tokens):
        if line[0].text != "#":
            code += line
            continue
        yield from _of_directive(line)
        if len(line) > 3 and line[1].text == "define":
            macros[line[2].text] = line[2]
    used = {token.text for token in code if token.kind is Kind.NAME}
    for name, token in macros.items():
        if name in used:
            yield token.error(
                f"qaic does not replace `{name}`, and then does not know the name",
                code=CODE,
                remedy="write it as a `const`, or write the value itself",
            )
    yield from _of_code(code)


def _lines(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    line: list[Token] = []
    for token in tokens:
        if token.starts_line and line:
            yield line
            line = []
        line.append(token)
    if line:
        yield line


def _of_directive(line: list[Token]) -> Iterator[IdlError]:
    if len(line) > 1 and line[1].text not in _DIRECTIVES:
        yield line[1].error(
            f"qaic does not know `#{line[1].text}`",
            code=CODE,
            remedy="use #include, #define, #ifdef, #ifndef and #endif only",
        )
    if len(line) > 3 and line[1].text == "define" and line[3].text == "(":
        name = line[2]
        if line[3].offset == name.offset + len(name.text):
            yield name.error(
                f"qaic does not know macros with parameters, such as `{name.text}`",
                code=CODE,
                remedy="write what it stands for",
            )


def _of_code(tokens: Sequence[Token]) -> Iterator[IdlError]:
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if problem := _of_token(token, before, after):
            text, remedy = problem
            yield token.error(text, code=CODE, remedy=remedy)
        if token.text == "interface" and at + 2 < len(tokens) and tokens[at + 2].text == ";":
            yield token.error(
                "qaic refuses interfaces that are declared before they are defined",
                code=CODE,
                remedy="define the interface here, or remove the declaration",
            )
        if token.text == "attribute":
            yield from _of_attribute(tokens[at:])


def _of_token(token: Token, before: Token | None, after: Token | None) -> tuple[str, str] | None:
    """The problem and the remedy of one token."""
    text = token.text
    if text == "," and after is not None and after.text == "}":
        return "qaic refuses a comma after the last enumerator", "remove the comma"
    if text == "::":
        return "qaic does not find names with `::`", "declare the name outside of the module"
    if text == "+" and (before is None or before.text in _BEFORE_AN_OPERAND):
        return "qaic refuses a `+` before a number", "remove it"
    if token.kind is Kind.NUMBER and re.search(r"[uUlL]$", text):
        return (f"qaic refuses the suffix of `{text}`", "remove it: the constant has a type")
    if token.kind is Kind.NUMBER and re.search(r"^(?!0[xX]).*[fF]$|\.$|\.[eE]", text):
        return f"qaic refuses `{text}`", "write digits on both sides of the point, and no suffix"
    if token.kind is Kind.STRING:
        if before is not None and before.kind is Kind.STRING:
            return "qaic does not join texts", "write one text"
        if not text.isascii():
            return (
                "qaic writes other bytes for characters that are not ASCII",
                r"write the bytes as escapes, such as \xe9",
            )
    return None


def _of_attribute(tokens: Sequence[Token]) -> Iterator[IdlError]:
    for token in tokens:
        if token.text == ";":
            return
        if token.text == ",":
            yield token.error(
                "qaic refuses several names after `attribute`",
                code=CODE,
                remedy="write one attribute for each name",
            )
            return


def _warning(source: Source, offset: int, text: str, remedy: str) -> IdlError:
    return source.error(offset, text, code=CODE, remedy=remedy)
