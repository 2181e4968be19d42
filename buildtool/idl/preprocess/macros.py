"""Definition and expansion of macros, with a limit on the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from buildtool.idl.preprocess.tokens import Kind, Token

MAX_EXPANDED_TOKENS = 200_000
MAX_MACRO_NESTING = 64


@dataclass(frozen=True, slots=True)
class Macro:
    """`#define name body`; `parameters` is None for an object-like macro."""

    name: Token
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


def define(tokens: list[Token]) -> Macro:
    """A macro from the tokens after `#define`.

    Raises IdlError: no name, a bad parameter list, or `#`/`##`, which are not supported.
    """
    name, rest = tokens[0], tokens[1:]
    if name.kind is not Kind.NAME or name.text == "defined":
        raise name.error(
            f"`{name.text}` is not a valid name for a macro",
            code="idl-preprocessor",
            remedy="choose another name",
        )
    parameters = None
    if rest and rest[0].text == "(" and rest[0].offset == name.offset + len(name.text):
        parameters, rest = _parameters(rest)
    for token in rest:
        if token.text in ("#", "##"):
            raise token.error(
                f"`{token.text}` in a macro is not supported",
                code="idl-preprocessor",
                remedy="write the expanded tokens",
            )
    return Macro(name, parameters, tuple(rest))


def _parameters(tokens: list[Token]) -> tuple[tuple[str, ...], list[Token]]:
    names: list[str] = []
    expect_name = True
    for index, token in enumerate(tokens[1:], start=1):
        if token.text == ")" and (not expect_name or not names):
            return tuple(names), tokens[index + 1 :]
        if expect_name and token.kind is Kind.NAME and token.text not in names:
            names.append(token.text)
        elif expect_name or token.text != ",":
            break
        expect_name = not expect_name
    raise tokens[0].error(
        "this macro's parameter list is invalid",
        code="idl-preprocessor",
        remedy="write `#define NAME(a, b) …`, with different names separated by commas",
    )


class Expander:
    """Expands macros in lists of tokens; one for a whole compilation, which its limit is for."""

    def __init__(self) -> None:
        self.macros: dict[str, Macro] = {}
        self._left = MAX_EXPANDED_TOKENS

    def expand(
        self,
        tokens: list[Token],
        depth: int = 0,
        *,
        keep: Callable[[list[Token], Token], bool] | None = None,
    ) -> list[Token]:
        """`tokens` with all macros expanded, as in C.

        `keep(done, token)` says whether to keep a name (the operand of `defined`).

        Raises IdlError: a wrong number of arguments, a call without its `)`, or expansion that
        grows past MAX_EXPANDED_TOKENS or nests deeper than MAX_MACRO_NESTING.
        """
        if depth > MAX_MACRO_NESTING:
            raise tokens[0].error(
                "macro calls are nested too deeply",
                code="idl-limit",
                remedy="expand some of them by hand",
            )
        done: list[Token] = []
        waiting = tokens[::-1]
        while waiting:
            token = waiting.pop()
            self._spend(token)
            macro = self.macros.get(token.text) if token.kind is Kind.NAME else None
            if macro is None or macro.name.text in token.hidden or (keep and keep(done, token)):
                done.append(token)
                continue
            if len(token.hidden) > MAX_MACRO_NESTING:
                raise token.error(
                    "macros are nested too deeply",
                    code="idl-limit",
                    remedy="expand some of them by hand",
                )
            if macro.parameters is None:
                body, hidden = list(macro.body), token.hidden
            else:
                if not waiting or waiting[-1].text != "(":
                    done.append(token)
                    continue
                arguments, closing = _arguments(token, waiting)
                body = self._substitute(macro, token, arguments, depth)
                hidden = token.hidden & closing.hidden
            waiting.extend(reversed(_placed(body, token, hidden | {macro.name.text})))
        return done

    def _spend(self, token: Token) -> None:
        self._left -= 1
        if self._left < 0:
            raise token.error(
                f"more than {MAX_EXPANDED_TOKENS} tokens after expansion",
                code="idl-limit",
                remedy="look for macros that grow without bound, or split the file",
            )

    def _substitute(
        self, macro: Macro, call: Token, arguments: list[list[Token]], depth: int
    ) -> list[Token]:
        parameters = macro.parameters or ()
        if not parameters and arguments == [[]]:
            arguments = []
        if len(arguments) != len(parameters):
            raise call.error(
                f"macro `{call.text}` takes {len(parameters)} arguments, not {len(arguments)}",
                code="idl-preprocessor",
                remedy="pass as many as its `#define` has",
            )
        values = {
            name: self.expand(value, depth + 1) if value else []
            for name, value in zip(parameters, arguments, strict=True)
        }
        body: list[Token] = []
        for token in macro.body:
            body.extend(values.get(token.text, [token]) if token.kind is Kind.NAME else [token])
            if len(body) > self._left:
                self._left = 0
                self._spend(call)
        return body


def _arguments(call: Token, waiting: list[Token]) -> tuple[list[list[Token]], Token]:
    """Take `( … )` off the reversed list `waiting`; the arguments and the `)`."""
    waiting.pop()
    arguments: list[list[Token]] = [[]]
    nesting = 0
    while waiting:
        token = waiting.pop()
        if token.text == ")" and nesting == 0:
            return arguments, token
        if token.text == "," and nesting == 0:
            arguments.append([])
            continue
        nesting += (token.text == "(") - (token.text == ")")
        arguments[-1].append(token)
    raise call.error(
        f"the call of macro `{call.text}` is not closed", code="idl-preprocessor", remedy="add `)`"
    )


def _placed(body: list[Token], call: Token, hidden: frozenset[str]) -> list[Token]:
    """The body's tokens with the location of the macro call, for errors and comments."""
    placed = [
        replace(
            token,
            source=call.source,
            offset=call.offset,
            starts_line=False,
            doc="",
            trailing="",
            hidden=token.hidden | hidden,
        )
        for token in body
    ]
    if placed:
        placed[0].doc = call.doc
        placed[-1].trailing = call.trailing
    return placed
