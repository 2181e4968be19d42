"""Conditional parts of a file, from `#if` to `#endif`.

An `#if` expression has the 64-bit arithmetic of C's preprocessor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from buildtool.core.value import Value
from buildtool.idl.errors import IdlError
from buildtool.idl.preprocess.macros import Expander
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


class _Value(Value):
    number: int
    unsigned: bool = False


def evaluate(directive: Token, tokens: list[Token]) -> bool:
    """Whether the condition is true; macros and `defined` are already replaced.

    Raises IdlError: the expression is invalid, or an evaluated part divides by zero.
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


MAX_CONDITION_DEPTH = 100


@dataclass(slots=True)
class Condition:
    """An open `#if`: whether its current branch is active, one was active, and `#else` was seen."""

    opened_by: Token
    live: bool
    taken: bool
    outer_live: bool
    in_else: bool = False


def counts(conditions: list[Condition]) -> bool:
    return not conditions or conditions[-1].live


def need_name(word: Token, rest: list[Token]) -> Token:
    if not rest or rest[0].kind is not Kind.NAME:
        raise word.error(
            f"`#{word.text}` needs a name", code="idl-preprocessor", remedy="name a macro"
        )
    return rest[0]


def conditional(
    expander: Expander, word: Token, rest: list[Token], conditions: list[Condition]
) -> None:
    if word.text in ("if", "ifdef", "ifndef"):
        if len(conditions) >= MAX_CONDITION_DEPTH:
            raise word.error(
                "conditions are nested too deeply",
                code="idl-limit",
                remedy="add the missing `#endif`s",
            )
        outer = counts(conditions)
        holds = outer and _holds(expander, word, rest)
        conditions.append(Condition(word, holds, holds, outer))
        return
    if not conditions:
        raise word.error(
            f"`#{word.text}` without `#if`", code="idl-preprocessor", remedy="remove it"
        )
    top = conditions[-1]
    if word.text == "endif":
        conditions.pop()
        return
    if top.in_else:
        raise word.error(
            f"`#{word.text}` after `#else`", code="idl-preprocessor", remedy="put it before"
        )
    if word.text == "else":
        top.in_else = True
        top.live = top.outer_live and not top.taken
    else:
        top.live = top.outer_live and not top.taken and _holds(expander, word, rest)
    top.taken = top.taken or top.live


def _holds(expander: Expander, word: Token, rest: list[Token]) -> bool:
    macros = expander.macros
    if word.text == "ifdef":
        return need_name(word, rest).text in macros
    if word.text == "ifndef":
        return need_name(word, rest).text not in macros

    def operand_of_defined(done: list[Token], _: Token) -> bool:
        before = [token.text for token in done[-2:]]
        return before[-1:] == ["defined"] or before == ["defined", "("]

    return evaluate(
        word, _replace_defined(expander, expander.expand(rest, keep=operand_of_defined))
    )


def _replace_defined(expander: Expander, tokens: list[Token]) -> list[Token]:
    """`defined X` and `defined(X)` become 1 or 0."""
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token.text != "defined":
            result.append(token)
            continue
        texts = [each.text for each in tokens[index : index + 3]]
        parenthesised = len(texts) == 3 and texts[0] == "(" and texts[2] == ")"
        operand = tokens[index + parenthesised] if index + parenthesised < len(tokens) else token
        if operand.kind is not Kind.NAME or operand is token:
            raise token.error(
                "`defined` needs a name", code="idl-preprocessor", remedy="write defined(NAME)"
            )
        index += 3 if parenthesised else 1
        value = "1" if operand.text in expander.macros else "0"
        result.append(Token(Kind.NUMBER, value, token.source, token.offset))
    return result
