"""The value of an `#if` expression, with the 64-bit arithmetic of C's preprocessor."""

from __future__ import annotations

import re
from dataclasses import dataclass

from buildtool.idl.errors import IdlError
from buildtool.idl.preprocess.tokens import Kind, Token

MAX_DEPTH = 24

_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_INTEGER = re.compile(r"(0[xX][0-9A-Fa-f]{1,64}|[0-9]{1,64})([uUlL]{0,3})")
_WORD = 1 << 64


@dataclass(frozen=True, slots=True)
class _Value:
    number: int
    unsigned: bool = False


def evaluate(directive: Token, tokens: list[Token]) -> bool:
    """Whether the condition is true; macros and `defined` are already replaced.

    Raises:
        IdlError: the expression is invalid, or an evaluated part divides by zero.
    """
    if not tokens:
        raise directive.error(
            f"`#{directive.text}` without a condition",
            code="idl-preprocessor",
            remedy="write an expression after it",
        )
    parser = _Parser(tokens)
    value = parser.ternary(live=True, depth=0)
    if parser.next is not None:
        raise parser.unexpected()
    return value.number != 0


class _Parser:
    """Precedence climbing; `live` is false in parts that C does not evaluate."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def next(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def unexpected(self) -> IdlError:
        if self.next is None:
            return self._tokens[-1].error(
                "the condition is incomplete", code="idl-preprocessor", remedy="complete it"
            )
        return self.next.error(
            f"unexpected `{self.next.text}` in a condition",
            code="idl-preprocessor",
            remedy="conditions take integers, names, `defined` and C's operators",
        )

    def _accept(self, *texts: str) -> Token | None:
        token = self.next
        if token is None or token.text not in texts:
            return None
        self._at += 1
        return token

    def ternary(self, live: bool, depth: int) -> _Value:
        if depth > MAX_DEPTH:
            raise self._tokens[0].error(
                "this condition is nested too deeply", code="idl-limit", remedy="split it"
            )
        condition = self._binary(0, live, depth)
        if not self._accept("?"):
            return condition
        taken = condition.number != 0
        yes = self.ternary(live and taken, depth + 1)
        if not self._accept(":"):
            raise self.unexpected()
        no = self.ternary(live and not taken, depth + 1)
        chosen = yes if taken else no
        return _wrapped(chosen.number, yes.unsigned or no.unsigned)

    def _binary(self, level: int, live: bool, depth: int) -> _Value:
        if level == len(_LEVELS):
            return self._unary(live, depth)
        left = self._binary(level + 1, live, depth)
        while operator := self._accept(*_LEVELS[level]):
            if operator.text in ("||", "&&"):
                decided = (left.number != 0) == (operator.text == "||")
                right = self._binary(level + 1, live and not decided, depth)
                result = left.number != 0 if decided else right.number != 0
                left = _Value(int(result))
            else:
                right = self._binary(level + 1, live, depth)
                left = _apply(operator, left, right, live)
        return left

    def _unary(self, live: bool, depth: int) -> _Value:
        signs: list[str] = []
        while operator := self._accept("!", "~", "-", "+"):
            signs.append(operator.text)
        value = self._primary(live, depth)
        for sign in reversed(signs):
            if sign == "!":
                value = _Value(int(value.number == 0))
            elif sign == "~":
                value = _wrapped(~value.number, value.unsigned)
            elif sign == "-":
                value = _wrapped(-value.number, value.unsigned)
        return value

    def _primary(self, live: bool, depth: int) -> _Value:
        token = self.next
        if token is None:
            raise self.unexpected()
        if self._accept("("):
            value = self.ternary(live, depth + 1)
            if not self._accept(")"):
                raise self.unexpected()
            return value
        if token.kind is Kind.NAME:
            self._at += 1
            return _Value(0)
        if token.kind is Kind.NUMBER and (match := _INTEGER.fullmatch(token.text)):
            self._at += 1
            return _integer(token, match.group(1), match.group(2))
        raise self.unexpected()


def _integer(token: Token, digits: str, suffix: str) -> _Value:
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    try:
        number = int(digits, 8 if octal else 0)
    except ValueError:
        raise token.error(
            f"`{token.text}` is not an octal number",
            code="idl-preprocessor",
            remedy="remove the leading zero",
        ) from None
    if number >= _WORD:
        raise token.error(
            f"`{token.text}` does not fit in 64 bits",
            code="idl-range",
            remedy="use a smaller number",
        )
    return _Value(number, "u" in suffix.lower() or number >= _WORD // 2)


def _wrapped(number: int, unsigned: bool) -> _Value:
    number %= _WORD
    return _Value(number if unsigned or number < _WORD // 2 else number - _WORD, unsigned)


def _apply(operator: Token, left: _Value, right: _Value, live: bool) -> _Value:
    unsigned = left.unsigned or right.unsigned
    sign = operator.text
    if sign in ("<<", ">>"):
        count = right.number % 64
        shifted = left.number << count if sign == "<<" else left.number >> count
        return _wrapped(shifted, left.unsigned)
    a, b = _wrapped(left.number, unsigned).number, _wrapped(right.number, unsigned).number
    if sign in ("/", "%"):
        if b == 0:
            if not live:
                return _Value(0, unsigned)
            raise operator.error(
                "division by zero", code="idl-preprocessor", remedy="check the divisor"
            )
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _wrapped(quotient if sign == "/" else a - quotient * b, unsigned)
    comparisons = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}
    if sign in comparisons:
        return _Value(int(comparisons[sign]))
    sums = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
    return _wrapped(sums[sign], unsigned)
