"""Conditional parts of a file, from `#if` to `#endif`."""

from __future__ import annotations

from dataclasses import dataclass

from buildtool.idl.preprocess.if_expression import evaluate
from buildtool.idl.preprocess.macros import Expander
from buildtool.idl.preprocess.tokens import Kind, Token

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
