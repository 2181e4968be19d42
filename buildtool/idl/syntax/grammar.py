"""The LALR parser, made by lark from fastrpc.lark."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lark import Lark, UnexpectedToken
from lark import Token as LarkToken
from lark.lexer import Lexer

from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.syntax.build_syntax import BuildSyntax
from buildtool.idl.syntax.nodes import DefinitionSyntax
from buildtool.idl.syntax.terminals import terminals


class NotInGrammarError(Exception):
    """A token where none of its kind can stand; None for the end of the file."""

    def __init__(self, token: Token | None, expected: frozenset[str]) -> None:
        super().__init__(token, expected)
        self.token = token
        self.expected = expected


class _Terminals(Lexer):
    """Hands the grammar our own tokens: each travels as the value of lark's."""

    __future_interface__ = 2  # that is: `lex` gets both states

    def __init__(self, _: object) -> None:
        """lark passes the grammar's terminals, which terminals.py knows already."""

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[LarkToken]:
        del parser_state
        for kind, token in terminals(lexer_state.text):
            terminal = LarkToken(kind, token.text)
            terminal.value = token
            yield terminal


def parse_tokens(tokens: Sequence[Token]) -> tuple[DefinitionSyntax, ...]:
    """The definitions that the tokens spell.

    Raises:
        NotInGrammarError: they do not; with the terminals that could have stood there.
        IdlError: a token is not in the language at all.
    """
    parser: Any = _parser()
    try:
        result: tuple[DefinitionSyntax, ...] = parser.parse(tokens)
    except UnexpectedToken as unexpected:
        token: Any = unexpected.token
        accepted = frozenset(unexpected.accepts or unexpected.expected)
        raise NotInGrammarError(token.value if token.type != "$END" else None, accepted) from None
    return result


@functools.cache
def _parser() -> Lark:
    grammar = (Path(__file__).parent / "fastrpc.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer=_Terminals, transformer=BuildSyntax())
