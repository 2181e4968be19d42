"""Expressions and declarations as lists of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.lint.c_code.functions import Function, is_name

_CASTS = ("static_cast", "reinterpret_cast", "const_cast")
_NOT_TYPES = frozenset(("return", "static", "case", "goto", "delete", "new", "throw"))
MAX_TYPE = 12
"""Tokens of a type in a declaration that are read."""
NOTHING = frozenset(("0", "NULL", "nullptr", "FALSE", "false"))
TRUE = frozenset(("1", "TRUE", "true"))


def bare(expression: Sequence[str]) -> Sequence[str]:
    """An expression without casts and parentheses around it."""
    while len(expression) > 2:
        if expression[0] in _CASTS and "(" in expression:
            expression = expression[expression.index("(") :]
        if expression[0] != "(":
            break
        end = _closing(expression)
        if end == len(expression) - 1:
            expression = expression[1:-1]
        elif end < 0 or not _can_be_type(expression[1:end]):
            break
        else:
            expression = expression[end + 1 :]
    return expression


def _closing(expression: Sequence[str]) -> int:
    depth = 0
    for index, text in enumerate(expression):
        depth += (text == "(") - (text == ")")
        if depth == 0:
            return index
    return -1


def _can_be_type(texts: Sequence[str]) -> bool:
    return bool(texts) and all(is_name(text) or text in ("*", "::", "&") for text in texts)


def number(expression: Sequence[str]) -> int | None:
    """The value of an integer literal; None for anything else."""
    if len(expression) != 1:
        return None
    try:
        return int(expression[0].rstrip("uUlL").replace("'", ""), 0)
    except ValueError:
        return None


def literal(expression: Sequence[str]) -> str | None:
    """The text of a string literal, or of several side by side; None for anything else."""
    if not expression or not all(text.startswith('"') for text in expression):
        return None
    return "".join(text.strip('"') for text in expression)


def parameters_by_value(function: Function) -> set[str]:
    """The names of the parameters that are no references."""
    texts = function.text(function.parameters)
    return {
        text
        for index, text in enumerate(texts)
        if index > 0
        and is_name(text)
        and texts[index + 1 : index + 2] in ([], [","], ["["])
        and texts[index - 1] != "&"
    }


def local_pointers(function: Function) -> set[str]:
    """The variables that a function declares as pointers, without those that are static."""
    texts, found = function.text(function.body), set[str]()
    start = 0
    for index, text in enumerate(texts[:-1]):
        if text in (";", "{", "}", "("):
            start = index + 1
        elif (
            is_name(text)
            and 0 < index - start <= MAX_TYPE
            and texts[index - 1] in ("*", "const")
            and texts[index + 1] in ("=", ";", ",", "{")
        ):
            type_ = texts[start:index]
            if (
                "*" in type_
                and is_name(type_[0])
                and _NOT_TYPES.isdisjoint(type_)
                and all(is_name(each) or each in ("*", "::", "<", ">") for each in type_)
            ):
                found.add(text)
    return found


def assigned(function: Function, call_at: int) -> list[str]:
    """What the result of a call is assigned to, without its type: `x`, `p -> x`; else nothing."""
    texts = function.code.texts
    start = function.statement_start(call_at)
    statement = texts[start:call_at]
    if "=" not in statement:
        return []
    target = statement[: statement.index("=")]
    first = len(target)
    while first > 0 and (is_name(target[first - 1]) or target[first - 1] in (".", "->")):
        if first < len(target) and is_name(target[first - 1]) and is_name(target[first]):
            break
        first -= 1
    return target[first:]
