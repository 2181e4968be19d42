"""The syntax tree of an IDL file, and the values of its literals: integers, strings, characters."""

from __future__ import annotations

from buildtool.core.value import Value
from buildtool.idl.model import Primitive
from buildtool.idl.preprocess.tokens import Token


class ScopedName(Value):
    """`A::B`, or `::A::B` (`absolute`)."""

    parts: tuple[Token, ...]
    absolute: bool
    token: Token

    @property
    def text(self) -> str:
        return ("::" if self.absolute else "") + "::".join(part.text for part in self.parts)


class Operator(Value):
    """An operator of an expression; `operands` is 1 or 2."""

    token: Token
    operands: int


class Literal(Value):
    """A literal; `form` is its terminal's name.  Adjacent strings form one literal."""

    form: str
    tokens: tuple[Token, ...]

    @property
    def token(self) -> Token:
        return self.tokens[0]


class Expression(Value):
    """A constant expression in postfix order, so that evaluation needs no recursion."""

    items: tuple[Literal | ScopedName | Operator, ...]
    token: Token


class BaseType(Value):
    primitive: Primitive
    token: Token


class SequenceType(Value):
    element: TypeSyntax
    bound: Expression | None
    token: Token


class StringType(Value):
    wide: bool
    bound: Expression | None
    token: Token


class DmaHandleType(Value):
    token: Token


TypeSyntax = BaseType | SequenceType | StringType | DmaHandleType | ScopedName


class Declarator(Value):
    """A name with its array dimensions."""

    name: Token
    dimensions: tuple[Expression, ...]


class MemberSyntax(Value):
    type: TypeSyntax
    declarators: tuple[Declarator, ...]
    doc: str


class StructSyntax(Value):
    name: Token
    members: tuple[MemberSyntax, ...]
    doc: str


class EnumSyntax(Value):
    name: Token
    enumerators: tuple[Token, ...]
    docs: tuple[str, ...]
    doc: str


class TypedefSyntax(Value):
    type: TypeSyntax | StructSyntax | EnumSyntax
    declarators: tuple[Declarator, ...]
    doc: str


class ConstSyntax(Value):
    type: TypeSyntax
    name: Token
    value: Expression
    doc: str


class ParameterSyntax(Value):
    direction: Token | None
    type: TypeSyntax
    declarator: Declarator


class MethodAttribute(Value):
    """`[name]` before a method."""

    name: Token


class OperationSyntax(Value):
    """A method; `result` is None for void."""

    name: Token
    result: TypeSyntax | None
    parameters: tuple[ParameterSyntax, ...]
    is_async: bool
    doc: str
    attribute: MethodAttribute | None = None


class AttributeSyntax(Value):
    names: tuple[Token, ...]
    type: TypeSyntax
    readonly: bool
    doc: str


class InterfaceSyntax(Value):
    """An interface; `body` is None for a forward declaration."""

    name: Token
    base: ScopedName | None
    body: tuple[DefinitionSyntax, ...] | None
    keyword: Token
    doc: str


class ModuleSyntax(Value):
    name: Token
    body: tuple[DefinitionSyntax, ...]
    keyword: Token


DefinitionSyntax = (
    ModuleSyntax
    | InterfaceSyntax
    | StructSyntax
    | EnumSyntax
    | TypedefSyntax
    | ConstSyntax
    | OperationSyntax
    | AttributeSyntax
)


MAX_DIGITS = 64

_ESCAPES = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_NOT_UTF8 = "\ufffd"  # what bytes of a file become that are not UTF-8
_HEX = "0123456789abcdefABCDEF"
_OCTAL = "01234567"


def integer_value(token: Token) -> tuple[int, bool]:
    """The number, and whether it is hexadecimal or octal.

    Raises IdlError: it has too many digits, or an 8 or 9 after a leading zero.
    """
    digits = token.text.rstrip("uUlL")
    if len(digits) > MAX_DIGITS:
        raise token.error("this number is too long", code="idl-range", remedy="shorten it")
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    try:
        return int(digits, 8 if octal else 0), octal or digits[:2] in ("0x", "0X")
    except ValueError:
        raise token.error(
            f"`{token.text}` is not an octal number",
            code="idl-number",
            remedy="remove the leading zero",
        ) from None


def characters(literal: Literal) -> str:
    """The characters of a string or character literal.

    In a narrow string, a character from U+0080 to U+00FF stands for that byte: of an escape, or of
    the UTF-8 of a character in the file.  A wide string has UTF-16 units.

    Raises IdlError: an unknown escape, a character out of range, or a NUL.
    """
    return "".join(_one(token, literal.form.startswith("W")) for token in literal.tokens)


def _one(token: Token, wide: bool) -> str:
    body = token.text[2:-1] if wide else token.text[1:-1]
    result: list[str] = []
    at = 0
    while at < len(body):
        char = body[at]
        at += 1
        if char == "\\":
            char, at = _escape(token, body, at, wide)
        elif not wide and ord(char) > 127 and char != _NOT_UTF8:
            char = char.encode("utf-8", "replace").decode("latin-1")
        elif not _writable(char, wide):
            raise token.error(
                f"the character {char!a} is not allowed in this string",
                code="idl-character",
                remedy=r"write it with escapes, such as \xe9",
            )
        if char == "\0":
            raise token.error(
                "a NUL would end the string", code="idl-character", remedy="remove it"
            )
        result.append(char)
    return "".join(result)


def _writable(char: str, wide: bool) -> bool:
    """Whether a character is a single byte, or one UTF-16 unit."""
    code = ord(char)
    return code <= 0xFFFC and not 0xD800 <= code < 0xE000 if wide else code <= 126


def _escape(token: Token, body: str, at: int, wide: bool) -> tuple[str, int]:
    """The character of the escape at `at` (after the backslash), and the escape's end."""
    char = body[at]
    if char in _ESCAPES:
        return _ESCAPES[char], at + 1
    if char in _OCTAL:
        digits, end = _digits(body, at, _OCTAL, 3)
        value = int(digits, 8)
    elif char == "x":
        digits, end = _digits(body, at + 1, _HEX, 8)
        value = int(digits or "-1", 16)
    elif char == "u" and wide:
        digits, end = _digits(body, at + 1, _HEX, 4)
        value = int(digits, 16) if len(digits) == 4 else -1
    else:
        value, end = -1, at
    if 0 <= value <= (0xFFFF if wide else 0xFF):
        return chr(value), end
    raise token.error(
        rf"`\{body[at : max(end, at + 1)]}` is not a valid escape here",
        code="idl-character",
        remedy=r"write \n, \t, \\, \", \xHH, or \uHHHH in a wide string",
    )


def _digits(body: str, at: int, alphabet: str, most: int) -> tuple[str, int]:
    end = at
    while end < len(body) and end - at < most and body[end] in alphabet:
        end += 1
    return body[at:end], end
