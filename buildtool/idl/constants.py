"""The values of constant expressions.

Arithmetic is that of qaic, in 64 bits and checked: an overflow is an error and never wraps, and a
quotient is rounded down (-7 / 2 is -4; source: qualcomm/QAIC, src/Language/Idl/ToPalette.hs).  The
result must fit the constant's type; a hexadecimal or octal number may fill a signed type
bit by bit (0xffffffff is -1 as a long).  `~` complements within an unsigned type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from buildtool.idl.errors import IdlError
from buildtool.idl.model import Enum, Primitive, String, Type
from buildtool.idl.nodes import (
    Expression,
    Literal,
    Operator,
    ScopedName,
    characters,
    integer_value,
)
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.scope import ConstantSymbol, ConstantValue, Scope, TypeSymbol
from buildtool.idl.types import strip_typedefs

_SIGNED = frozenset(
    (
        *(Primitive.SHORT, Primitive.LONG, Primitive.LONGLONG),
        *(Primitive.INT8, Primitive.INT16, Primitive.INT32, Primitive.INT64),
    )
)
_REAL = (Primitive.FLOAT, Primitive.DOUBLE)
_NOT_INTEGERS = (*_REAL, Primitive.BOOLEAN, Primitive.CHAR, Primitive.WCHAR)
_FLOAT_MAX = (2 - 2**-23) * 2.0**127
_WORD = 1 << 64

_Number = TypeVar("_Number", int, float)


def evaluate(expression: Expression, kind: Type, scope: Scope) -> ConstantValue:
    """The value of `expression` as a constant of type `kind`.

    An int for integers and enums, a float, a bool, and a str for strings and characters.

    Raises IdlError: an unknown name, operands of the wrong type, or a value out of range.
    """
    kind = strip_typedefs(kind)
    if isinstance(kind, Primitive) and kind not in _NOT_INTEGERS:
        return _integer(expression, kind, scope)
    if kind in _REAL:
        return _real(expression, kind is Primitive.FLOAT, scope)
    if isinstance(kind, Primitive | String | Enum):
        return _single(expression, kind, scope)
    raise expression.token.error(
        "a constant cannot have this type",
        code="idl-type",
        remedy="constants are numbers, booleans, characters, strings and enum members",
    )


def length(expression: Expression, scope: Scope, *, least: int) -> int:
    """The value of an array's length or a bound: `least` to 2147483647."""
    value = _integer(expression, Primitive.LONG, scope)
    if value < least:
        raise expression.token.error(
            f"{value} is not a valid length here",
            code="idl-range",
            remedy=f"use a number of at least {least}",
        )
    return value


def look_up(name: ScopedName, scope: Scope) -> ConstantSymbol:
    """The constant or enum member with this name.

    Raises IdlError: there is none.
    """
    symbol = scope.find(name)
    if isinstance(symbol, ConstantSymbol):
        return symbol
    if symbol is None:
        suggestion = scope.suggestion(name.parts[-1].text, ConstantSymbol)
        raise name.parts[-1].error(
            f"unknown constant `{name.text}`",
            code="idl-unknown-name",
            suggestion=suggestion,
            remedy="" if suggestion else "declare it first, or include the file that declares it",
        )
    what = "a type" if isinstance(symbol, TypeSymbol) else "not a constant"
    raise name.token.error(
        f"`{name.text}` is {what}", code="idl-type", remedy="use a constant or an enum member"
    )


def _postfix(
    expression: Expression,
    operand: Callable[[Literal | ScopedName], _Number],
    apply: Callable[[Token, list[_Number]], _Number],
) -> _Number:
    stack: list[_Number] = []
    for item in expression.items:
        if isinstance(item, Operator):
            arguments = stack[-item.operands :]
            del stack[-item.operands :]
            stack.append(apply(item.token, arguments))
        else:
            stack.append(operand(item))
    return stack[0]


def _integer(expression: Expression, kind: Primitive, scope: Scope) -> int:
    bits = 8 * kind.size
    signed = kind in _SIGNED
    bitwise = False

    def operand(item: Literal | ScopedName) -> int:
        nonlocal bitwise
        if isinstance(item, Literal) and item.form == "INTEGER":
            value, from_bits = integer_value(item.token)
            bitwise = bitwise or from_bits
            return value
        if isinstance(item, ScopedName):
            found = look_up(item, scope).value
            if isinstance(found, int) and not isinstance(found, bool):
                return found
        raise _mismatch(item, kind.idl_name)

    def apply(operator: Token, values: list[int]) -> int:
        if operator.text == "~" and not signed:
            value = ~values[0] % (1 << bits)
        else:
            value = _operate(operator, values)
        if not -_WORD // 2 <= value < _WORD:
            raise operator.error(
                f"the result of `{operator.text}` does not fit in 64 bits",
                code="idl-range",
                remedy="use smaller numbers",
            )
        return value

    value = _postfix(expression, operand, apply)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if signed and bitwise and high < value < 1 << bits:
        value -= 1 << bits
    if not low <= value <= high:
        raise expression.token.error(
            f"{value} is out of range for `{kind.idl_name}`",
            code="idl-range",
            remedy=f"it holds {low} to {high}",
        )
    return value


def _operate(operator: Token, values: list[int]) -> int:
    sign, first = operator.text, values[0]
    if len(values) == 1:
        return {"+": first, "-": -first, "~": ~first}[sign]
    second = values[1]
    if sign in ("<<", ">>"):
        if not 0 <= second < 64:
            raise operator.error(
                f"cannot shift by {second}", code="idl-range", remedy="shift by 0 to 63"
            )
        return first << second if sign == "<<" else first >> second
    if sign in ("/", "%"):
        if second == 0:
            raise operator.error("division by zero", code="idl-range", remedy="check the divisor")
        return first // second if sign == "/" else first % second
    sums = {"+": first + second, "-": first - second, "*": first * second}
    return (sums | {"&": first & second, "|": first | second, "^": first ^ second})[sign]


def _real(expression: Expression, single: bool, scope: Scope) -> float:
    name = "float" if single else "double"

    def operand(item: Literal | ScopedName) -> float:
        value: ConstantValue = ""
        if isinstance(item, ScopedName):
            value = look_up(item, scope).value
        elif item.form == "FLOAT":
            value = float(item.token.text.rstrip("fF"))
        elif item.form == "INTEGER":
            value = integer_value(item.token)[0]
        if isinstance(value, str | bool):
            raise _mismatch(item, name)
        return _finite(item.token, float(value))

    def apply(operator: Token, values: list[float]) -> float:
        sign = operator.text
        if sign not in "+-*/":
            raise operator.error(
                f"`{sign}` does not work on {name} numbers", code="idl-type", remedy="use + - * /"
            )
        if len(values) == 1:
            return values[0] if sign == "+" else -values[0]
        first, second = values
        if sign == "/":
            if second == 0:
                raise operator.error(
                    "division by zero", code="idl-range", remedy="check the divisor"
                )
            return _finite(operator, first / second)
        results = {"+": first + second, "-": first - second, "*": first * second}
        return _finite(operator, results[sign])

    value = _postfix(expression, operand, apply)
    if single and abs(value) > _FLOAT_MAX:
        raise expression.token.error(
            f"{value} is out of range for `float`", code="idl-range", remedy="use a double"
        )
    return value


def _finite(token: Token, value: float) -> float:
    if not math.isfinite(value):
        raise token.error(
            "this is out of range for `double`", code="idl-range", remedy="use a smaller number"
        )
    return value


def _single(expression: Expression, kind: Type, scope: Scope) -> ConstantValue:
    """The value of a boolean, character, string or enum: one literal or name without operators."""
    item = expression.items[0]
    if len(expression.items) > 1 or isinstance(item, Operator):
        operator = next(each for each in expression.items if isinstance(each, Operator))
        raise operator.token.error(
            f"`{operator.token.text}` works on numbers only",
            code="idl-type",
            remedy="write the value itself",
        )
    if isinstance(item, ScopedName):
        found = look_up(item, scope)
        other = strip_typedefs(found.type)
        alike = isinstance(kind, String) and isinstance(other, String) and kind.wide == other.wide
        if other == kind or alike:
            return _bounded(item.token, found.value, kind)
        raise _mismatch(item, _name_of(kind))
    if kind is Primitive.BOOLEAN and item.form in ("TRUE", "FALSE"):
        return item.form == "TRUE"
    if (kind, item.form) in ((Primitive.CHAR, "CHAR_TEXT"), (Primitive.WCHAR, "WCHAR_TEXT")):
        value = characters(item)
        if len(value) == 1:
            return value
        raise item.token.error(
            "a character constant is one character", code="idl-type", remedy="use a string"
        )
    if isinstance(kind, String) and item.form == ("WSTRING_TEXT" if kind.wide else "STRING"):
        return _bounded(item.token, characters(item), kind)
    raise _mismatch(item, _name_of(kind))


def _bounded(token: Token, value: ConstantValue, kind: Type) -> ConstantValue:
    bound = kind.bound if isinstance(kind, String) else None
    if bound and isinstance(value, str) and len(value) > bound:
        raise token.error(
            f"{len(value)} characters do not fit in string<{bound}>",
            code="idl-range",
            remedy="shorten the string or raise the bound",
        )
    return value


def _name_of(kind: Type) -> str:
    if isinstance(kind, Primitive):
        return kind.idl_name
    if isinstance(kind, String):
        return "wstring" if kind.wide else "string"
    return kind.c_name if isinstance(kind, Enum) else "this type"


def _mismatch(item: Literal | ScopedName, wanted: str) -> IdlError:
    text = item.text if isinstance(item, ScopedName) else item.token.text
    return item.token.error(
        f"`{text}` is not a value of type `{wanted}`",
        code="idl-type",
        remedy="change the type or the value",
    )
